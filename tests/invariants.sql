-- What must hold in every state that the database can be in. Each row of the answer is one violation:
-- the invariant's name, the tenant, what breaks it, and a word more. No row: all is well.
-- A memory that the operator erased has no vector, and leaves though it is protected or final.
WITH RECURSIVE
live AS (
  SELECT * FROM edges WHERE type = 'SUPERSEDES' AND ended_at IS NULL
),
later AS (
  SELECT tenant_id, to_memory_id AS start, from_memory_id AS memory_id FROM live
  UNION
  SELECT w.tenant_id, w.start, e.from_memory_id FROM later w
  JOIN live e ON e.tenant_id = w.tenant_id AND e.to_memory_id = w.memory_id
),
successors AS (
  SELECT m.tenant_id, m.memory_id, m.status, count(e.edge_id) AS live
  FROM memories m LEFT JOIN live e ON e.tenant_id = m.tenant_id AND e.to_memory_id = m.memory_id
  GROUP BY m.tenant_id, m.memory_id, m.status
),
told AS (
  SELECT e.*,
    row_number() OVER history AS place,
    count(*) OVER (PARTITION BY tenant_id, memory_id) AS events,
    lag(status) OVER history AS status_before,
    lag(revision) OVER history AS revision_before,
    lag(immutable) OVER history AS immutable_before
  FROM memory_events e
  WINDOW history AS (PARTITION BY tenant_id, memory_id ORDER BY at, event_id)
),
protected AS (
  SELECT tenant_id, memory_id FROM memories WHERE memory_type IN ('preference', 'goal', 'opinion') AND erased_at IS NULL
),
-- Answers that a named principal gave; a learned rule's answer is none.
answered AS (
  SELECT * FROM contradictions WHERE status = 'resolved' AND resolved_by IS NOT NULL AND rule_id IS NULL
),
dispute_told AS (
  SELECT e.*,
    row_number() OVER (PARTITION BY tenant_id, contradiction_id ORDER BY at, event_id) AS place,
    count(*) OVER (PARTITION BY tenant_id, contradiction_id) AS events
  FROM contradiction_events e
),
violations (invariant, tenant_id, subject, detail) AS (
  -- Content, revisions, vectors
  SELECT 'content_is_the_current_revision', m.tenant_id, m.memory_id, m.revision::text FROM memories m
  LEFT JOIN revisions r ON (r.tenant_id, r.memory_id, r.revision) = (m.tenant_id, m.memory_id, m.revision)
  WHERE r.content IS DISTINCT FROM m.content
  UNION ALL
  SELECT 'revisions_run_from_one_to_the_current', m.tenant_id, m.memory_id, count(r.revision)::text FROM memories m
  LEFT JOIN revisions r ON (r.tenant_id, r.memory_id) = (m.tenant_id, m.memory_id)
  GROUP BY m.tenant_id, m.memory_id, m.revision
  HAVING count(r.revision) <> m.revision OR min(r.revision) IS DISTINCT FROM 1 OR max(r.revision) IS DISTINCT FROM m.revision
  UNION ALL
  SELECT 'each_atom_revision_has_a_vector', r.tenant_id, r.memory_id, r.revision::text FROM revisions r
  JOIN memories m ON (m.tenant_id, m.memory_id) = (r.tenant_id, r.memory_id) AND m.kind = 'atom' AND m.erased_at IS NULL
  WHERE NOT EXISTS (SELECT FROM embeddings e WHERE (e.tenant_id, e.memory_id, e.revision) = (r.tenant_id, r.memory_id, r.revision))
  UNION ALL
  SELECT 'vectors_have_length_one', e.tenant_id, e.memory_id, e.revision::text FROM embeddings e
  WHERE NOT (l2_norm(e.embedding) BETWEEN 0.99 AND 1.01)
  UNION ALL
  SELECT 'vectors_of_a_model_have_one_size', e.tenant_id, NULL, e.model FROM embeddings e
  GROUP BY e.tenant_id, e.model HAVING count(DISTINCT vector_dims(e.embedding::vector)) > 1

  -- History
  UNION ALL
  SELECT 'each_memory_has_a_first_event', m.tenant_id, m.memory_id, NULL FROM memories m
  WHERE NOT EXISTS (
    SELECT FROM told t WHERE (t.tenant_id, t.memory_id) = (m.tenant_id, m.memory_id) AND t.place = 1 AND t.revision = 1)
  UNION ALL
  SELECT 'the_last_event_tells_the_present_state', m.tenant_id, m.memory_id, t.event FROM memories m
  JOIN told t ON (t.tenant_id, t.memory_id) = (m.tenant_id, m.memory_id) AND t.place = t.events
  WHERE (t.status, t.revision, t.immutable) IS DISTINCT FROM (m.status, m.revision, m.immutable)
  UNION ALL
  SELECT 'each_revision_is_told_by_an_event', r.tenant_id, r.memory_id, r.revision::text FROM revisions r
  WHERE NOT EXISTS (SELECT FROM told t WHERE (t.tenant_id, t.memory_id, t.revision) = (r.tenant_id, r.memory_id, r.revision))
  UNION ALL
  SELECT 'revisions_never_go_back', t.tenant_id, t.memory_id, t.event FROM told t WHERE t.revision < t.revision_before
  UNION ALL
  SELECT 'a_final_memory_never_changes', t.tenant_id, t.memory_id, t.event FROM told t
  WHERE t.immutable AND t.immutable_before AND (t.status, t.revision) IS DISTINCT FROM (t.status_before, t.revision_before)
    AND t.event <> 'erased'
  UNION ALL
  SELECT 'seeds_rules_and_raw_inputs_are_as_they_came', m.tenant_id, m.memory_id, m.kind FROM memories m
  WHERE m.kind IN ('seed', 'rule', 'raw_input') AND NOT (m.immutable AND m.status = 'active' AND m.revision = 1)
  UNION ALL
  SELECT 'validity_ends_with_the_memory', m.tenant_id, m.memory_id, m.status FROM memories m
  WHERE (m.status = 'superseded' AND m.valid_to IS NULL) OR (m.status IN ('active', 'held') AND m.valid_to IS NOT NULL)

  -- Supersession
  UNION ALL
  SELECT 'at_most_one_live_successor', s.tenant_id, s.memory_id, s.live::text FROM successors s WHERE s.live > 1
  UNION ALL
  SELECT 'a_superseded_memory_has_its_successor', s.tenant_id, s.memory_id, s.live::text FROM successors s
  WHERE s.status = 'superseded' AND s.live <> 1
  UNION ALL
  SELECT 'a_current_memory_has_no_successor', s.tenant_id, s.memory_id, s.status FROM successors s
  WHERE s.status IN ('active', 'held') AND s.live <> 0
  UNION ALL
  SELECT 'supersession_has_no_cycle', w.tenant_id, w.start, NULL FROM later w WHERE w.start = w.memory_id
  UNION ALL
  SELECT 'supersession_stays_with_one_user', e.tenant_id, e.edge_id, NULL FROM edges e
  JOIN memories a ON (a.tenant_id, a.memory_id) = (e.tenant_id, e.from_memory_id)
  JOIN memories b ON (b.tenant_id, b.memory_id) = (e.tenant_id, e.to_memory_id)
  WHERE e.type = 'SUPERSEDES' AND a.user_id <> b.user_id
  UNION ALL
  SELECT 'only_atoms_supersede_atoms', e.tenant_id, e.edge_id, a.kind || ' ' || b.kind FROM edges e
  JOIN memories a ON (a.tenant_id, a.memory_id) = (e.tenant_id, e.from_memory_id)
  JOIN memories b ON (b.tenant_id, b.memory_id) = (e.tenant_id, e.to_memory_id)
  WHERE e.type = 'SUPERSEDES' AND NOT (a.kind = 'atom' AND b.kind = 'atom')

  -- Disputes
  UNION ALL
  SELECT 'one_open_dispute_a_pair', c.tenant_id, min(c.contradiction_id::text)::uuid, count(*)::text FROM contradictions c
  WHERE c.status = 'open'
  GROUP BY c.tenant_id, least(c.new_memory_id, c.existing_memory_id), greatest(c.new_memory_id, c.existing_memory_id)
  HAVING count(*) > 1
  UNION ALL
  SELECT 'an_open_dispute_joins_current_memories', c.tenant_id, c.contradiction_id, n.status || ' ' || x.status FROM contradictions c
  JOIN memories n ON (n.tenant_id, n.memory_id) = (c.tenant_id, c.new_memory_id)
  JOIN memories x ON (x.tenant_id, x.memory_id) = (c.tenant_id, c.existing_memory_id)
  WHERE c.status = 'open' AND NOT (n.status IN ('active', 'held') AND (x.status = 'active' OR x.immutable OR x.kind = 'raw_input'))
  UNION ALL
  SELECT 'a_dispute_names_the_users_of_its_sides', c.tenant_id, c.contradiction_id, NULL FROM contradictions c
  JOIN memories n ON (n.tenant_id, n.memory_id) = (c.tenant_id, c.new_memory_id)
  JOIN memories x ON (x.tenant_id, x.memory_id) = (c.tenant_id, c.existing_memory_id)
  WHERE (c.new_user_id, c.existing_user_id) IS DISTINCT FROM (n.user_id, x.user_id)
  UNION ALL
  SELECT 'an_open_dispute_has_no_answer', c.tenant_id, c.contradiction_id, NULL FROM contradictions c
  WHERE c.status = 'open' AND NOT (c.resolution IS NULL AND c.resolved_at IS NULL AND c.resolved_by IS NULL AND c.effects IS NULL
    AND c.episode_id IS NULL AND c.moot_cause IS NULL)
  UNION ALL
  SELECT 'an_answer_says_who_when_and_with_what_effect', c.tenant_id, c.contradiction_id, c.resolution FROM contradictions c
  WHERE c.status = 'resolved' AND (c.resolution IS NULL OR c.resolved_at IS NULL OR c.effects IS NULL
    OR (c.resolved_by IS NULL AND c.rule_id IS NULL))
  UNION ALL
  SELECT 'an_answer_is_an_episode', c.tenant_id, c.contradiction_id, NULL FROM answered c
  WHERE NOT EXISTS (SELECT FROM memories p WHERE (p.tenant_id, p.memory_id) = (c.tenant_id, c.episode_id) AND p.kind = 'episode')
    OR (SELECT count(*) FROM edges e WHERE e.tenant_id = c.tenant_id AND e.from_memory_id = c.episode_id AND e.type = 'SUPPORTS') <> 2
  UNION ALL
  SELECT 'a_moot_dispute_has_a_cause', c.tenant_id, c.contradiction_id, NULL FROM contradictions c
  WHERE c.status = 'moot' AND coalesce(c.moot_cause, '') = ''
  UNION ALL
  SELECT 'a_dispute_begins_by_being_opened', c.tenant_id, c.contradiction_id, NULL FROM contradictions c
  WHERE NOT EXISTS (SELECT FROM dispute_told t WHERE (t.tenant_id, t.contradiction_id) = (c.tenant_id, c.contradiction_id)
    AND t.place = 1 AND t.event = 'opened')
  UNION ALL
  SELECT 'the_last_event_of_a_dispute_tells_its_state', c.tenant_id, c.contradiction_id, t.event FROM contradictions c
  JOIN dispute_told t ON (t.tenant_id, t.contradiction_id) = (c.tenant_id, c.contradiction_id) AND t.place = t.events
  WHERE t.version <> c.version OR (c.status = 'resolved') <> (t.event = 'resolved') OR (c.status = 'moot') <> (t.event = 'moot')

  -- Held and undecided
  UNION ALL
  SELECT 'a_held_memory_waits_for_something', m.tenant_id, m.memory_id, NULL FROM memories m
  WHERE m.status = 'held' AND NOT m.undecided AND NOT EXISTS (
    SELECT FROM contradictions c WHERE c.tenant_id = m.tenant_id AND c.new_memory_id = m.memory_id
    AND c.status = 'open' AND c.strategy = 'charter_held')
  UNION ALL
  SELECT 'only_current_atoms_are_undecided', m.tenant_id, m.memory_id, m.status FROM memories m
  WHERE m.undecided AND NOT (m.kind = 'atom' AND m.status IN ('active', 'held'))

  -- Decisions and writes
  UNION ALL
  SELECT 'a_decision_names_memories_that_exist', d.tenant_id, d.decision_id, d.outcome FROM decisions d
  WHERE d.memory_id IS NULL
    OR NOT EXISTS (SELECT FROM memories m WHERE (m.tenant_id, m.memory_id) = (d.tenant_id, d.memory_id))
    OR (d.target_memory_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM memories m WHERE (m.tenant_id, m.memory_id) = (d.tenant_id, d.target_memory_id)))
  UNION ALL
  SELECT 'a_deferral_opens_one_dispute', d.tenant_id, d.decision_id, d.outcome FROM decisions d
  WHERE d.outcome IN ('deferred', 'held')
    AND (SELECT count(*) FROM contradictions c WHERE c.tenant_id = d.tenant_id AND c.decision_id = d.decision_id) <> 1
  UNION ALL
  SELECT 'each_fact_of_a_finished_write_is_decided', w.tenant_id, w.write_id, w.kind FROM writes w
  WHERE w.status = 'completed' AND w.kind = 'facts' AND jsonb_array_length(w.body -> 'facts') <>
    (SELECT count(DISTINCT d.position) FROM decisions d WHERE d.tenant_id = w.tenant_id AND d.write_id = w.write_id)
  UNION ALL
  SELECT 'a_message_is_kept_whole', w.tenant_id, w.write_id, NULL FROM writes w
  LEFT JOIN memories m ON (m.tenant_id, m.memory_id) = (w.tenant_id, w.raw_input_id) AND m.kind = 'raw_input'
  WHERE w.kind = 'message' AND (m.content IS DISTINCT FROM w.body ->> 'message' OR m.user_id IS DISTINCT FROM w.user_id)
  UNION ALL
  SELECT 'an_atom_of_a_message_is_derived_from_it', m.tenant_id, m.memory_id, NULL FROM memories m
  WHERE m.raw_input_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM edges e JOIN memories r ON (r.tenant_id, r.memory_id) = (e.tenant_id, e.to_memory_id)
    WHERE e.tenant_id = m.tenant_id AND e.from_memory_id = m.memory_id AND e.to_memory_id = m.raw_input_id
      AND e.type = 'DERIVED_FROM' AND r.kind = 'raw_input' AND r.user_id = m.user_id)
  UNION ALL
  SELECT 'the_same_text_is_current_once', m.tenant_id, min(m.memory_id::text)::uuid, count(*)::text FROM memories m
  WHERE m.kind = 'atom' AND m.status IN ('active', 'held')
  GROUP BY m.tenant_id, m.user_id, m.memory_type, m.folded, m.valid_from HAVING count(*) > 1

  -- The constitution
  UNION ALL
  SELECT 'no_rewrite_under_seventy', d.tenant_id, d.decision_id, d.confidence::text FROM decisions d
  WHERE d.outcome IN ('updated', 'superseded') AND coalesce(d.confidence, 0) < 70
  UNION ALL
  SELECT 'a_protected_memory_leaves_by_an_answer_or_its_owner', t.tenant_id, t.memory_id, t.event FROM told t
  JOIN protected p USING (tenant_id, memory_id)
  WHERE ((t.status_before = 'active' AND t.status <> 'active') OR t.revision > t.revision_before)
    AND NOT EXISTS (SELECT FROM answered a WHERE (a.tenant_id, a.contradiction_id) = (t.tenant_id, t.contradiction_id))
    AND NOT (t.decision_id IS NULL AND EXISTS (
      SELECT FROM api_keys k WHERE (k.tenant_id, k.key_id) = (t.tenant_id, t.actor) AND k.role = 'owner'))
  UNION ALL
  SELECT 'a_protected_memory_takes_no_place_silently', e.tenant_id, e.edge_id, NULL FROM edges e
  JOIN protected p ON (p.tenant_id, p.memory_id) IN ((e.tenant_id, e.from_memory_id), (e.tenant_id, e.to_memory_id))
  WHERE e.type = 'SUPERSEDES' AND e.decision_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM answered a WHERE (a.tenant_id, a.contradiction_id) = (e.tenant_id, e.contradiction_id))
)
SELECT invariant, tenant_id, subject, detail FROM violations ORDER BY invariant, tenant_id, subject
