/**
 * One script per schema version, in order; `user_version` counts those that have run. Released
 * scripts never change, and none drops a column with data (spec CS-96). Names, columns and indexes
 * come from the specification, except `chat_writers` and those of reviews and changes.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE chat_sessions (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    workspace_root TEXT,
    model_json TEXT,
    parent_id TEXT,
    parent_message_id TEXT,
    permissions_json TEXT NOT NULL DEFAULT '[]',
    metadata_json TEXT NOT NULL DEFAULT '{}',
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read INTEGER NOT NULL DEFAULT 0,
    cache_write INTEGER NOT NULL DEFAULT 0,
    total_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    archived_at INTEGER
  );
  CREATE INDEX chat_sessions_agent ON chat_sessions(agent, updated_at);
  CREATE INDEX chat_sessions_root ON chat_sessions(workspace_root, updated_at);
  CREATE INDEX chat_sessions_parent ON chat_sessions(parent_id);
  CREATE INDEX chat_sessions_archived ON chat_sessions(archived_at);

  CREATE TABLE chat_messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    metadata_json TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX chat_messages_session ON chat_messages(session_id, created_at);

  CREATE TABLE chat_parts (
    id TEXT PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES chat_messages(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    type TEXT NOT NULL,
    data_json TEXT NOT NULL,
    tool_call_id TEXT,
    tool_state TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX chat_parts_message ON chat_parts(message_id, "index");
  CREATE INDEX chat_parts_session ON chat_parts(session_id);
  CREATE INDEX chat_parts_tool_call ON chat_parts(tool_call_id);

  CREATE TABLE chat_writers (
    session_id TEXT PRIMARY KEY REFERENCES chat_sessions(id) ON DELETE CASCADE,
    writer TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
  );
  `,
  // Message pages are read in write order.
  'CREATE INDEX chat_messages_order ON chat_messages(session_id)',
  // Changes that wait for a review, and what became of a review until a message says so.
  `
  CREATE TABLE chat_proposals (
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    base_hash TEXT,
    base_text TEXT,
    base_stamp TEXT,
    text TEXT,
    conflict INTEGER NOT NULL DEFAULT 0,
    calls_json TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, path)
  );
  CREATE TABLE chat_review_outcomes (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    data_json TEXT NOT NULL,
    created_at INTEGER NOT NULL
  );
  `,
  // What calls changed, compressed, to revert it.
  `
  ALTER TABLE chat_proposals ADD COLUMN review_id TEXT NOT NULL DEFAULT '';
  CREATE TABLE chat_changes (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    path TEXT NOT NULL,
    before_text BLOB,
    after_text BLOB,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX chat_changes_call ON chat_changes(session_id, tool_call_id);
  `,
  // Changes that are on disk, and that the user reviews afterwards. The texts are compressed.
  `
  CREATE TABLE chat_unreviewed (
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    before_text BLOB,
    after_text BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, path)
  );
  `,
  // What calls changed that is no text, to revert it. `content`: the bytes of the file that was there.
  `
  CREATE TABLE chat_entries (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES chat_sessions(id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    path TEXT NOT NULL,
    before_json TEXT NOT NULL,
    after_json TEXT NOT NULL,
    content BLOB,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX chat_entries_call ON chat_entries(session_id, tool_call_id);
  `,
  // What of it awaits the user's review.
  `
  ALTER TABLE chat_entries ADD COLUMN unreviewed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX chat_entries_unreviewed ON chat_entries(session_id) WHERE unreviewed = 1;
  `,
  // What a session that is opened may have to close, so that its parts, which hold large outputs, aren't read.
  `
  CREATE INDEX chat_parts_open ON chat_parts(session_id)
    WHERE tool_state IN ('input-streaming', 'input-available', 'approval-responded');
  CREATE INDEX chat_parts_compactions ON chat_parts(session_id) WHERE type = 'data-compaction';
  `,
];
