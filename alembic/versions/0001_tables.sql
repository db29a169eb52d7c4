-- The schema of Helixir. tenant_id leads every key and index; history is append-only; what the constitution forbids is
-- refused here too, by constraints, triggers and privileges, whatever the service above does.

-- Roles. helixir_service holds the privileges of the running service; login roles are members of it.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'helixir_service') THEN
    CREATE ROLE helixir_service NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- another database of the same cluster was migrated at the same moment
END
$$;

CREATE TABLE tenants (
  tenant_id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE api_keys (
  tenant_id uuid NOT NULL REFERENCES tenants,
  key_id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('agent', 'owner', 'auditor')),
  secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  prefix text NOT NULL,
  can_answer boolean NOT NULL,
  user_ids text[] CHECK (cardinality(user_ids) > 0),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  PRIMARY KEY (tenant_id, key_id)
);

-- A key is looked up before its tenant is known, so this one function sees all tenants; nothing else does.
CREATE FUNCTION authenticate(hash bytea)
RETURNS TABLE (tenant_id uuid, tenant text, key_id uuid, role text, user_ids text[], can_answer boolean, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.tenant_id, t.name, k.key_id, k.role, k.user_ids, k.can_answer, k.expires_at
  FROM public.api_keys k JOIN public.tenants t ON t.tenant_id = k.tenant_id
  WHERE k.secret_hash = hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
$$;

-- Noted at most once a minute; a row that another transaction holds is left alone, so that no request waits for this.
CREATE FUNCTION note_key_use(tenant uuid, key uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.api_keys k SET last_used_at = clock_timestamp()
  FROM (SELECT d.key_id FROM public.api_keys d WHERE d.tenant_id = tenant AND d.key_id = key
        AND (d.last_used_at IS NULL OR d.last_used_at < clock_timestamp() - interval '50 seconds') FOR UPDATE SKIP LOCKED) due
  WHERE k.tenant_id = tenant AND k.key_id = due.key_id
$$;

CREATE TABLE charter_versions (
  version integer PRIMARY KEY CHECK (version > 0),
  sha256 text NOT NULL UNIQUE CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  constitution text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- An owner's acts on the charter: the latest one on the current version decides.
CREATE TABLE charter_acts (
  tenant_id uuid NOT NULL REFERENCES tenants,
  act_id uuid NOT NULL,
  version integer NOT NULL REFERENCES charter_versions,
  act text NOT NULL CHECK (act IN ('approve', 'withdraw')),
  sha256 text NOT NULL,
  actor uuid NOT NULL,
  reason text,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, act_id)
);
CREATE INDEX charter_acts_latest ON charter_acts (tenant_id, version, at DESC);

-- A write is safe here, whole, before any model is called.
CREATE TABLE writes (
  tenant_id uuid NOT NULL REFERENCES tenants,
  write_id uuid NOT NULL,
  key_id uuid NOT NULL,
  user_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('facts', 'message', 'edit')),
  body jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'accepted', 'completed')),
  raw_input_id uuid,
  accepted_at timestamptz NOT NULL,
  running_until timestamptz NOT NULL,
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  last_fault text,
  PRIMARY KEY (tenant_id, write_id),
  CHECK ((status = 'completed') = (finished_at IS NOT NULL))
);
CREATE INDEX writes_unfinished ON writes (next_attempt_at) WHERE status <> 'completed';

-- Which request claimed an Idempotency-Key: a hash of it, and the id of what it was about. Answers are composed anew, so no text is here.
CREATE TABLE replays (
  tenant_id uuid NOT NULL REFERENCES tenants,
  key_id uuid NOT NULL,
  idempotency_key text NOT NULL CHECK (char_length(idempotency_key) BETWEEN 1 AND 255),
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
  subject uuid NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key_id, idempotency_key)
);
CREATE INDEX replays_by_age ON replays (at);
CREATE INDEX replays_by_subject ON replays (tenant_id, subject);

