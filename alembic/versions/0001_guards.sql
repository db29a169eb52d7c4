-- The operator's erase: the only act that replaces text in the history. It needs the tables' owner and says so itself.
CREATE FUNCTION erasing() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(current_setting('helixir.erase', true), '') = 'on'
    AND pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'public.memories'::regclass), 'MEMBER')
$$;

-- The only DELETE there is: the vectors of erased revisions. Row by row: revisions[i] is of memory_ids[i].
CREATE FUNCTION erase_vectors(tenant uuid, memory_ids uuid[], revisions integer[]) RETURNS bigint LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
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

-- C2 and C4. Errors of class HX name the article.
CREATE FUNCTION keep_memory() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER keep_memory BEFORE UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION keep_memory();

-- The current content of a memory is always a revision with that very text, checked when the transaction ends.
CREATE FUNCTION keep_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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
CREATE CONSTRAINT TRIGGER keep_revision AFTER INSERT OR UPDATE OF content, revision ON memories
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_revision();

-- History is append-only, for everybody but the operator's erase.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF public.erasing() THEN
    RETURN CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'C1: % is append-only', TG_TABLE_NAME USING ERRCODE = 'HX001';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON memory_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON contradiction_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON charter_acts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON charter_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON memories FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON edges FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON contradictions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON writes FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- An Idempotency-Key stands for its request for a day, whoever would have it stand for another one.
CREATE FUNCTION keep_replay() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.at >= clock_timestamp() - interval '24 hours' AND NOT public.erasing() THEN
    RAISE EXCEPTION 'an Idempotency-Key counts for 24 hours' USING ERRCODE = 'HX011';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER keep_replay BEFORE UPDATE OR DELETE ON replays FOR EACH ROW EXECUTE FUNCTION keep_replay();

-- A supersession stays within one user and makes no cycle.
CREATE FUNCTION keep_supersession() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER keep_supersession BEFORE INSERT ON edges FOR EACH ROW
  WHEN (NEW.type = 'SUPERSEDES' AND NEW.ended_at IS NULL) EXECUTE FUNCTION keep_supersession();

-- An edge only ever ends; a dispute that is no longer open is final.
CREATE FUNCTION keep_edge() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER keep_edge BEFORE UPDATE ON edges FOR EACH ROW EXECUTE FUNCTION keep_edge();

CREATE FUNCTION keep_answer() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT public.erasing() AND OLD.status <> 'open' AND NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'a settled dispute is final' USING ERRCODE = 'HX007';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER keep_answer BEFORE UPDATE ON contradictions FOR EACH ROW EXECUTE FUNCTION keep_answer();
CREATE FUNCTION keep_rule() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL THEN
    RAISE EXCEPTION 'C2: a rule only ever ends' USING ERRCODE = 'HX002';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER keep_rule BEFORE UPDATE ON rules FOR EACH ROW EXECUTE FUNCTION keep_rule();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON precedents FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON outbox FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON rule_uses FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON rules FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_delete BEFORE DELETE ON rule_proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- C3, when the transaction ends: a preference, goal or opinion that left `active` or changed its content needs, in this very
-- transaction, an event that names either a dispute
-- answered in it or an owner's audited act. Security definer: keys are not the service's to read.
CREATE FUNCTION keep_protected() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE CONSTRAINT TRIGGER keep_protected AFTER UPDATE ON memories
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.memory_type IN ('preference', 'goal', 'opinion') AND OLD.kind = 'atom' AND OLD.status = 'active'
        AND (NEW.status <> 'active' OR NEW.content IS DISTINCT FROM OLD.content OR NEW.memory_type <> OLD.memory_type))
  EXECUTE FUNCTION keep_protected();

-- A new constitution is a new draft: registering it tells every tenant, and each is back in defer mode until it approves it.
CREATE FUNCTION register_constitution(new_version integer, hash text, new_text text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO charter_versions (version, sha256, constitution) VALUES (new_version, hash, new_text);
  INSERT INTO outbox (tenant_id, event_id, type, payload)
    SELECT tenant_id, gen_random_uuid(), 'charter.changed', jsonb_build_object('version', new_version, 'sha256', hash) FROM tenants;
END
$$;
