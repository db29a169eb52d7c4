-- Laws of the charter's section 7 that one state of the database can show, beyond tests/invariants.sql.
-- Each row of the answer is one violation: the law's name, the tenant, what breaks it, and a word more.
WITH
told AS (
  SELECT e.*,
    lag(e.status) OVER history AS status_before,
    lag(e.revision) OVER history AS revision_before,
    lag(e.immutable) OVER history AS immutable_before
  FROM memory_events e
  WINDOW history AS (PARTITION BY tenant_id, memory_id ORDER BY at, event_id)
),
-- What each decision was about: every type that either side was declared, stored or judged to have.
judged AS (
  SELECT d.*, d.confidence >= greatest(70, (d.thresholds ->> 'low_confidence')::integer) AS sure,
    ARRAY[d.memory_type, t.memory_type, d.verdict ->> 'new_type', d.verdict ->> 'target_type']
      && ARRAY['preference', 'goal', 'opinion'] AS protected
  FROM decisions d LEFT JOIN memories t ON (t.tenant_id, t.memory_id) = (d.tenant_id, d.target_memory_id)
),
by_rule AS (
  SELECT c.*, n.memory_type AS new_type, x.memory_type AS existing_type, r.resolution AS ruled, d.sure
  FROM contradictions c
  JOIN memories n ON (n.tenant_id, n.memory_id) = (c.tenant_id, c.new_memory_id)
  JOIN memories x ON (x.tenant_id, x.memory_id) = (c.tenant_id, c.existing_memory_id)
  JOIN judged d ON (d.tenant_id, d.decision_id) = (c.tenant_id, c.decision_id)
  LEFT JOIN rules r ON (r.tenant_id, r.rule_id) = (c.tenant_id, c.rule_id)
  WHERE c.rule_id IS NOT NULL
),
answered AS (
  SELECT c.*,
    (SELECT count(*) FROM precedents p WHERE p.tenant_id = c.tenant_id AND p.contradiction_id = c.contradiction_id) AS episodes,
    (SELECT count(*) FROM contradiction_events e WHERE e.tenant_id = c.tenant_id AND e.contradiction_id = c.contradiction_id
      AND e.event IN ('resolved', 'moot')) AS ends,
    (SELECT count(*) FROM edges e WHERE e.tenant_id = c.tenant_id AND e.contradiction_id = c.contradiction_id
      AND e.type = 'SUPERSEDES') AS superseded,
    (SELECT count(*) FROM told t WHERE t.tenant_id = c.tenant_id AND t.contradiction_id = c.contradiction_id
      AND t.status = 'withdrawn' AND t.status_before <> 'withdrawn') AS withdrawn,
    (SELECT count(*) FROM revisions r WHERE r.tenant_id = c.tenant_id AND r.contradiction_id = c.contradiction_id
      AND r.revision > 1) AS revised
  FROM contradictions c WHERE c.status <> 'open'
),
violations (law, tenant_id, subject, detail) AS (
  SELECT 'no_low_confidence_rewrite', tenant_id, decision_id, confidence::text FROM judged
  WHERE outcome IN ('updated', 'superseded') AND sure IS NOT TRUE
  UNION ALL
  SELECT 'no_low_confidence_rewrite', tenant_id, decision_id, 'a repeat at ' || coalesce(confidence::text, 'no confidence') FROM judged
  WHERE outcome = 'deduplicated' AND tier = 'engine' AND coalesce(confidence, 0) < 70
  UNION ALL
  SELECT 'no_silent_protected_rewrite', tenant_id, decision_id, outcome FROM judged
  WHERE outcome IN ('updated', 'superseded') AND protected
  UNION ALL
  SELECT 'no_silent_protected_rewrite', t.tenant_id, t.memory_id, t.event FROM told t
  JOIN memories m ON (m.tenant_id, m.memory_id) = (t.tenant_id, t.memory_id) AND m.memory_type IN ('preference', 'goal', 'opinion')
  WHERE ((t.status_before = 'active' AND t.status <> 'active') OR t.revision > t.revision_before)
    AND NOT EXISTS (
      SELECT FROM contradictions c WHERE (c.tenant_id, c.contradiction_id) = (t.tenant_id, t.contradiction_id)
      AND c.status = 'resolved' AND c.resolved_by IS NOT NULL AND c.rule_id IS NULL)
    AND NOT EXISTS (
      SELECT FROM audit a JOIN api_keys k ON (k.tenant_id, k.key_id) = (a.tenant_id, a.actor) AND k.role = 'owner'
      WHERE a.tenant_id = t.tenant_id AND a.actor = t.actor AND a.act IN ('edit', 'withdraw', 'restore')
        AND (a.subject = t.memory_id::text OR a.detail -> 'superseded' ? t.memory_id::text))
  UNION ALL
  SELECT 'immutable_is_immutable', t.tenant_id, t.memory_id, t.event FROM told t
  WHERE t.immutable_before AND ((t.status, t.revision) IS DISTINCT FROM (t.status_before, t.revision_before)
    OR (NOT t.immutable AND t.event <> 'unfinalized'))
  UNION ALL
  SELECT 'deferral_keeps_both', c.tenant_id, c.contradiction_id, n.status || ' ' || x.status FROM contradictions c
  JOIN memories n ON (n.tenant_id, n.memory_id) = (c.tenant_id, c.new_memory_id)
  JOIN memories x ON (x.tenant_id, x.memory_id) = (c.tenant_id, c.existing_memory_id)
  WHERE c.status = 'open' AND (x.status <> 'active'
    OR n.status <> CASE c.strategy WHEN 'charter_held' THEN 'held' ELSE 'active' END)
  UNION ALL
  SELECT 'resolution_is_final_and_single', a.tenant_id, a.contradiction_id, 'ends: ' || a.ends FROM answered a WHERE a.ends <> 1
  UNION ALL
  SELECT 'resolution_is_final_and_single', a.tenant_id, a.contradiction_id, 'episodes: ' || a.episodes FROM answered a
  WHERE a.episodes <> CASE WHEN a.status = 'resolved' AND a.rule_id IS NULL THEN 1 ELSE 0 END
  UNION ALL
  SELECT 'resolution_is_final_and_single', a.tenant_id, a.contradiction_id, format('%s: %s', a.resolution, a) FROM answered a
  WHERE a.rule_id IS NULL AND (a.superseded, a.withdrawn) IS DISTINCT FROM
    CASE a.resolution WHEN 'retract' THEN (1::bigint, 0::bigint) WHEN 'confirm' THEN (0::bigint, 1::bigint)
      WHEN 'amend' THEN (2::bigint, 0::bigint) ELSE (0::bigint, 0::bigint) END
  UNION ALL
  SELECT 'resolution_is_final_and_single', a.tenant_id, a.contradiction_id, 'revisions: ' || a.revised FROM answered a
  WHERE a.revised > CASE WHEN a.resolution = 'retract' AND a.pending_content IS NOT NULL THEN 1 ELSE 0 END
  UNION ALL
  SELECT 'rules_never_outrank_the_constitution', b.tenant_id, b.contradiction_id, b.pending_operation FROM by_rule b
  WHERE b.articles <> '{}' OR b.pending_operation NOT IN ('CONTRADICT', 'CROSS_CONTRADICT') OR b.ruled IS DISTINCT FROM b.resolution
    OR b.strategy <> 'charter_flagged'
    OR (b.new_user_id <> b.existing_user_id AND b.resolution <> 'coexist')
    OR (b.pending_operation = 'CONTRADICT'
      AND ARRAY[b.new_type, b.existing_type] && ARRAY['preference', 'goal', 'opinion'])
    OR (b.resolution = 'retract' AND b.sure IS NOT TRUE)
  UNION ALL
  SELECT 'rules_never_outrank_the_constitution', d.tenant_id, d.decision_id, d.operation FROM judged d
  WHERE d.rules <> '{}' AND (d.articles <> '{}' OR (d.protected AND d.operation <> 'CROSS_CONTRADICT'))
  UNION ALL
  SELECT 'rules_never_outrank_the_constitution', r.tenant_id, r.rule_id, 'a rule with no episode behind it' FROM rules r
  WHERE NOT EXISTS (SELECT FROM edges e JOIN memories m ON (m.tenant_id, m.memory_id) = (e.tenant_id, e.to_memory_id)
      WHERE e.tenant_id = r.tenant_id AND e.from_memory_id = r.rule_id AND e.type = 'BECAUSE' AND m.kind = 'episode')
    AND NOT EXISTS (SELECT FROM told t WHERE (t.tenant_id, t.memory_id) = (r.tenant_id, r.rule_id) AND t.reason = 'smuggled')
  UNION ALL
  SELECT 'history_is_complete', t.tenant_id, t.memory_id, t.event FROM told t
  WHERE (t.status, t.revision, t.immutable) IS DISTINCT FROM (t.status_before, t.revision_before, t.immutable_before)
    AND t.status_before IS NOT NULL
    AND (t.actor IS NULL OR (t.reason IS NULL AND t.decision_id IS NULL AND t.contradiction_id IS NULL))
  UNION ALL
  SELECT 'history_is_complete', r.tenant_id, r.memory_id, 'a revision that no event of its moment tells' FROM revisions r
  WHERE NOT EXISTS (SELECT FROM told t WHERE (t.tenant_id, t.memory_id, t.revision, t.at) = (r.tenant_id, r.memory_id, r.revision, r.at)
    AND t.actor IS NOT DISTINCT FROM r.actor)
  UNION ALL
  SELECT 'tenants_never_meet', d.tenant_id, d.decision_id, x ->> 'memory_id' FROM decisions d
  CROSS JOIN LATERAL (
    SELECT jsonb_array_elements(d.candidates) UNION ALL SELECT jsonb_build_object('memory_id', d.target_memory_id)
    WHERE d.target_memory_id IS NOT NULL) AS met (x)
  WHERE NOT EXISTS (SELECT FROM memories m WHERE m.tenant_id = d.tenant_id AND m.memory_id = (x ->> 'memory_id')::uuid
      AND (m.user_id = d.user_id OR m.shared))
    -- A dropped draft of the same write was a candidate for its later facts.
    AND NOT EXISTS (SELECT FROM decisions s WHERE s.tenant_id = d.tenant_id AND s.write_id = d.write_id AND s.position < d.position
      AND s.content = x ->> 'content')
  UNION ALL
  SELECT 'tenants_never_meet', a.tenant_id, a.actor, 'a key of nobody here' FROM (
    SELECT tenant_id, actor FROM memory_events UNION SELECT tenant_id, actor FROM revisions
    UNION SELECT tenant_id, actor FROM contradiction_events UNION SELECT tenant_id, actor FROM audit
    UNION SELECT tenant_id, resolved_by FROM contradictions UNION SELECT tenant_id, created_by FROM memories) a
  WHERE a.actor IS NOT NULL AND NOT EXISTS (SELECT FROM api_keys k WHERE (k.tenant_id, k.key_id) = (a.tenant_id, a.actor))
)
SELECT law, tenant_id, subject, detail FROM violations ORDER BY law, tenant_id, subject
