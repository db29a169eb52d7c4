-- A starting service looks at the newest current memories, some ten thousand over all tenants, and not at all of them: with
-- some millions the look at all took longer than a statement may. OFFSET 0 keeps the planner from reading all vectors for them.
CREATE OR REPLACE FUNCTION vectors_by_model() RETURNS TABLE (model text, dimensions integer, memories bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
