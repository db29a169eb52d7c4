-- The schema after all migrations, for reading. Written by `make schema`; a test compares it with the database.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE FUNCTION public.authenticate(hash bytea) RETURNS TABLE(tenant_id uuid, tenant text, key_id uuid, role text, user_ids text[], can_answer boolean, expires_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT k.tenant_id, t.name, k.key_id, k.role, k.user_ids, k.can_answer, k.expires_at
  FROM public.api_keys k JOIN public.tenants t ON t.tenant_id = k.tenant_id
  WHERE k.secret_hash = hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
$$;

ALTER FUNCTION public.authenticate(hash bytea) OWNER TO helixir_owner;

CREATE FUNCTION public.charter_news() RETURNS TABLE(version integer, sha256 text, waiting bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT v.version, v.sha256, count(a.tenant_id)
  FROM (SELECT c.version, c.sha256 FROM public.charter_versions c ORDER BY c.version DESC LIMIT 1) v
  LEFT JOIN LATERAL (
    SELECT DISTINCT o.tenant_id FROM public.charter_acts o WHERE o.version < v.version AND o.act = 'approve'
      AND NOT EXISTS (SELECT FROM public.charter_acts n WHERE n.tenant_id = o.tenant_id AND n.version = v.version AND n.act = 'approve')
  ) a ON true
  GROUP BY v.version, v.sha256
$$;

ALTER FUNCTION public.charter_news() OWNER TO helixir_owner;

CREATE FUNCTION public.claim_undecided(lease double precision, most integer) RETURNS TABLE(tenant_id uuid, memory_id uuid, attempts integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  UPDATE public.undecided_facts u SET running_until = clock_timestamp() + make_interval(secs => lease), attempts = u.attempts + 1
  FROM (SELECT d.tenant_id, d.memory_id FROM public.undecided_facts d
        WHERE d.decided_at IS NULL AND d.next_attempt_at <= clock_timestamp() AND d.running_until <= clock_timestamp()
        ORDER BY d.next_attempt_at LIMIT most FOR UPDATE SKIP LOCKED) due
  WHERE u.tenant_id = due.tenant_id AND u.memory_id = due.memory_id
  RETURNING u.tenant_id, u.memory_id, u.attempts
$$;

ALTER FUNCTION public.claim_undecided(lease double precision, most integer) OWNER TO helixir_owner;

CREATE FUNCTION public.claim_writes(lease double precision, most integer) RETURNS TABLE(tenant_id uuid, write_id uuid, key_id uuid, attempts integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  UPDATE public.writes w SET running_until = clock_timestamp() + make_interval(secs => lease), attempts = w.attempts + 1
  FROM (SELECT d.tenant_id, d.write_id FROM public.writes d
        WHERE d.status <> 'completed' AND d.status <> 'set_aside'
          AND d.next_attempt_at <= clock_timestamp() AND d.running_until <= clock_timestamp()
        ORDER BY d.next_attempt_at LIMIT most FOR UPDATE SKIP LOCKED) due
  WHERE w.tenant_id = due.tenant_id AND w.write_id = due.write_id
  RETURNING w.tenant_id, w.write_id, w.key_id, w.attempts
$$;

ALTER FUNCTION public.claim_writes(lease double precision, most integer) OWNER TO helixir_owner;

CREATE FUNCTION public.current_tenant() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT nullif(current_setting('helixir.tenant_id', true), '')::uuid
$$;

ALTER FUNCTION public.current_tenant() OWNER TO helixir_owner;

CREATE FUNCTION public.erase_vectors(tenant uuid, memory_ids uuid[], revisions integer[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  gone bigint;
BEGIN
  IF NOT public.erasing() THEN
    RAISE EXCEPTION 'C1: only the operator erases' USING ERRCODE = 'HX001';
  END IF;
  DELETE FROM public.embeddings e USING unnest(memory_ids, revisions) AS r(memory_id, revision)
    WHERE e.tenant_id = tenant AND e.memory_id = r.memory_id AND e.revision = r.revision;
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$;

ALTER FUNCTION public.erase_vectors(tenant uuid, memory_ids uuid[], revisions integer[]) OWNER TO helixir_owner;

CREATE FUNCTION public.erasing() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT coalesce(current_setting('helixir.erase', true), '') = 'on'
    AND pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'public.memories'::regclass), 'MEMBER')
$$;

ALTER FUNCTION public.erasing() OWNER TO helixir_owner;

CREATE FUNCTION public.forget_replays(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  WITH old AS (
    SELECT d.tenant_id, d.key_id, d.idempotency_key FROM public.replays d WHERE d.at < clock_timestamp() - interval '24 hours'
    ORDER BY d.at LIMIT most FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM public.replays r USING old
    WHERE r.tenant_id = old.tenant_id AND r.key_id = old.key_id AND r.idempotency_key = old.idempotency_key RETURNING 1
  )
  SELECT count(*) FROM gone
$$;

ALTER FUNCTION public.forget_replays(most integer) OWNER TO helixir_owner;

CREATE FUNCTION public.keep_answer() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NOT public.erasing() AND OLD.status <> 'open' AND NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'a settled dispute is final' USING ERRCODE = 'HX007';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_answer() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_edge() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF public.erasing() THEN
    RETURN NEW;
  END IF;
  IF OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
     OR (NEW.tenant_id, NEW.edge_id, NEW.type, NEW.from_memory_id, NEW.to_memory_id, NEW.at)
        IS DISTINCT FROM (OLD.tenant_id, OLD.edge_id, OLD.type, OLD.from_memory_id, OLD.to_memory_id, OLD.at) THEN
    RAISE EXCEPTION 'C1: an edge only ever ends' USING ERRCODE = 'HX001';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_edge() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_memory() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF (NEW.tenant_id, NEW.memory_id, NEW.user_id, NEW.kind, NEW.created_at) IS DISTINCT FROM
     (OLD.tenant_id, OLD.memory_id, OLD.user_id, OLD.kind, OLD.created_at) THEN
    RAISE EXCEPTION 'C2: what a memory is and whose it is never changes' USING ERRCODE = 'HX002';
  END IF;
  IF public.erasing() THEN
    RETURN NEW;
  END IF;
  IF OLD.kind = 'raw_input' THEN
    RAISE EXCEPTION 'C4: a raw input is never modified' USING ERRCODE = 'HX004';
  END IF;
  IF NEW.erased_at IS DISTINCT FROM OLD.erased_at OR OLD.erased_at IS NOT NULL THEN
    RAISE EXCEPTION 'C1: an erased memory stays erased' USING ERRCODE = 'HX001';
  END IF;
  IF OLD.immutable AND (
       OLD.kind <> 'atom'
       OR (NEW.content, NEW.memory_type, NEW.status, NEW.revision, NEW.folded, NEW.shared, NEW.metadata, NEW.valid_from, NEW.valid_to)
          IS DISTINCT FROM
          (OLD.content, OLD.memory_type, OLD.status, OLD.revision, OLD.folded, OLD.shared, OLD.metadata, OLD.valid_from, OLD.valid_to)
     ) THEN
    RAISE EXCEPTION 'C2: an immutable memory is never changed' USING ERRCODE = 'HX002';
  END IF;
  IF NEW.content IS DISTINCT FROM OLD.content AND NEW.revision <> OLD.revision + 1 THEN
    RAISE EXCEPTION 'a new content needs a new revision' USING ERRCODE = 'HX009';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_memory() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_protected() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF coalesce(current_setting('helixir.erase', true), '') = 'on' AND pg_has_role(session_user,
       (SELECT relowner FROM pg_class WHERE oid = 'public.memories'::regclass), 'MEMBER') THEN
    RETURN NULL;
  END IF;
  IF EXISTS (
    SELECT FROM public.memory_events e
    WHERE e.tenant_id = NEW.tenant_id AND e.memory_id = NEW.memory_id AND e.xmin = pg_current_xact_id()::xid
      AND (
        EXISTS (SELECT FROM public.contradictions c
                WHERE c.tenant_id = e.tenant_id AND c.contradiction_id = e.contradiction_id AND c.status = 'resolved'
                  AND c.xmin = pg_current_xact_id()::xid AND c.rule_id IS NULL AND c.resolved_by IS NOT NULL)
        OR EXISTS (SELECT FROM public.audit a JOIN public.api_keys k ON k.tenant_id = a.tenant_id AND k.key_id = a.actor AND k.role = 'owner'
                   WHERE a.tenant_id = e.tenant_id AND a.actor = e.actor AND a.xmin = pg_current_xact_id()::xid
                     AND a.act IN ('edit', 'withdraw', 'restore')
                     AND (a.subject = NEW.memory_id::text OR a.detail -> 'superseded' ? NEW.memory_id::text))
      )
  ) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'C3: a preference, goal or opinion is never rewritten silently' USING ERRCODE = 'HX003';
END
$$;

ALTER FUNCTION public.keep_protected() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_replay() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF OLD.at >= clock_timestamp() - interval '24 hours' AND NOT public.erasing() THEN
    RAISE EXCEPTION 'an Idempotency-Key counts for 24 hours' USING ERRCODE = 'HX011';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;

ALTER FUNCTION public.keep_replay() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.memories m JOIN public.revisions r
      ON (r.tenant_id, r.memory_id, r.revision) = (m.tenant_id, m.memory_id, m.revision) AND r.content = m.content
    WHERE m.tenant_id = NEW.tenant_id AND m.memory_id = NEW.memory_id
  ) THEN
    RAISE EXCEPTION 'a memory''s content must be its current revision' USING ERRCODE = 'HX009';
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.keep_revision() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_rule() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL THEN
    RAISE EXCEPTION 'C2: a rule only ever ends' USING ERRCODE = 'HX002';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_rule() OWNER TO helixir_owner;

CREATE FUNCTION public.keep_supersession() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF (SELECT count(DISTINCT user_id) FROM public.memories
      WHERE tenant_id = NEW.tenant_id AND memory_id IN (NEW.from_memory_id, NEW.to_memory_id)) <> 1 THEN
    RAISE EXCEPTION 'a supersession never crosses users' USING ERRCODE = 'HX011';
  END IF;
  IF EXISTS (
    WITH RECURSIVE later AS (
      SELECT NEW.from_memory_id AS memory_id
      UNION
      SELECT e.from_memory_id FROM public.edges e JOIN later ON e.to_memory_id = later.memory_id
      WHERE e.tenant_id = NEW.tenant_id AND e.type = 'SUPERSEDES' AND e.ended_at IS NULL
    )
    SELECT FROM later WHERE memory_id = NEW.to_memory_id
  ) THEN
    RAISE EXCEPTION 'a supersession never makes a cycle' USING ERRCODE = 'HX011';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_supersession() OWNER TO helixir_owner;

CREATE FUNCTION public.memory_records_at(tenant uuid, moment timestamp with time zone) RETURNS TABLE(tenant_id uuid, memory_id uuid, user_id text, kind text, memory_type text, content text, status text, immutable boolean, shared boolean, source text, revision integer, created_at timestamp with time zone, recorded_at timestamp with time zone, valid_from timestamp with time zone, valid_to timestamp with time zone, undecided boolean, metadata jsonb, agent_id text, session_id text, created_by uuid, charter_version integer, raw_input_id uuid, write_id uuid, supersedes uuid[], superseded_by uuid, same_as uuid[], open_contradictions uuid[])
    LANGUAGE sql STABLE
    AS $$
  SELECT m.tenant_id, m.memory_id, m.user_id, m.kind, m.memory_type, r.content, s.status, s.immutable, m.shared,
         coalesce(s.source, m.source), s.revision, m.created_at, r.at, m.valid_from, s.valid_to,
         EXISTS (SELECT FROM undecided_facts u WHERE u.tenant_id = m.tenant_id AND u.memory_id = m.memory_id AND u.since <= moment
                 AND (u.decided_at IS NULL OR u.decided_at > moment)),
         m.metadata, m.agent_id, m.session_id, m.created_by, m.charter_version, m.raw_input_id, m.write_id,
         ARRAY(SELECT e.to_memory_id FROM edges e WHERE e.tenant_id = m.tenant_id AND e.from_memory_id = m.memory_id
               AND e.type = 'SUPERSEDES' AND e.at <= moment AND (e.ended_at IS NULL OR e.ended_at > moment) ORDER BY e.at, e.edge_id),
         (SELECT e.from_memory_id FROM edges e WHERE e.tenant_id = m.tenant_id AND e.to_memory_id = m.memory_id
          AND e.type = 'SUPERSEDES' AND e.at <= moment AND (e.ended_at IS NULL OR e.ended_at > moment) ORDER BY e.at DESC LIMIT 1),
         ARRAY(SELECT CASE WHEN e.from_memory_id = m.memory_id THEN e.to_memory_id ELSE e.from_memory_id END FROM edges e
               WHERE e.tenant_id = m.tenant_id AND m.memory_id IN (e.from_memory_id, e.to_memory_id) AND e.type = 'SAME_AS'
               AND e.at <= moment AND (e.ended_at IS NULL OR e.ended_at > moment) ORDER BY e.at, e.edge_id),
         ARRAY(SELECT c.contradiction_id FROM contradictions c WHERE c.tenant_id = m.tenant_id AND c.created_at <= moment
               AND m.memory_id IN (c.new_memory_id, c.existing_memory_id)
               AND NOT EXISTS (SELECT FROM contradiction_events v WHERE v.tenant_id = c.tenant_id AND v.contradiction_id = c.contradiction_id
                               AND v.event IN ('resolved', 'moot') AND v.at <= moment) ORDER BY c.contradiction_id)
  FROM memories m
  JOIN LATERAL (SELECT e.status, e.revision, e.immutable, e.source, e.valid_to FROM memory_events e
                WHERE e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.at <= moment
                ORDER BY e.at DESC, e.event_id DESC LIMIT 1) s ON true
  JOIN revisions r ON r.tenant_id = m.tenant_id AND r.memory_id = m.memory_id AND r.revision = s.revision
  WHERE m.tenant_id = tenant
$$;

ALTER FUNCTION public.memory_records_at(tenant uuid, moment timestamp with time zone) OWNER TO helixir_owner;

CREATE FUNCTION public.note_key_use(tenant uuid, key uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  UPDATE public.api_keys k SET last_used_at = clock_timestamp()
  FROM (SELECT d.key_id FROM public.api_keys d WHERE d.tenant_id = tenant AND d.key_id = key
        AND (d.last_used_at IS NULL OR d.last_used_at < clock_timestamp() - interval '50 seconds') FOR UPDATE SKIP LOCKED) due
  WHERE k.tenant_id = tenant AND k.key_id = due.key_id
$$;

ALTER FUNCTION public.note_key_use(tenant uuid, key uuid) OWNER TO helixir_owner;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF public.erasing() THEN
    RETURN CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'C1: % is append-only', TG_TABLE_NAME USING ERRCODE = 'HX001';
END
$$;

ALTER FUNCTION public.refuse_change() OWNER TO helixir_owner;

CREATE FUNCTION public.register_constitution(new_version integer, hash text, new_text text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO charter_versions (version, sha256, constitution) VALUES (new_version, hash, new_text);
  INSERT INTO outbox (tenant_id, event_id, type, payload)
    SELECT tenant_id, gen_random_uuid(), 'charter.changed', jsonb_build_object('version', new_version, 'sha256', hash) FROM tenants;
END
$$;

ALTER FUNCTION public.register_constitution(new_version integer, hash text, new_text text) OWNER TO helixir_owner;

CREATE FUNCTION public.vectors_by_model() RETURNS TABLE(model text, dimensions integer, memories bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT made.model, max(vector_dims(made.embedding::vector)), count(*)
  FROM public.tenants t
  CROSS JOIN LATERAL (
    SELECT m.memory_id, m.revision FROM public.memories m
    WHERE m.tenant_id = t.tenant_id AND m.kind = 'atom' AND m.status = 'active'
    ORDER BY m.memory_id DESC LIMIT (SELECT greatest(2, 10000 / count(*)) FROM public.tenants)
  ) newest
  CROSS JOIN LATERAL (
    SELECT e.model, e.embedding FROM public.embeddings e
    WHERE e.tenant_id = t.tenant_id AND e.memory_id = newest.memory_id AND e.revision = newest.revision OFFSET 0
  ) made
  GROUP BY made.model
$$;

ALTER FUNCTION public.vectors_by_model() OWNER TO helixir_owner;

CREATE FUNCTION public.waiting() RETURNS TABLE(what text, waits bigint, oldest double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT 'disputes', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::double precision
    FROM public.contradictions WHERE status = 'open'
  UNION ALL
  SELECT 'undecided', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::double precision
    FROM public.undecided_facts WHERE decided_at IS NULL
  UNION ALL
  SELECT 'accepted', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(accepted_at)), 0)::double precision
    FROM public.writes WHERE status = 'accepted'
$$;

ALTER FUNCTION public.waiting() OWNER TO helixir_owner;

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);

ALTER TABLE public.alembic_version OWNER TO helixir_owner;

CREATE TABLE public.api_keys (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    role text NOT NULL,
    secret_hash bytea NOT NULL,
    prefix text NOT NULL,
    can_answer boolean NOT NULL,
    user_ids text[],
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_role_check CHECK ((role = ANY (ARRAY['agent'::text, 'owner'::text, 'auditor'::text]))),
    CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
    CONSTRAINT api_keys_user_ids_check CHECK ((cardinality(user_ids) > 0))
);

ALTER TABLE public.api_keys OWNER TO helixir_owner;

CREATE TABLE public.audit (
    tenant_id uuid NOT NULL,
    audit_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor uuid,
    operator boolean DEFAULT false NOT NULL,
    act text NOT NULL,
    subject text NOT NULL,
    reason text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_check CHECK ((operator = (actor IS NULL)))
);

ALTER TABLE ONLY public.audit FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit OWNER TO helixir_owner;

CREATE TABLE public.charter_acts (
    tenant_id uuid NOT NULL,
    act_id uuid NOT NULL,
    version integer NOT NULL,
    act text NOT NULL,
    sha256 text NOT NULL,
    actor uuid NOT NULL,
    reason text,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT charter_acts_act_check CHECK ((act = ANY (ARRAY['approve'::text, 'withdraw'::text])))
);

ALTER TABLE ONLY public.charter_acts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.charter_acts OWNER TO helixir_owner;

CREATE TABLE public.charter_versions (
    version integer NOT NULL,
    sha256 text NOT NULL,
    constitution text NOT NULL,
    registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT charter_versions_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT charter_versions_version_check CHECK ((version > 0))
);

ALTER TABLE public.charter_versions OWNER TO helixir_owner;

CREATE TABLE public.contradiction_events (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    contradiction_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    event text NOT NULL,
    version integer NOT NULL,
    actor uuid,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT contradiction_events_event_check CHECK ((event = ANY (ARRAY['opened'::text, 'asked_again'::text, 'moved'::text, 'resolved'::text, 'moot'::text])))
);

ALTER TABLE ONLY public.contradiction_events FORCE ROW LEVEL SECURITY;

ALTER TABLE public.contradiction_events OWNER TO helixir_owner;

CREATE TABLE public.contradictions (
    tenant_id uuid NOT NULL,
    contradiction_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    status text NOT NULL,
    strategy text NOT NULL,
    conflict_type text NOT NULL,
    articles text[] NOT NULL,
    pending_operation text NOT NULL,
    pending_content text,
    pending_reason text NOT NULL,
    confidence integer NOT NULL,
    new_memory_id uuid NOT NULL,
    existing_memory_id uuid NOT NULL,
    new_user_id text NOT NULL,
    existing_user_id text NOT NULL,
    decision_id uuid,
    created_at timestamp with time zone NOT NULL,
    created_by uuid,
    resolution text,
    answer_content text,
    contexts jsonb,
    note text,
    answered_by text,
    resolved_by uuid,
    resolved_at timestamp with time zone,
    effects jsonb,
    learned jsonb,
    episode_id uuid,
    rule_id uuid,
    moot_cause text,
    CONSTRAINT contradictions_check CHECK (((new_memory_id <> existing_memory_id) OR (status = 'moot'::text))),
    CONSTRAINT contradictions_check1 CHECK (((status = 'resolved'::text) = (resolution IS NOT NULL))),
    CONSTRAINT contradictions_check2 CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL))),
    CONSTRAINT contradictions_check3 CHECK (((status = 'moot'::text) = (moot_cause IS NOT NULL))),
    CONSTRAINT contradictions_confidence_check CHECK (((confidence >= 0) AND (confidence <= 100))),
    CONSTRAINT contradictions_pending_operation_check CHECK ((pending_operation = ANY (ARRAY['UPDATE'::text, 'SUPERSEDE'::text, 'DELETE'::text, 'CONTRADICT'::text, 'CROSS_CONTRADICT'::text]))),
    CONSTRAINT contradictions_resolution_check CHECK ((resolution = ANY (ARRAY['retract'::text, 'confirm'::text, 'coexist'::text, 'amend'::text]))),
    CONSTRAINT contradictions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text, 'moot'::text]))),
    CONSTRAINT contradictions_strategy_check CHECK ((strategy = ANY (ARRAY['charter_deferred'::text, 'charter_held'::text, 'charter_flagged'::text]))),
    CONSTRAINT contradictions_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY public.contradictions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.contradictions OWNER TO helixir_owner;