CREATE TABLE memories (
  tenant_id uuid NOT NULL REFERENCES tenants,
  memory_id uuid NOT NULL,
  user_id text NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 256),
  kind text NOT NULL CHECK (kind IN ('atom', 'raw_input', 'seed', 'rule', 'episode')),
  memory_type text NOT NULL
    CHECK (memory_type IN ('fact', 'preference', 'skill', 'goal', 'opinion', 'experience', 'achievement', 'action')),
  content text NOT NULL CHECK (char_length(content) BETWEEN 1 AND 100000),
  status text NOT NULL CHECK (status IN ('active', 'superseded', 'withdrawn', 'held')),
  immutable boolean NOT NULL,
  shared boolean NOT NULL,
  source text NOT NULL CHECK (source IN ('user', 'agent', 'tool', 'document')),
  revision integer NOT NULL CHECK (revision > 0),
  created_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  valid_from timestamptz,
  valid_to timestamptz,
  undecided boolean NOT NULL DEFAULT false,
  metadata jsonb NOT NULL DEFAULT '{}',
  agent_id text,
  session_id text,
  created_by uuid,
  charter_version integer NOT NULL REFERENCES charter_versions,
  write_id uuid,
  raw_input_id uuid,
  folded bytea CHECK ((folded IS NOT NULL) = (kind = 'atom')),
  erased_at timestamptz,
  PRIMARY KEY (tenant_id, memory_id),
  CHECK (kind NOT IN ('seed', 'rule', 'raw_input') OR (immutable AND status = 'active')),
  CHECK (kind NOT IN ('seed', 'rule', 'episode') OR user_id = 'helixir'),
  CHECK (kind IN ('seed', 'rule', 'episode') OR user_id <> 'helixir'),
  FOREIGN KEY (tenant_id, raw_input_id) REFERENCES memories (tenant_id, memory_id)
);
-- The same text is current once: the proof that exact duplicates are one memory, whoever writes at the same moment.
CREATE UNIQUE INDEX memories_same_text ON memories (tenant_id, user_id, memory_type, folded, valid_from) NULLS NOT DISTINCT
  WHERE kind = 'atom' AND status IN ('active', 'held');
CREATE INDEX memories_withdrawn_text ON memories (tenant_id, user_id, memory_type, folded) WHERE kind = 'atom' AND status = 'withdrawn';
CREATE INDEX memories_by_user ON memories (tenant_id, user_id, status, kind, memory_id DESC);
CREATE INDEX memories_by_tenant ON memories (tenant_id, status, kind, memory_id DESC);
CREATE INDEX memories_shared ON memories (tenant_id, memory_id) WHERE shared AND kind = 'atom' AND status = 'active';

CREATE TABLE revisions (
  tenant_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  revision integer NOT NULL CHECK (revision > 0),
  content text NOT NULL,
  at timestamptz NOT NULL,
  actor uuid,
  reason text,
  decision_id uuid,
  contradiction_id uuid,
  PRIMARY KEY (tenant_id, memory_id, revision),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories
);

-- Vectors stand apart from memories, one for each revision and model, so that a model can be changed. Stored PLAIN: a
-- vector in the TOAST table makes a nearest-neighbour query many times slower.
CREATE TABLE embeddings (
  tenant_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  revision integer NOT NULL,
  model text NOT NULL,
  embedding halfvec NOT NULL,
  PRIMARY KEY (tenant_id, memory_id, revision, model),
  FOREIGN KEY (tenant_id, memory_id, revision) REFERENCES revisions
);
ALTER TABLE embeddings ALTER COLUMN embedding SET STORAGE PLAIN;

-- Typed edges. A CONTRADICTS edge has a life of its own and is a row of `contradictions`.
CREATE TABLE edges (
  tenant_id uuid NOT NULL,
  edge_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('SUPERSEDES', 'BECAUSE', 'SUPPORTS', 'DERIVED_FROM', 'SAME_AS')),
  from_memory_id uuid NOT NULL,
  to_memory_id uuid NOT NULL,
  at timestamptz NOT NULL,
  reason text,
  decision_id uuid,
  contradiction_id uuid,
  ended_at timestamptz,
  PRIMARY KEY (tenant_id, edge_id),
  CHECK (from_memory_id <> to_memory_id),
  FOREIGN KEY (tenant_id, from_memory_id) REFERENCES memories (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, to_memory_id) REFERENCES memories (tenant_id, memory_id)
);
CREATE UNIQUE INDEX edges_one_successor ON edges (tenant_id, to_memory_id) WHERE type = 'SUPERSEDES' AND ended_at IS NULL;
CREATE INDEX edges_from ON edges (tenant_id, from_memory_id, type);
CREATE INDEX edges_to ON edges (tenant_id, to_memory_id, type);

