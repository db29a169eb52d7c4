DROP FUNCTION memory_records_at(uuid, timestamptz);
DROP VIEW current_atoms;
DROP VIEW memory_records;
DROP FUNCTION charter_news(), vectors_by_model(), waiting();
DROP TABLE outbox, audit, rule_uses, rules, rule_proposals, precedents, user_turns, undecided_facts, memory_events, decisions, contradiction_events, contradictions,
  edges, embeddings, revisions, memories, writes, replays, charter_acts, charter_versions, api_keys CASCADE;
DROP FUNCTION authenticate(bytea);
DROP FUNCTION note_key_use(uuid, uuid);
DROP FUNCTION claim_writes(double precision, integer);
DROP FUNCTION claim_undecided(double precision, integer);
DROP FUNCTION forget_replays(integer);
DROP FUNCTION keep_replay();
DROP FUNCTION register_constitution(integer, text, text);
DROP TABLE tenants;
DROP FUNCTION current_tenant();
DROP FUNCTION keep_memory(), keep_revision(), refuse_change(), keep_supersession(), keep_edge(), keep_answer(), keep_rule(), keep_protected(),
  erasing(),
  erase_vectors(uuid, uuid[], integer[]);
