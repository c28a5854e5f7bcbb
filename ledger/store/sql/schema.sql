-- The whole schema as a new ledger gets it. Older ledgers reach the same by the numbered migrations.

CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    oldest_compatible_version INTEGER NOT NULL CHECK (oldest_compatible_version >= 1),
    incarnation TEXT CHECK (incarnation <> ''),
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    refusals_anchor_number INTEGER NOT NULL CHECK (refusals_anchor_number >= 0),
    refusals_anchor_hash BLOB NOT NULL CHECK (length(refusals_anchor_hash) = 32),
    CHECK ((incarnation IS NULL) = (epoch = 0))
) STRICT;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    goal_id TEXT CHECK (goal_id <> ''),
    kind TEXT NOT NULL CHECK (kind <> ''),
    body BLOB NOT NULL CHECK (length(body) > 0),
    words BLOB,
    salt BLOB,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    CHECK ((words IS NULL) = (salt IS NULL))
) STRICT;

CREATE INDEX event_by_goal ON event (goal_id, seq) WHERE goal_id IS NOT NULL;

CREATE INDEX event_of_workspace ON event (seq) WHERE goal_id IS NULL;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN
    SELECT raise(ABORT, 'an event is never deleted');
END;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE OF seq, goal_id, kind, body, hash ON event
BEGIN
    SELECT raise(ABORT, 'an event is never changed');
END;

CREATE TRIGGER event_words_are_only_erased BEFORE UPDATE OF words, salt ON event
WHEN new.words IS NOT NULL OR new.salt IS NOT NULL
BEGIN
    SELECT raise(ABORT, 'words are only erased');
END;

CREATE TABLE receipt (
    key BLOB PRIMARY KEY CHECK (length(key) > 0),
    params_digest BLOB NOT NULL,
    action TEXT NOT NULL,
    first_seq INTEGER NOT NULL CHECK (first_seq >= 1),
    last_seq INTEGER NOT NULL CHECK (last_seq >= first_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE refusal (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    at_ms INTEGER NOT NULL,
    body BLOB NOT NULL CHECK (length(body) > 0),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE snapshot (
    scope TEXT PRIMARY KEY,
    seq INTEGER NOT NULL CHECK (seq >= 0),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    reducer_digest TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    app_id TEXT NOT NULL,
    event_key TEXT NOT NULL,
    received_at_ms INTEGER NOT NULL,
    answer BLOB,
    PRIMARY KEY (app_id, event_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
    slot TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    version INTEGER NOT NULL,
    sent_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE hook (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    seq INTEGER NOT NULL CHECK (seq >= 0),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    parked INTEGER NOT NULL CHECK (parked IN (0, 1)),
    reason TEXT NOT NULL,
    delivered INTEGER NOT NULL CHECK (delivered >= 0),
    changed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE search_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL CHECK (version >= 0),
    through_seq INTEGER NOT NULL CHECK (through_seq >= 0)
) STRICT;

CREATE VIRTUAL TABLE search_text USING fts5 (
    folded, kind UNINDEXED, subject_id UNINDEXED, goal_id UNINDEXED, tokenize = 'trigram case_sensitive 1'
);

INSERT INTO search_text (search_text, rank) VALUES ('secure-delete', 1);

INSERT INTO search_state (one, version, through_seq) VALUES (1, 0, 0);

INSERT INTO meta (one, oldest_compatible_version, incarnation, epoch, refusals_anchor_number, refusals_anchor_hash)
VALUES (1, 3, NULL, 0, 0, zeroblob(32));