CREATE TABLE contradictions (
  tenant_id uuid NOT NULL,
  contradiction_id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  status text NOT NULL CHECK (status IN ('open', 'resolved', 'moot')),
  strategy text NOT NULL CHECK (strategy IN ('charter_deferred', 'charter_held', 'charter_flagged')),
  conflict_type text NOT NULL,
  articles text[] NOT NULL,
  pending_operation text NOT NULL
    CHECK (pending_operation IN ('UPDATE', 'SUPERSEDE', 'DELETE', 'CONTRADICT', 'CROSS_CONTRADICT')),
  pending_content text,
  pending_reason text NOT NULL,
  confidence integer NOT NULL CHECK (confidence BETWEEN 0 AND 100),
  new_memory_id uuid NOT NULL,
  existing_memory_id uuid NOT NULL,
  new_user_id text NOT NULL,
  existing_user_id text NOT NULL,
  decision_id uuid,
  created_at timestamptz NOT NULL,
  created_by uuid,
  resolution text CHECK (resolution IN ('retract', 'confirm', 'coexist', 'amend')),
  answer_content text,
  contexts jsonb,
  note text,
  answered_by text,
  resolved_by uuid,
  resolved_at timestamptz,
  effects jsonb,
  learned jsonb,
  episode_id uuid,
  rule_id uuid,
  moot_cause text,
  PRIMARY KEY (tenant_id, contradiction_id),
  CHECK (new_memory_id <> existing_memory_id OR status = 'moot'),
  CHECK ((status = 'resolved') = (resolution IS NOT NULL)),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
  CHECK ((status = 'moot') = (moot_cause IS NOT NULL)),
  FOREIGN KEY (tenant_id, new_memory_id) REFERENCES memories (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, existing_memory_id) REFERENCES memories (tenant_id, memory_id)
);
-- Exactly one open dispute joins a pair, whichever side came first.
CREATE UNIQUE INDEX contradictions_open_pair
  ON contradictions (tenant_id, (least(new_memory_id, existing_memory_id)), (greatest(new_memory_id, existing_memory_id)))
  WHERE status = 'open';
CREATE INDEX contradictions_new ON contradictions (tenant_id, new_memory_id);
CREATE INDEX contradictions_existing ON contradictions (tenant_id, existing_memory_id);
CREATE INDEX contradictions_open_by ON contradictions (tenant_id, created_by) WHERE status = 'open';
CREATE INDEX contradictions_by_status ON contradictions (tenant_id, status, contradiction_id DESC);

CREATE TABLE contradiction_events (
  tenant_id uuid NOT NULL,
  event_id uuid NOT NULL,
  contradiction_id uuid NOT NULL,
  at timestamptz NOT NULL,
  event text NOT NULL CHECK (event IN ('opened', 'asked_again', 'moved', 'resolved', 'moot')),
  version integer NOT NULL,
  actor uuid,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, event_id),
  FOREIGN KEY (tenant_id, contradiction_id) REFERENCES contradictions
);
CREATE INDEX contradiction_events_by_contradiction ON contradiction_events (tenant_id, contradiction_id, at);

CREATE TABLE decisions (
  tenant_id uuid NOT NULL,
  decision_id uuid NOT NULL,
  write_id uuid,
  position integer NOT NULL,
  user_id text NOT NULL,
  memory_id uuid,
  target_memory_id uuid,
  content text NOT NULL,
  memory_type text NOT NULL,
  tier text NOT NULL CHECK (tier IN ('exact', 'duplicate', 'new', 'engine')),
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
  charter_version integer NOT NULL REFERENCES charter_versions,
  mode text NOT NULL CHECK (mode IN ('defer', 'block')),
  at timestamptz NOT NULL,
  timings jsonb NOT NULL,
  PRIMARY KEY (tenant_id, decision_id)
);
CREATE INDEX decisions_by_memory ON decisions (tenant_id, memory_id, decision_id DESC);
CREATE INDEX decisions_by_target ON decisions (tenant_id, target_memory_id, decision_id DESC);
CREATE INDEX decisions_by_write ON decisions (tenant_id, write_id, position);
CREATE INDEX decisions_by_user ON decisions (tenant_id, user_id, decision_id DESC);

-- What happened to a memory, with the state that it had from then on: `as_of` is a query over these rows.
CREATE TABLE memory_events (
  tenant_id uuid NOT NULL,
  event_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  at timestamptz NOT NULL,
  event text NOT NULL,
  actor uuid,
  reason text,
  decision_id uuid,
  contradiction_id uuid,
  status text NOT NULL CHECK (status IN ('active', 'superseded', 'withdrawn', 'held')),
  revision integer NOT NULL,
  immutable boolean NOT NULL,
  source text,
  valid_to timestamptz,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, event_id),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories
);
CREATE INDEX memory_events_by_memory ON memory_events (tenant_id, memory_id, at, event_id);

-- Facts without a usable verdict: when each is to be decided again. A row ends when its memory is decided.
CREATE TABLE undecided_facts (
  tenant_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  since timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  running_until timestamptz NOT NULL DEFAULT '-infinity',
  decided_at timestamptz,
  PRIMARY KEY (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, memory_id) REFERENCES memories
);
CREATE INDEX undecided_facts_due ON undecided_facts (next_attempt_at) WHERE decided_at IS NULL;