CREATE TABLE public.edges (
    tenant_id uuid NOT NULL,
    edge_id uuid NOT NULL,
    type text NOT NULL,
    from_memory_id uuid NOT NULL,
    to_memory_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    reason text,
    decision_id uuid,
    contradiction_id uuid,
    ended_at timestamp with time zone,
    CONSTRAINT edges_check CHECK ((from_memory_id <> to_memory_id)),
    CONSTRAINT edges_type_check CHECK ((type = ANY (ARRAY['SUPERSEDES'::text, 'BECAUSE'::text, 'SUPPORTS'::text, 'DERIVED_FROM'::text, 'SAME_AS'::text])))
);

ALTER TABLE ONLY public.edges FORCE ROW LEVEL SECURITY;

ALTER TABLE public.edges OWNER TO helixir_owner;

CREATE TABLE public.embeddings (
    tenant_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    revision integer NOT NULL,
    model text NOT NULL,
    embedding public.halfvec NOT NULL
);
ALTER TABLE ONLY public.embeddings ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE ONLY public.embeddings FORCE ROW LEVEL SECURITY;

ALTER TABLE public.embeddings OWNER TO helixir_owner;

CREATE TABLE public.memories (
    tenant_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    memory_type text NOT NULL,
    content text NOT NULL,
    status text NOT NULL,
    immutable boolean NOT NULL,
    shared boolean NOT NULL,
    source text NOT NULL,
    revision integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    valid_from timestamp with time zone,
    valid_to timestamp with time zone,
    undecided boolean DEFAULT false NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    agent_id text,
    session_id text,
    created_by uuid,
    charter_version integer NOT NULL,
    write_id uuid,
    raw_input_id uuid,
    folded bytea,
    erased_at timestamp with time zone,
    CONSTRAINT memories_check CHECK (((folded IS NOT NULL) = (kind = 'atom'::text))),
    CONSTRAINT memories_check1 CHECK (((kind <> ALL (ARRAY['seed'::text, 'rule'::text, 'raw_input'::text])) OR (immutable AND (status = 'active'::text)))),
    CONSTRAINT memories_check2 CHECK (((kind <> ALL (ARRAY['seed'::text, 'rule'::text, 'episode'::text])) OR (user_id = 'helixir'::text))),
    CONSTRAINT memories_check3 CHECK (((kind = ANY (ARRAY['seed'::text, 'rule'::text, 'episode'::text])) OR (user_id <> 'helixir'::text))),
    CONSTRAINT memories_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 100000))),
    CONSTRAINT memories_kind_check CHECK ((kind = ANY (ARRAY['atom'::text, 'raw_input'::text, 'seed'::text, 'rule'::text, 'episode'::text]))),
    CONSTRAINT memories_memory_type_check CHECK ((memory_type = ANY (ARRAY['fact'::text, 'preference'::text, 'skill'::text, 'goal'::text, 'opinion'::text, 'experience'::text, 'achievement'::text, 'action'::text]))),
    CONSTRAINT memories_revision_check CHECK ((revision > 0)),
    CONSTRAINT memories_source_check CHECK ((source = ANY (ARRAY['user'::text, 'agent'::text, 'tool'::text, 'document'::text]))),
    CONSTRAINT memories_status_check CHECK ((status = ANY (ARRAY['active'::text, 'superseded'::text, 'withdrawn'::text, 'held'::text]))),
    CONSTRAINT memories_user_id_check CHECK (((char_length(user_id) >= 1) AND (char_length(user_id) <= 256)))
);

