-- The words of events as text that can be searched. Each statement follows the line that names it.

-- name: state
SELECT version, through_seq FROM search_state

-- name: set_state
UPDATE search_state SET version = ?, through_seq = ?

-- name: forget_all
DELETE FROM search_text

-- name: insert
INSERT OR REPLACE INTO search_text (rowid, folded, kind, subject_id, goal_id) VALUES (?, ?, ?, ?, ?)

-- name: forget_without_words
DELETE FROM search_text WHERE rowid = ?1 AND EXISTS (SELECT 1 FROM event WHERE seq = ?1 AND words IS NULL)

-- name: forget_goal
DELETE FROM search_text WHERE rowid IN (SELECT seq FROM event WHERE goal_id = ? AND seq <= ? AND words IS NULL)

-- name: forget_member
DELETE FROM search_text
WHERE rowid IN (
    SELECT seq FROM event
    WHERE words IS NULL AND seq <= ?2
        AND ?1 IN (CAST(body AS TEXT) ->> '$.actor', CAST(body AS TEXT) ->> '$.facts.member_id')
)

-- name: matching
SELECT rowid, folded, kind, subject_id, goal_id FROM search_text
WHERE search_text MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid DESC

-- name: between
SELECT rowid, folded, kind, subject_id, goal_id FROM search_text
WHERE rowid > ? AND rowid < ? ORDER BY rowid DESC