-- Whose turn it is to write for a user, across processes.
CREATE TABLE user_turns (
  tenant_id uuid NOT NULL,
  user_id text NOT NULL,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

-- What an answered dispute was about: no text, so it stays when texts are erased.
CREATE TABLE precedents (
  tenant_id uuid NOT NULL,
  episode_id uuid NOT NULL,
  user_id text NOT NULL,
  operation text NOT NULL,
  new_type text NOT NULL,
  existing_type text NOT NULL,
  same_user boolean NOT NULL,
  resolution text NOT NULL CHECK (resolution IN ('retract', 'confirm', 'coexist', 'amend')),
  new_memory_id uuid NOT NULL,
  existing_memory_id uuid NOT NULL,
  contradiction_id uuid NOT NULL,
  articles text[] NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, episode_id),
  FOREIGN KEY (tenant_id, episode_id) REFERENCES memories (tenant_id, memory_id)
);
CREATE INDEX precedents_by_shape ON precedents (tenant_id, user_id, operation, new_type, existing_type, same_user, at);

CREATE TABLE rule_proposals (
  tenant_id uuid NOT NULL REFERENCES tenants,
  proposal_id uuid NOT NULL,
  user_id text NOT NULL,
  operation text NOT NULL,
  new_type text NOT NULL,
  existing_type text NOT NULL,
  same_user boolean NOT NULL,
  resolution text NOT NULL CHECK (resolution IN ('retract', 'confirm', 'coexist')),
  episodes uuid[] NOT NULL CHECK (cardinality(episodes) > 0),
  status text NOT NULL CHECK (status IN ('open', 'approved', 'rejected', 'lapsed')),
  created_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by uuid,
  reason text,
  rule_id uuid,
  PRIMARY KEY (tenant_id, proposal_id),
  CHECK ((status = 'open') = (decided_at IS NULL)),
  CHECK ((status = 'approved') = (rule_id IS NOT NULL))
);
CREATE UNIQUE INDEX rule_proposals_open ON rule_proposals (tenant_id, user_id, operation, new_type, existing_type, same_user)
  WHERE status = 'open';

-- A rule is a memory of kind `rule`; this is its shape. Revoking it is an event of that memory and the end of this row.
CREATE TABLE rules (
  tenant_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  scope text NOT NULL CHECK (scope IN ('user', 'tenant')),
  user_id text CHECK ((user_id IS NULL) = (scope = 'tenant')),
  operation text NOT NULL CHECK (operation IN ('CONTRADICT', 'CROSS_CONTRADICT')),
  new_type text NOT NULL,
  existing_type text NOT NULL,
  same_user boolean NOT NULL,
  resolution text NOT NULL CHECK (resolution IN ('retract', 'confirm', 'coexist')),
  created_at timestamptz NOT NULL,
  created_by uuid NOT NULL,
  revoked_at timestamptz,
  revoked_by uuid,
  PRIMARY KEY (tenant_id, rule_id),
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
  CHECK (same_user OR resolution = 'coexist'),
  FOREIGN KEY (tenant_id, rule_id) REFERENCES memories (tenant_id, memory_id)
);
CREATE UNIQUE INDEX rules_one_live ON rules (tenant_id, scope, user_id, operation, new_type, existing_type, same_user) NULLS NOT DISTINCT
  WHERE revoked_at IS NULL;

-- Each decision that a rule made: its use count.
CREATE TABLE rule_uses (
  tenant_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  decision_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, rule_id, decision_id),
  FOREIGN KEY (tenant_id, rule_id) REFERENCES rules,
  FOREIGN KEY (tenant_id, decision_id) REFERENCES decisions
);

-- Every use of an owner's or operator's power. `operator` names a command line's act, which has no key.
CREATE TABLE audit (
  tenant_id uuid NOT NULL REFERENCES tenants,
  audit_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor uuid,
  operator boolean NOT NULL DEFAULT false,
  act text NOT NULL,
  subject text NOT NULL,
  reason text,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, audit_id),
  CHECK (operator = (actor IS NULL))
);
CREATE INDEX audit_by_time ON audit (tenant_id, at DESC);

-- What happened, for those who listen: ids and words of the contract, no memory text. Written in the transaction of the act.
CREATE TABLE outbox (
  tenant_id uuid NOT NULL REFERENCES tenants,
  event_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('clarification.opened', 'contradiction.resolved', 'contradiction.moot', 'memory.superseded',
    'rule.proposed', 'rule.approved', 'rule.revoked', 'charter.approved', 'charter.changed', 'write.completed', 'write.undecided')),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  user_id text,
  payload jsonb NOT NULL,
  PRIMARY KEY (tenant_id, event_id)
);
