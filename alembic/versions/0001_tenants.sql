-- Tenants never meet: every table but the keys' shows and takes only rows of the tenant that the transaction has set with
-- set_config('helixir.tenant_id', …, true). Forced, so that it binds the tables' owner too, who has a policy of his own for migrations,
-- keys, erase, export and import. A transaction that set no tenant sees nothing.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(current_setting('helixir.tenant_id', true), '')::uuid
$$;

DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['tenants', 'charter_acts', 'writes', 'replays', 'memories', 'revisions', 'embeddings', 'edges', 'contradictions',
    'contradiction_events', 'decisions', 'memory_events', 'undecided_facts', 'user_turns', 'precedents', 'rule_proposals', 'rules',
    'rule_uses', 'audit', 'outbox'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format('CREATE POLICY own_tenant ON %I TO helixir_service USING (tenant_id = current_tenant()) '
                   'WITH CHECK (tenant_id = current_tenant())', guarded);
    EXECUTE format('CREATE POLICY operator ON %I TO CURRENT_USER USING (true) WITH CHECK (true)', guarded);
  END LOOP;
END
$$;

-- What a starting service says about the charter, counted over all tenants: numbers, no rows.
CREATE FUNCTION charter_news() RETURNS TABLE (version integer, sha256 text, waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT v.version, v.sha256, count(a.tenant_id)
  FROM (SELECT c.version, c.sha256 FROM public.charter_versions c ORDER BY c.version DESC LIMIT 1) v
  LEFT JOIN LATERAL (
    SELECT DISTINCT o.tenant_id FROM public.charter_acts o WHERE o.version < v.version AND o.act = 'approve'
      AND NOT EXISTS (SELECT FROM public.charter_acts n WHERE n.tenant_id = o.tenant_id AND n.version = v.version AND n.act = 'approve')
  ) a ON true
  GROUP BY v.version, v.sha256
$$;
REVOKE ALL ON FUNCTION charter_news() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION charter_news() TO helixir_service;

-- Which models made the vectors of current memories, over all tenants: names and numbers, no rows.
CREATE FUNCTION vectors_by_model() RETURNS TABLE (model text, dimensions integer, memories bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.model, max(vector_dims(e.embedding::vector)), count(*)
  FROM public.memories m JOIN public.embeddings e
    ON e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.revision = m.revision
  WHERE m.kind = 'atom' AND m.status = 'active'
  GROUP BY e.model
$$;
REVOKE ALL ON FUNCTION vectors_by_model() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vectors_by_model() TO helixir_service;

-- What waits, counted over all tenants, with the age of the oldest in seconds: numbers, no rows.
CREATE FUNCTION waiting() RETURNS TABLE (what text, waits bigint, oldest double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'disputes', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::double precision
    FROM public.contradictions WHERE status = 'open'
  UNION ALL
  SELECT 'undecided', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::double precision
    FROM public.undecided_facts WHERE decided_at IS NULL
  UNION ALL
  SELECT 'accepted', count(*), coalesce(extract(epoch FROM clock_timestamp() - min(accepted_at)), 0)::double precision
    FROM public.writes WHERE status = 'accepted'
$$;
REVOKE ALL ON FUNCTION waiting() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION waiting() TO helixir_service;