ALTER TABLE ONLY public.memories FORCE ROW LEVEL SECURITY;

ALTER TABLE public.memories OWNER TO helixir_owner;

CREATE VIEW public.current_atoms WITH (security_invoker='true') AS
 SELECT m.tenant_id,
    m.memory_id,
    m.user_id,
    m.kind,
    m.memory_type,
    m.content,
    m.status,
    m.immutable,
    m.shared,
    m.source,
    m.revision,
    m.recorded_at,
    m.valid_from,
    e.model,
    e.embedding,
    ((EXISTS ( SELECT
           FROM public.contradictions c
          WHERE ((c.tenant_id = m.tenant_id) AND (c.status = 'open'::text) AND (c.new_memory_id = m.memory_id)))) OR (EXISTS ( SELECT
           FROM public.contradictions c
          WHERE ((c.tenant_id = m.tenant_id) AND (c.status = 'open'::text) AND (c.existing_memory_id = m.memory_id))))) AS disputed,
    ARRAY( SELECT
                CASE
                    WHEN (x.from_memory_id = m.memory_id) THEN x.to_memory_id
                    ELSE x.from_memory_id
                END AS from_memory_id
           FROM public.edges x
          WHERE ((x.tenant_id = m.tenant_id) AND ((m.memory_id = x.from_memory_id) OR (m.memory_id = x.to_memory_id)) AND (x.type = 'SAME_AS'::text) AND (x.ended_at IS NULL))) AS twins
   FROM (public.memories m
     JOIN public.embeddings e ON (((e.tenant_id = m.tenant_id) AND (e.memory_id = m.memory_id) AND (e.revision = m.revision))))
  WHERE ((m.kind = 'atom'::text) AND (m.status = 'active'::text));

