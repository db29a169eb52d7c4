CREATE OR REPLACE FUNCTION vectors_by_model() RETURNS TABLE (model text, dimensions integer, memories bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.model, max(vector_dims(e.embedding::vector)), count(*)
  FROM public.memories m JOIN public.embeddings e
    ON e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.revision = m.revision
  WHERE m.kind = 'atom' AND m.status = 'active'
  GROUP BY e.model
$$;
