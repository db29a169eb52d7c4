-- The new check is wider than the old one, so no row needs to be looked at before it holds.
-- squawk-ignore ban-drop-constraint
ALTER TABLE writes DROP CONSTRAINT writes_status_check;
ALTER TABLE writes ADD CONSTRAINT writes_status_check CHECK (status IN ('running', 'accepted', 'completed', 'set_aside')) NOT VALID;

-- Only the operator sets aside and takes up: the service can bring no write into that status, and none out of it.
CREATE POLICY set_aside_by_the_operator ON writes AS RESTRICTIVE FOR UPDATE TO helixir_service
  USING (status <> 'set_aside') WITH CHECK (status <> 'set_aside');

CREATE OR REPLACE FUNCTION claim_writes(lease double precision, most integer)
RETURNS TABLE (tenant_id uuid, write_id uuid, key_id uuid, attempts integer)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.writes w SET running_until = clock_timestamp() + make_interval(secs => lease), attempts = w.attempts + 1
  FROM (SELECT d.tenant_id, d.write_id FROM public.writes d
        WHERE d.status <> 'completed' AND d.status <> 'set_aside'
          AND d.next_attempt_at <= clock_timestamp() AND d.running_until <= clock_timestamp()
        ORDER BY d.next_attempt_at LIMIT most FOR UPDATE SKIP LOCKED) due
  WHERE w.tenant_id = due.tenant_id AND w.write_id = due.write_id
  RETURNING w.tenant_id, w.write_id, w.key_id, w.attempts
$$;
