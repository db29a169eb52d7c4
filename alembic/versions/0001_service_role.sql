-- One definition of what a memory looks like to a reader; derived state is derived here and nowhere else.
CREATE VIEW memory_records WITH (security_invoker = true) AS
SELECT m.tenant_id, m.memory_id, m.user_id, m.kind, m.memory_type, m.content, m.status, m.immutable, m.shared, m.source,
       m.revision, m.created_at, m.recorded_at, m.valid_from, m.valid_to, m.undecided, m.metadata, m.agent_id, m.session_id,
       m.created_by, m.charter_version, m.raw_input_id, m.write_id,
       ARRAY(SELECT e.to_memory_id FROM edges e WHERE e.tenant_id = m.tenant_id AND e.from_memory_id = m.memory_id
             AND e.type = 'SUPERSEDES' AND e.ended_at IS NULL ORDER BY e.at, e.edge_id) AS supersedes,
       (SELECT e.from_memory_id FROM edges e WHERE e.tenant_id = m.tenant_id AND e.to_memory_id = m.memory_id
        AND e.type = 'SUPERSEDES' AND e.ended_at IS NULL) AS superseded_by,
       ARRAY(SELECT CASE WHEN e.from_memory_id = m.memory_id THEN e.to_memory_id ELSE e.from_memory_id END FROM edges e
             WHERE e.tenant_id = m.tenant_id AND m.memory_id IN (e.from_memory_id, e.to_memory_id)
             AND e.type = 'SAME_AS' AND e.ended_at IS NULL ORDER BY e.at, e.edge_id) AS same_as,
       ARRAY(SELECT c.contradiction_id FROM contradictions c WHERE c.tenant_id = m.tenant_id AND c.status = 'open'
             AND m.memory_id IN (c.new_memory_id, c.existing_memory_id) ORDER BY c.contradiction_id) AS open_contradictions
FROM memories m;

-- The same, as it was at a moment: status, revision and finality from the last event until then, the text of that revision, and the
-- edges and disputes that stood. A memory that was not recorded yet is not there.
CREATE FUNCTION memory_records_at(tenant uuid, moment timestamptz) RETURNS TABLE (
  tenant_id uuid, memory_id uuid, user_id text, kind text, memory_type text, content text, status text, immutable boolean, shared boolean,
  source text, revision integer, created_at timestamptz, recorded_at timestamptz, valid_from timestamptz, valid_to timestamptz,
  undecided boolean, metadata jsonb, agent_id text, session_id text, created_by uuid, charter_version integer, raw_input_id uuid,
  write_id uuid, supersedes uuid[], superseded_by uuid, same_as uuid[], open_contradictions uuid[])
LANGUAGE sql STABLE AS $$
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

-- What a new statement may meet: current atoms with the vector of their current revision.
CREATE VIEW current_atoms WITH (security_invoker = true) AS
SELECT m.tenant_id, m.memory_id, m.user_id, m.kind, m.memory_type, m.content, m.status, m.immutable, m.shared, m.source,
       m.revision, m.recorded_at, m.valid_from, e.model, e.embedding,
       EXISTS (SELECT FROM contradictions c WHERE c.tenant_id = m.tenant_id AND c.status = 'open' AND c.new_memory_id = m.memory_id)
       OR EXISTS (SELECT FROM contradictions c WHERE c.tenant_id = m.tenant_id AND c.status = 'open' AND c.existing_memory_id = m.memory_id)
         AS disputed,
       ARRAY(SELECT CASE WHEN x.from_memory_id = m.memory_id THEN x.to_memory_id ELSE x.from_memory_id END FROM edges x
             WHERE x.tenant_id = m.tenant_id AND m.memory_id IN (x.from_memory_id, x.to_memory_id)
             AND x.type = 'SAME_AS' AND x.ended_at IS NULL) AS twins
FROM memories m JOIN embeddings e
  ON e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.revision = m.revision
WHERE m.kind = 'atom' AND m.status = 'active';

-- The service reads, appends, and changes only what a ruling or an answer may change. It never deletes, truncates or alters.
GRANT USAGE ON SCHEMA public TO helixir_service;
GRANT SELECT ON tenants, charter_versions, alembic_version TO helixir_service;
GRANT SELECT, INSERT ON charter_acts, revisions, embeddings, memory_events, contradiction_events, decisions,
  memories, edges, contradictions, writes, user_turns TO helixir_service;
