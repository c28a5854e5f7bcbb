-- Version 4: how far each after-commit hook has come. It is no truth: whoever loses it is told again, so that a program
-- which does not know of it may go on writing.

CREATE TABLE hook (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    seq INTEGER NOT NULL CHECK (seq >= 0),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    parked INTEGER NOT NULL CHECK (parked IN (0, 1)),
    reason TEXT NOT NULL,
    delivered INTEGER NOT NULL CHECK (delivered >= 0),
    changed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