ALTER VIEW public.current_atoms OWNER TO helixir_owner;

CREATE TABLE public.decisions (
    tenant_id uuid NOT NULL,
    decision_id uuid NOT NULL,
    write_id uuid,
    "position" integer NOT NULL,
    user_id text NOT NULL,
    memory_id uuid,
    target_memory_id uuid,
    content text NOT NULL,
    memory_type text NOT NULL,
    tier text NOT NULL,
    operation text NOT NULL,
    outcome text NOT NULL,
    similarity double precision,
    confidence integer,
    candidates jsonb NOT NULL,
    verdict jsonb NOT NULL,
    ruling jsonb NOT NULL,
    articles text[] NOT NULL,
    rules uuid[] NOT NULL,
    thresholds jsonb NOT NULL,
    engine jsonb NOT NULL,
    embedder text NOT NULL,
    charter_version integer NOT NULL,
    mode text NOT NULL,
    at timestamp with time zone NOT NULL,
    timings jsonb NOT NULL,
    CONSTRAINT decisions_mode_check CHECK ((mode = ANY (ARRAY['defer'::text, 'block'::text]))),
    CONSTRAINT decisions_tier_check CHECK ((tier = ANY (ARRAY['exact'::text, 'duplicate'::text, 'new'::text, 'engine'::text])))
);

