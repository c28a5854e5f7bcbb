-- What a reader asks. Each statement follows the line that names it.

-- name: head
SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1

-- name: refusals_head
SELECT number, hash FROM refusal ORDER BY number DESC LIMIT 1

-- name: refusals_anchor
SELECT refusals_anchor_number, refusals_anchor_hash FROM meta

-- name: incarnation
SELECT incarnation FROM meta

-- name: events
SELECT seq, goal_id, kind, body, words, salt, hash FROM event WHERE seq > ? ORDER BY seq LIMIT ?

-- name: goal_events
SELECT seq, goal_id, kind, body, words, salt, hash FROM event WHERE goal_id = ? AND seq > ? ORDER BY seq LIMIT ?

-- name: events_before
SELECT seq, goal_id, kind, body, words, salt, hash FROM event WHERE seq < ? ORDER BY seq DESC LIMIT ?

-- name: goal_events_before
SELECT seq, goal_id, kind, body, words, salt, hash FROM event WHERE goal_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?

-- name: workspace_events
SELECT seq, goal_id, kind, body, words, salt, hash FROM event
INDEXED BY event_of_workspace WHERE goal_id IS NULL AND seq > ? ORDER BY seq LIMIT ?

-- name: refusals
SELECT number, at_ms, body, hash FROM refusal WHERE number > ? ORDER BY number LIMIT ?

-- name: refusals_before
SELECT number, at_ms, body, hash FROM refusal WHERE number < ? ORDER BY number DESC LIMIT ?

-- name: receipt
SELECT key, params_digest, action, first_seq, last_seq FROM receipt WHERE key = ?

-- name: newest_receipt_key
SELECT max(key) FROM receipt

-- name: receipts
SELECT key, params_digest, action, first_seq, last_seq FROM receipt WHERE key > ? ORDER BY key LIMIT ?

-- name: snapshot
SELECT scope, seq, hash, reducer_digest, body FROM snapshot WHERE scope = ?

-- name: journal_entry
SELECT app_id, event_key, received_at_ms, answer FROM journal WHERE app_id = ? AND event_key = ?

-- name: deliveries
SELECT slot, chat_id, message_id, digest, version, sent_at_ms, state FROM delivery ORDER BY slot

-- name: hooks
SELECT name, seq, attempts, parked, reason, delivered, changed_at_ms FROM hook ORDER BY name

-- name: any_table
SELECT name FROM sqlite_schema LIMIT 1

-- name: oldest_compatible_version
SELECT oldest_compatible_version FROM meta