GRANT SELECT ON memory_records, current_atoms TO helixir_service;
GRANT UPDATE (content, memory_type, status, immutable, source, revision, recorded_at, valid_to, undecided, folded)
  ON memories TO helixir_service;
GRANT UPDATE (ended_at) ON edges TO helixir_service;
GRANT UPDATE (version, status, existing_memory_id, existing_user_id, resolution, answer_content, contexts, note, answered_by, resolved_by,
  resolved_at, effects, learned, episode_id, rule_id, moot_cause) ON contradictions TO helixir_service;
GRANT UPDATE (status, running_until, finished_at, attempts, next_attempt_at, last_fault) ON writes TO helixir_service;
GRANT UPDATE (holder, expires_at) ON user_turns TO helixir_service;
GRANT SELECT, INSERT ON replays TO helixir_service;
GRANT UPDATE (fingerprint, subject, at) ON replays TO helixir_service;
REVOKE ALL ON FUNCTION authenticate(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate(bytea) TO helixir_service;
REVOKE ALL ON FUNCTION note_key_use(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_key_use(uuid, uuid) TO helixir_service;
GRANT SELECT, INSERT ON undecided_facts TO helixir_service;
GRANT UPDATE (attempts, next_attempt_at, running_until, decided_at) ON undecided_facts TO helixir_service;
GRANT SELECT, INSERT ON precedents, rule_proposals, rules, rule_uses, audit, outbox TO helixir_service;
GRANT UPDATE (status, decided_at, decided_by, reason, rule_id) ON rule_proposals TO helixir_service;
GRANT UPDATE (revoked_at, revoked_by) ON rules TO helixir_service;
REVOKE ALL ON FUNCTION register_constitution(integer, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION keep_protected() FROM PUBLIC;
REVOKE ALL ON FUNCTION erase_vectors(uuid, uuid[], integer[]) FROM PUBLIC;

-- The background worker serves all tenants, so it learns what is due, and nothing else, through these two functions. A claimed row is
-- nobody else's until its lease ends; SKIP LOCKED lets any number of processes claim at once.
CREATE FUNCTION claim_writes(lease double precision, most integer) RETURNS TABLE (tenant_id uuid, write_id uuid, key_id uuid, attempts integer)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.writes w SET running_until = clock_timestamp() + make_interval(secs => lease), attempts = w.attempts + 1
  FROM (SELECT d.tenant_id, d.write_id FROM public.writes d
        WHERE d.status <> 'completed' AND d.next_attempt_at <= clock_timestamp() AND d.running_until <= clock_timestamp()
        ORDER BY d.next_attempt_at LIMIT most FOR UPDATE SKIP LOCKED) due
  WHERE w.tenant_id = due.tenant_id AND w.write_id = due.write_id
  RETURNING w.tenant_id, w.write_id, w.key_id, w.attempts
$$;
CREATE FUNCTION claim_undecided(lease double precision, most integer) RETURNS TABLE (tenant_id uuid, memory_id uuid, attempts integer)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.undecided_facts u SET running_until = clock_timestamp() + make_interval(secs => lease), attempts = u.attempts + 1
  FROM (SELECT d.tenant_id, d.memory_id FROM public.undecided_facts d
        WHERE d.decided_at IS NULL AND d.next_attempt_at <= clock_timestamp() AND d.running_until <= clock_timestamp()
        ORDER BY d.next_attempt_at LIMIT most FOR UPDATE SKIP LOCKED) due
  WHERE u.tenant_id = due.tenant_id AND u.memory_id = due.memory_id
  RETURNING u.tenant_id, u.memory_id, u.attempts
$$;
REVOKE ALL ON FUNCTION claim_writes(double precision, integer), claim_undecided(double precision, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_writes(double precision, integer), claim_undecided(double precision, integer) TO helixir_service;

-- Keys that no longer count go, a batch at a time; what still counts stays, whoever calls this.
CREATE FUNCTION forget_replays(most integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH old AS (
    SELECT d.tenant_id, d.key_id, d.idempotency_key FROM public.replays d WHERE d.at < clock_timestamp() - interval '24 hours'
    ORDER BY d.at LIMIT most FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM public.replays r USING old
    WHERE r.tenant_id = old.tenant_id AND r.key_id = old.key_id AND r.idempotency_key = old.idempotency_key RETURNING 1
  )
  SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION forget_replays(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_replays(integer) TO helixir_service;