ALTER TABLE ONLY public.decisions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.decisions OWNER TO helixir_owner;

CREATE TABLE public.memory_events (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    event text NOT NULL,
    actor uuid,
    reason text,
    decision_id uuid,
    contradiction_id uuid,
    status text NOT NULL,
    revision integer NOT NULL,
    immutable boolean NOT NULL,
    source text,
    valid_to timestamp with time zone,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT memory_events_status_check CHECK ((status = ANY (ARRAY['active'::text, 'superseded'::text, 'withdrawn'::text, 'held'::text])))
);

ALTER TABLE ONLY public.memory_events FORCE ROW LEVEL SECURITY;

ALTER TABLE public.memory_events OWNER TO helixir_owner;

CREATE VIEW public.memory_records WITH (security_invoker='true') AS
 SELECT tenant_id,
    memory_id,
    user_id,
    kind,
    memory_type,
    content,
    status,
    immutable,
    shared,
    source,
    revision,
    created_at,
    recorded_at,
    valid_from,
    valid_to,
    undecided,
    metadata,
    agent_id,
    session_id,
    created_by,
    charter_version,
    raw_input_id,
    write_id,
    ARRAY( SELECT e.to_memory_id
           FROM public.edges e
          WHERE ((e.tenant_id = m.tenant_id) AND (e.from_memory_id = m.memory_id) AND (e.type = 'SUPERSEDES'::text) AND (e.ended_at IS NULL))
          ORDER BY e.at, e.edge_id) AS supersedes,
    ( SELECT e.from_memory_id
           FROM public.edges e
          WHERE ((e.tenant_id = m.tenant_id) AND (e.to_memory_id = m.memory_id) AND (e.type = 'SUPERSEDES'::text) AND (e.ended_at IS NULL))) AS superseded_by,
    ARRAY( SELECT
                CASE
                    WHEN (e.from_memory_id = m.memory_id) THEN e.to_memory_id
                    ELSE e.from_memory_id
                END AS from_memory_id
           FROM public.edges e
          WHERE ((e.tenant_id = m.tenant_id) AND ((m.memory_id = e.from_memory_id) OR (m.memory_id = e.to_memory_id)) AND (e.type = 'SAME_AS'::text) AND (e.ended_at IS NULL))
          ORDER BY e.at, e.edge_id) AS same_as,
    ARRAY( SELECT c.contradiction_id
           FROM public.contradictions c
          WHERE ((c.tenant_id = m.tenant_id) AND (c.status = 'open'::text) AND ((m.memory_id = c.new_memory_id) OR (m.memory_id = c.existing_memory_id)))
          ORDER BY c.contradiction_id) AS open_contradictions
   FROM public.memories m;

ALTER VIEW public.memory_records OWNER TO helixir_owner;

CREATE TABLE public.outbox (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    user_id text,
    payload jsonb NOT NULL,
    CONSTRAINT outbox_type_check CHECK ((type = ANY (ARRAY['clarification.opened'::text, 'contradiction.resolved'::text, 'contradiction.moot'::text, 'memory.superseded'::text, 'rule.proposed'::text, 'rule.approved'::text, 'rule.revoked'::text, 'charter.approved'::text, 'charter.changed'::text, 'write.completed'::text, 'write.undecided'::text])))
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

ALTER TABLE public.outbox OWNER TO helixir_owner;

CREATE TABLE public.precedents (
    tenant_id uuid NOT NULL,
    episode_id uuid NOT NULL,
    user_id text NOT NULL,
    operation text NOT NULL,
    new_type text NOT NULL,
    existing_type text NOT NULL,
    same_user boolean NOT NULL,
    resolution text NOT NULL,
    new_memory_id uuid NOT NULL,
    existing_memory_id uuid NOT NULL,
    contradiction_id uuid NOT NULL,
    articles text[] NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT precedents_resolution_check CHECK ((resolution = ANY (ARRAY['retract'::text, 'confirm'::text, 'coexist'::text, 'amend'::text])))
);

ALTER TABLE ONLY public.precedents FORCE ROW LEVEL SECURITY;

ALTER TABLE public.precedents OWNER TO helixir_owner;

CREATE TABLE public.replays (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint bytea NOT NULL,
    subject uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT replays_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT replays_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 255)))
);

ALTER TABLE ONLY public.replays FORCE ROW LEVEL SECURITY;

ALTER TABLE public.replays OWNER TO helixir_owner;

CREATE TABLE public.revisions (
    tenant_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    revision integer NOT NULL,
    content text NOT NULL,
    at timestamp with time zone NOT NULL,
    actor uuid,
    reason text,
    decision_id uuid,
    contradiction_id uuid,
    CONSTRAINT revisions_revision_check CHECK ((revision > 0))
);

ALTER TABLE ONLY public.revisions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.revisions OWNER TO helixir_owner;

CREATE TABLE public.rule_proposals (
    tenant_id uuid NOT NULL,
    proposal_id uuid NOT NULL,
    user_id text NOT NULL,
    operation text NOT NULL,
    new_type text NOT NULL,
    existing_type text NOT NULL,
    same_user boolean NOT NULL,
    resolution text NOT NULL,
    episodes uuid[] NOT NULL,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by uuid,
    reason text,
    rule_id uuid,
    CONSTRAINT rule_proposals_check CHECK (((status = 'open'::text) = (decided_at IS NULL))),
    CONSTRAINT rule_proposals_check1 CHECK (((status = 'approved'::text) = (rule_id IS NOT NULL))),
    CONSTRAINT rule_proposals_episodes_check CHECK ((cardinality(episodes) > 0)),
    CONSTRAINT rule_proposals_resolution_check CHECK ((resolution = ANY (ARRAY['retract'::text, 'confirm'::text, 'coexist'::text]))),
    CONSTRAINT rule_proposals_status_check CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'lapsed'::text])))
);

ALTER TABLE ONLY public.rule_proposals FORCE ROW LEVEL SECURITY;

ALTER TABLE public.rule_proposals OWNER TO helixir_owner;

