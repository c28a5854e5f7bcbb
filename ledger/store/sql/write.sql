-- What the writer does. Each statement follows the line that names it; the values of an INSERT into event,
-- receipt or refusal are repeated by the store, so that a group costs one statement and not one a row.

-- name: begin
BEGIN IMMEDIATE

-- name: commit
COMMIT

-- name: rollback
ROLLBACK

-- name: open_term
UPDATE meta SET incarnation = coalesce(incarnation, ?), epoch = epoch + 1 RETURNING incarnation, epoch

-- name: term_and_heads
SELECT
    incarnation,
    epoch,
    (SELECT coalesce(max(seq), 0) FROM event),
    (SELECT coalesce(max(number), refusals_anchor_number) FROM refusal)
FROM meta

-- name: insert_event
INSERT INTO event (seq, goal_id, kind, body, words, salt, hash)

-- name: insert_receipt
INSERT INTO receipt (key, params_digest, action, first_seq, last_seq)

-- name: insert_refusal
INSERT INTO refusal (number, at_ms, body, hash)

-- name: put_journal
INSERT INTO journal (app_id, event_key, received_at_ms, answer) VALUES (?, ?, ?, ?)
ON CONFLICT (app_id, event_key) DO UPDATE SET answer = coalesce(excluded.answer, answer)

-- name: put_delivery
INSERT INTO delivery (slot, chat_id, message_id, digest, version, sent_at_ms, state) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (slot) DO UPDATE SET
    chat_id = excluded.chat_id,
    message_id = excluded.message_id,
    digest = excluded.digest,
    version = excluded.version,
    sent_at_ms = excluded.sent_at_ms,
    state = excluded.state
WHERE excluded.version >= version

-- name: put_hook
INSERT INTO hook (name, seq, attempts, parked, reason, delivered, changed_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
    seq = excluded.seq,
    attempts = excluded.attempts,
    parked = excluded.parked,
    reason = excluded.reason,
    delivered = excluded.delivered,
    changed_at_ms = excluded.changed_at_ms

-- name: put_snapshot
INSERT INTO snapshot (scope, seq, hash, reducer_digest, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (scope) DO UPDATE SET
    seq = excluded.seq,
    hash = excluded.hash,
    reducer_digest = excluded.reducer_digest,
    body = excluded.body

-- name: move_refusals_anchor
UPDATE meta SET (refusals_anchor_number, refusals_anchor_hash) =
    (SELECT number, hash FROM refusal WHERE number <= ? ORDER BY number DESC LIMIT 1)

-- name: delete_refusals
DELETE FROM refusal WHERE number <= ?

-- name: count_refusals
SELECT count(*) FROM refusal WHERE number <= ?

-- name: begin_refusals
UPDATE meta SET refusals_anchor_number = ?, refusals_anchor_hash = ? WHERE NOT EXISTS (SELECT 1 FROM refusal)

-- name: erase_event
UPDATE event SET words = NULL, salt = NULL WHERE seq = ? AND seq <= ?

-- name: erase_goal
UPDATE event SET words = NULL, salt = NULL WHERE goal_id = ? AND seq <= ? AND words IS NOT NULL

-- name: erase_member
UPDATE event SET words = NULL, salt = NULL
WHERE words IS NOT NULL AND seq <= ?2
    AND ?1 IN (CAST(body AS TEXT) ->> '$.actor', CAST(body AS TEXT) ->> '$.facts.member_id')

-- name: forget_snapshots
DELETE FROM snapshot

-- name: forget_answers
UPDATE journal SET answer = NULL WHERE answer IS NOT NULL
