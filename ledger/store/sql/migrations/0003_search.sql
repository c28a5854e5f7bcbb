-- Version 3: the words of events as text that can be searched. It is derived and may be lost; what erases words erases
-- here too, so a program that does not know of it may no longer write.

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

UPDATE meta SET oldest_compatible_version = 3;