CREATE TABLE public.rule_uses (
    tenant_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    decision_id uuid NOT NULL
);

ALTER TABLE ONLY public.rule_uses FORCE ROW LEVEL SECURITY;

ALTER TABLE public.rule_uses OWNER TO helixir_owner;

CREATE TABLE public.rules (
    tenant_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    scope text NOT NULL,
    user_id text,
    operation text NOT NULL,
    new_type text NOT NULL,
    existing_type text NOT NULL,
    same_user boolean NOT NULL,
    resolution text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by uuid NOT NULL,
    revoked_at timestamp with time zone,
    revoked_by uuid,
    CONSTRAINT rules_check CHECK (((user_id IS NULL) = (scope = 'tenant'::text))),
    CONSTRAINT rules_check1 CHECK (((revoked_at IS NULL) = (revoked_by IS NULL))),
    CONSTRAINT rules_check2 CHECK ((same_user OR (resolution = 'coexist'::text))),
    CONSTRAINT rules_operation_check CHECK ((operation = ANY (ARRAY['CONTRADICT'::text, 'CROSS_CONTRADICT'::text]))),
    CONSTRAINT rules_resolution_check CHECK ((resolution = ANY (ARRAY['retract'::text, 'confirm'::text, 'coexist'::text]))),
    CONSTRAINT rules_scope_check CHECK ((scope = ANY (ARRAY['user'::text, 'tenant'::text])))
);

ALTER TABLE ONLY public.rules FORCE ROW LEVEL SECURITY;

ALTER TABLE public.rules OWNER TO helixir_owner;

CREATE TABLE public.tenants (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT tenants_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

ALTER TABLE ONLY public.tenants FORCE ROW LEVEL SECURITY;

ALTER TABLE public.tenants OWNER TO helixir_owner;

CREATE TABLE public.undecided_facts (
    tenant_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    running_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    decided_at timestamp with time zone
);

ALTER TABLE ONLY public.undecided_facts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.undecided_facts OWNER TO helixir_owner;

CREATE TABLE public.user_turns (
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    holder uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.user_turns FORCE ROW LEVEL SECURITY;

ALTER TABLE public.user_turns OWNER TO helixir_owner;

CREATE TABLE public.writes (
    tenant_id uuid NOT NULL,
    write_id uuid NOT NULL,
    key_id uuid NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    status text NOT NULL,
    raw_input_id uuid,
    accepted_at timestamp with time zone NOT NULL,
    running_until timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    last_fault text,
    CONSTRAINT writes_check CHECK (((status = 'completed'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT writes_kind_check CHECK ((kind = ANY (ARRAY['facts'::text, 'message'::text, 'edit'::text])))
);

ALTER TABLE ONLY public.writes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.writes OWNER TO helixir_owner;

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, key_id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, audit_id);

ALTER TABLE ONLY public.charter_acts
    ADD CONSTRAINT charter_acts_pkey PRIMARY KEY (tenant_id, act_id);

ALTER TABLE ONLY public.charter_versions
    ADD CONSTRAINT charter_versions_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.charter_versions
    ADD CONSTRAINT charter_versions_sha256_key UNIQUE (sha256);

ALTER TABLE ONLY public.contradiction_events
    ADD CONSTRAINT contradiction_events_pkey PRIMARY KEY (tenant_id, event_id);

ALTER TABLE ONLY public.contradictions
    ADD CONSTRAINT contradictions_pkey PRIMARY KEY (tenant_id, contradiction_id);

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (tenant_id, decision_id);

ALTER TABLE ONLY public.edges
    ADD CONSTRAINT edges_pkey PRIMARY KEY (tenant_id, edge_id);

ALTER TABLE ONLY public.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (tenant_id, memory_id, revision, model);

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (tenant_id, memory_id);

ALTER TABLE ONLY public.memory_events
    ADD CONSTRAINT memory_events_pkey PRIMARY KEY (tenant_id, event_id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (tenant_id, event_id);

ALTER TABLE ONLY public.precedents
    ADD CONSTRAINT precedents_pkey PRIMARY KEY (tenant_id, episode_id);

ALTER TABLE ONLY public.replays
    ADD CONSTRAINT replays_pkey PRIMARY KEY (tenant_id, key_id, idempotency_key);

ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (tenant_id, memory_id, revision);

ALTER TABLE ONLY public.rule_proposals
    ADD CONSTRAINT rule_proposals_pkey PRIMARY KEY (tenant_id, proposal_id);

ALTER TABLE ONLY public.rule_uses
    ADD CONSTRAINT rule_uses_pkey PRIMARY KEY (tenant_id, rule_id, decision_id);

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (tenant_id, rule_id);

ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_name_key UNIQUE (name);

ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.undecided_facts
    ADD CONSTRAINT undecided_facts_pkey PRIMARY KEY (tenant_id, memory_id);

ALTER TABLE ONLY public.user_turns
    ADD CONSTRAINT user_turns_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY public.writes
    ADD CONSTRAINT writes_pkey PRIMARY KEY (tenant_id, write_id);

ALTER TABLE public.writes
    ADD CONSTRAINT writes_status_check CHECK ((status = ANY (ARRAY['running'::text, 'accepted'::text, 'completed'::text, 'set_aside'::text]))) NOT VALID;

CREATE INDEX audit_by_time ON public.audit USING btree (tenant_id, at DESC);

CREATE INDEX charter_acts_latest ON public.charter_acts USING btree (tenant_id, version, at DESC);

CREATE INDEX contradiction_events_by_contradiction ON public.contradiction_events USING btree (tenant_id, contradiction_id, at);

CREATE INDEX contradictions_by_status ON public.contradictions USING btree (tenant_id, status, contradiction_id DESC);

CREATE INDEX contradictions_existing ON public.contradictions USING btree (tenant_id, existing_memory_id);

CREATE INDEX contradictions_new ON public.contradictions USING btree (tenant_id, new_memory_id);

CREATE INDEX contradictions_open_by ON public.contradictions USING btree (tenant_id, created_by) WHERE (status = 'open'::text);

CREATE UNIQUE INDEX contradictions_open_pair ON public.contradictions USING btree (tenant_id, LEAST(new_memory_id, existing_memory_id), GREATEST(new_memory_id, existing_memory_id)) WHERE (status = 'open'::text);

CREATE INDEX decisions_by_memory ON public.decisions USING btree (tenant_id, memory_id, decision_id DESC);

CREATE INDEX decisions_by_target ON public.decisions USING btree (tenant_id, target_memory_id, decision_id DESC);

CREATE INDEX decisions_by_user ON public.decisions USING btree (tenant_id, user_id, decision_id DESC);

CREATE INDEX decisions_by_write ON public.decisions USING btree (tenant_id, write_id, "position");

CREATE INDEX edges_from ON public.edges USING btree (tenant_id, from_memory_id, type);

CREATE UNIQUE INDEX edges_one_successor ON public.edges USING btree (tenant_id, to_memory_id) WHERE ((type = 'SUPERSEDES'::text) AND (ended_at IS NULL));

CREATE INDEX edges_to ON public.edges USING btree (tenant_id, to_memory_id, type);

CREATE INDEX memories_by_tenant ON public.memories USING btree (tenant_id, status, kind, memory_id DESC);

CREATE INDEX memories_by_user ON public.memories USING btree (tenant_id, user_id, status, kind, memory_id DESC);

CREATE UNIQUE INDEX memories_same_text ON public.memories USING btree (tenant_id, user_id, memory_type, folded, valid_from) NULLS NOT DISTINCT WHERE ((kind = 'atom'::text) AND (status = ANY (ARRAY['active'::text, 'held'::text])));

CREATE INDEX memories_shared ON public.memories USING btree (tenant_id, memory_id) WHERE (shared AND (kind = 'atom'::text) AND (status = 'active'::text));

CREATE INDEX memories_withdrawn_text ON public.memories USING btree (tenant_id, user_id, memory_type, folded) WHERE ((kind = 'atom'::text) AND (status = 'withdrawn'::text));

CREATE INDEX memory_events_by_memory ON public.memory_events USING btree (tenant_id, memory_id, at, event_id);

CREATE INDEX precedents_by_shape ON public.precedents USING btree (tenant_id, user_id, operation, new_type, existing_type, same_user, at);

CREATE INDEX replays_by_age ON public.replays USING btree (at);

CREATE INDEX replays_by_subject ON public.replays USING btree (tenant_id, subject);

CREATE UNIQUE INDEX rule_proposals_open ON public.rule_proposals USING btree (tenant_id, user_id, operation, new_type, existing_type, same_user) WHERE (status = 'open'::text);

CREATE UNIQUE INDEX rules_one_live ON public.rules USING btree (tenant_id, scope, user_id, operation, new_type, existing_type, same_user) NULLS NOT DISTINCT WHERE (revoked_at IS NULL);

CREATE INDEX undecided_facts_due ON public.undecided_facts USING btree (next_attempt_at) WHERE (decided_at IS NULL);

CREATE INDEX writes_unfinished ON public.writes USING btree (next_attempt_at) WHERE (status <> 'completed'::text);

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.charter_acts FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.charter_versions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.contradiction_events FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.decisions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.memory_events FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.outbox FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.precedents FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.revisions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.rule_uses FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER keep_answer BEFORE UPDATE ON public.contradictions FOR EACH ROW EXECUTE FUNCTION public.keep_answer();

CREATE TRIGGER keep_edge BEFORE UPDATE ON public.edges FOR EACH ROW EXECUTE FUNCTION public.keep_edge();

CREATE TRIGGER keep_memory BEFORE UPDATE ON public.memories FOR EACH ROW EXECUTE FUNCTION public.keep_memory();

CREATE CONSTRAINT TRIGGER keep_protected AFTER UPDATE ON public.memories DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.memory_type = ANY (ARRAY['preference'::text, 'goal'::text, 'opinion'::text])) AND (old.kind = 'atom'::text) AND (old.status = 'active'::text) AND ((new.status <> 'active'::text) OR (new.content IS DISTINCT FROM old.content) OR (new.memory_type <> old.memory_type)))) EXECUTE FUNCTION public.keep_protected();

CREATE TRIGGER keep_replay BEFORE DELETE OR UPDATE ON public.replays FOR EACH ROW EXECUTE FUNCTION public.keep_replay();

CREATE CONSTRAINT TRIGGER keep_revision AFTER INSERT OR UPDATE OF content, revision ON public.memories DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.keep_revision();

CREATE TRIGGER keep_rule BEFORE UPDATE ON public.rules FOR EACH ROW EXECUTE FUNCTION public.keep_rule();

CREATE TRIGGER keep_supersession BEFORE INSERT ON public.edges FOR EACH ROW WHEN (((new.type = 'SUPERSEDES'::text) AND (new.ended_at IS NULL))) EXECUTE FUNCTION public.keep_supersession();

CREATE TRIGGER no_delete BEFORE DELETE ON public.contradictions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER no_delete BEFORE DELETE ON public.edges FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER no_delete BEFORE DELETE ON public.memories FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER no_delete BEFORE DELETE ON public.rule_proposals FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER no_delete BEFORE DELETE ON public.rules FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER no_delete BEFORE DELETE ON public.writes FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.charter_acts
    ADD CONSTRAINT charter_acts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.charter_acts
    ADD CONSTRAINT charter_acts_version_fkey FOREIGN KEY (version) REFERENCES public.charter_versions(version);

ALTER TABLE ONLY public.contradiction_events
    ADD CONSTRAINT contradiction_events_tenant_id_contradiction_id_fkey FOREIGN KEY (tenant_id, contradiction_id) REFERENCES public.contradictions(tenant_id, contradiction_id);

ALTER TABLE ONLY public.contradictions
    ADD CONSTRAINT contradictions_tenant_id_existing_memory_id_fkey FOREIGN KEY (tenant_id, existing_memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.contradictions
    ADD CONSTRAINT contradictions_tenant_id_new_memory_id_fkey FOREIGN KEY (tenant_id, new_memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_charter_version_fkey FOREIGN KEY (charter_version) REFERENCES public.charter_versions(version);

ALTER TABLE ONLY public.edges
    ADD CONSTRAINT edges_tenant_id_from_memory_id_fkey FOREIGN KEY (tenant_id, from_memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.edges
    ADD CONSTRAINT edges_tenant_id_to_memory_id_fkey FOREIGN KEY (tenant_id, to_memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.embeddings
    ADD CONSTRAINT embeddings_tenant_id_memory_id_revision_fkey FOREIGN KEY (tenant_id, memory_id, revision) REFERENCES public.revisions(tenant_id, memory_id, revision);

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_charter_version_fkey FOREIGN KEY (charter_version) REFERENCES public.charter_versions(version);

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_tenant_id_raw_input_id_fkey FOREIGN KEY (tenant_id, raw_input_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.memory_events
    ADD CONSTRAINT memory_events_tenant_id_memory_id_fkey FOREIGN KEY (tenant_id, memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.precedents
    ADD CONSTRAINT precedents_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.replays
    ADD CONSTRAINT replays_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_tenant_id_memory_id_fkey FOREIGN KEY (tenant_id, memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.rule_proposals
    ADD CONSTRAINT rule_proposals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE ONLY public.rule_uses
    ADD CONSTRAINT rule_uses_tenant_id_decision_id_fkey FOREIGN KEY (tenant_id, decision_id) REFERENCES public.decisions(tenant_id, decision_id);

ALTER TABLE ONLY public.rule_uses
    ADD CONSTRAINT rule_uses_tenant_id_rule_id_fkey FOREIGN KEY (tenant_id, rule_id) REFERENCES public.rules(tenant_id, rule_id);

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_tenant_id_rule_id_fkey FOREIGN KEY (tenant_id, rule_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.undecided_facts
    ADD CONSTRAINT undecided_facts_tenant_id_memory_id_fkey FOREIGN KEY (tenant_id, memory_id) REFERENCES public.memories(tenant_id, memory_id);

ALTER TABLE ONLY public.writes
    ADD CONSTRAINT writes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(tenant_id);

ALTER TABLE public.audit ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.charter_acts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contradiction_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contradictions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.edges ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.embeddings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memory_events ENABLE ROW LEVEL SECURITY;

CREATE POLICY operator ON public.audit TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.charter_acts TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.contradiction_events TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.contradictions TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.decisions TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.edges TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.embeddings TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.memories TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.memory_events TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.outbox TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.precedents TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.replays TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.revisions TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.rule_proposals TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.rule_uses TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.rules TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.tenants TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.undecided_facts TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.user_turns TO helixir_owner USING (true) WITH CHECK (true);

CREATE POLICY operator ON public.writes TO helixir_owner USING (true) WITH CHECK (true);

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON public.audit TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.charter_acts TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.contradiction_events TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.contradictions TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.decisions TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.edges TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.embeddings TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.memories TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.memory_events TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.outbox TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.precedents TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.replays TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.revisions TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.rule_proposals TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.rule_uses TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.rules TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.tenants TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.undecided_facts TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.user_turns TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY own_tenant ON public.writes TO helixir_service USING ((tenant_id = public.current_tenant())) WITH CHECK ((tenant_id = public.current_tenant()));

ALTER TABLE public.precedents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.replays ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.revisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.rule_proposals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.rule_uses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.rules ENABLE ROW LEVEL SECURITY;

CREATE POLICY set_aside_by_the_operator ON public.writes AS RESTRICTIVE FOR UPDATE TO helixir_service USING ((status <> 'set_aside'::text)) WITH CHECK ((status <> 'set_aside'::text));

ALTER TABLE public.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.undecided_facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.user_turns ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.writes ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO helixir_service;

REVOKE ALL ON FUNCTION public.authenticate(hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.authenticate(hash bytea) TO helixir_service;

REVOKE ALL ON FUNCTION public.charter_news() FROM PUBLIC;
GRANT ALL ON FUNCTION public.charter_news() TO helixir_service;

REVOKE ALL ON FUNCTION public.claim_undecided(lease double precision, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_undecided(lease double precision, most integer) TO helixir_service;

REVOKE ALL ON FUNCTION public.claim_writes(lease double precision, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_writes(lease double precision, most integer) TO helixir_service;

REVOKE ALL ON FUNCTION public.erase_vectors(tenant uuid, memory_ids uuid[], revisions integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.forget_replays(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_replays(most integer) TO helixir_service;

REVOKE ALL ON FUNCTION public.keep_protected() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_key_use(tenant uuid, key uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_key_use(tenant uuid, key uuid) TO helixir_service;

REVOKE ALL ON FUNCTION public.register_constitution(new_version integer, hash text, new_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.vectors_by_model() FROM PUBLIC;
GRANT ALL ON FUNCTION public.vectors_by_model() TO helixir_service;

REVOKE ALL ON FUNCTION public.waiting() FROM PUBLIC;
GRANT ALL ON FUNCTION public.waiting() TO helixir_service;

GRANT SELECT ON TABLE public.alembic_version TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.audit TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.charter_acts TO helixir_service;

GRANT SELECT ON TABLE public.charter_versions TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.contradiction_events TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(version) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(status) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(existing_memory_id) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(existing_user_id) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(resolution) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(answer_content) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(contexts) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(note) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(answered_by) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(resolved_by) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(resolved_at) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(effects) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(learned) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(episode_id) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(rule_id) ON TABLE public.contradictions TO helixir_service;

GRANT UPDATE(moot_cause) ON TABLE public.contradictions TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.edges TO helixir_service;

GRANT UPDATE(ended_at) ON TABLE public.edges TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.embeddings TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.memories TO helixir_service;

GRANT UPDATE(memory_type) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(content) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(status) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(immutable) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(source) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(revision) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(recorded_at) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(valid_to) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(undecided) ON TABLE public.memories TO helixir_service;

GRANT UPDATE(folded) ON TABLE public.memories TO helixir_service;

GRANT SELECT ON TABLE public.current_atoms TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.decisions TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.memory_events TO helixir_service;

GRANT SELECT ON TABLE public.memory_records TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.outbox TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.precedents TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.replays TO helixir_service;

GRANT UPDATE(fingerprint) ON TABLE public.replays TO helixir_service;

GRANT UPDATE(subject) ON TABLE public.replays TO helixir_service;

GRANT UPDATE(at) ON TABLE public.replays TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.revisions TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.rule_proposals TO helixir_service;

GRANT UPDATE(status) ON TABLE public.rule_proposals TO helixir_service;

GRANT UPDATE(decided_at) ON TABLE public.rule_proposals TO helixir_service;

GRANT UPDATE(decided_by) ON TABLE public.rule_proposals TO helixir_service;

GRANT UPDATE(reason) ON TABLE public.rule_proposals TO helixir_service;

GRANT UPDATE(rule_id) ON TABLE public.rule_proposals TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.rule_uses TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.rules TO helixir_service;

GRANT UPDATE(revoked_at) ON TABLE public.rules TO helixir_service;

GRANT UPDATE(revoked_by) ON TABLE public.rules TO helixir_service;

GRANT SELECT ON TABLE public.tenants TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.undecided_facts TO helixir_service;

GRANT UPDATE(attempts) ON TABLE public.undecided_facts TO helixir_service;

GRANT UPDATE(next_attempt_at) ON TABLE public.undecided_facts TO helixir_service;

GRANT UPDATE(running_until) ON TABLE public.undecided_facts TO helixir_service;

GRANT UPDATE(decided_at) ON TABLE public.undecided_facts TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.user_turns TO helixir_service;

GRANT UPDATE(holder) ON TABLE public.user_turns TO helixir_service;

GRANT UPDATE(expires_at) ON TABLE public.user_turns TO helixir_service;

GRANT SELECT,INSERT ON TABLE public.writes TO helixir_service;

GRANT UPDATE(status) ON TABLE public.writes TO helixir_service;

GRANT UPDATE(running_until) ON TABLE public.writes TO helixir_service;

GRANT UPDATE(finished_at) ON TABLE public.writes TO helixir_service;

GRANT UPDATE(attempts) ON TABLE public.writes TO helixir_service;

GRANT UPDATE(next_attempt_at) ON TABLE public.writes TO helixir_service;

GRANT UPDATE(last_fault) ON TABLE public.writes TO helixir_service;
