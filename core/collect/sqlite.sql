-- SPDX-License-Identifier: Apache-2.0
-- The tables in SQLite. Programs of others read the views, and not these.

CREATE TABLE rhost_schema (version INTEGER NOT NULL, upgraded TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')));

CREATE TABLE setting (name TEXT PRIMARY KEY, value REAL NOT NULL);
INSERT INTO setting VALUES ('silent_after', 7200);

-- A host, and the last run of it. The name is that of its directory.
CREATE TABLE host (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- no host gets the reports of one that was deleted
    host TEXT NOT NULL UNIQUE,
    silent_after REAL,
    first_seen TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    seen TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    day TEXT,
    run TEXT,
    seq INTEGER,
    machine_id TEXT,
    name TEXT,
    rhost TEXT,
    revision TEXT,
    noop BOOLEAN,
    status TEXT,
    started TEXT,
    seconds REAL,
    total INTEGER,
    changed INTEGER,
    would_change INTEGER,
    failed INTEGER,
    skipped INTEGER
);

CREATE TABLE report (
    host_id INTEGER NOT NULL,
    run TEXT NOT NULL,
    day TEXT NOT NULL,
    seq INTEGER,
    machine_id TEXT,
    name TEXT,
    rhost TEXT,
    revision TEXT,
    undoes TEXT,
    rolls_back TEXT,
    noop BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    exit INTEGER NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    received TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    seconds REAL,
    interrupted TEXT,
    total INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    refreshed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    would_change INTEGER NOT NULL,
    would_refresh INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    ignored INTEGER NOT NULL,
    excluded INTEGER NOT NULL,
    not_reached INTEGER NOT NULL,
    events INTEGER NOT NULL,
    UNIQUE (host_id, run)
);

CREATE TABLE event (
    host_id INTEGER NOT NULL,
    run TEXT NOT NULL,
    n INTEGER NOT NULL,
    day TEXT NOT NULL,
    started TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT,
    type TEXT,
    title TEXT,
    action TEXT,
    provider TEXT,
    cause TEXT,
    code TEXT,
    message TEXT,
    changes JSON_TEXT,
    file TEXT,
    line INTEGER,
    seconds REAL
);
CREATE INDEX event_of ON event (host_id, run);
CREATE INDEX report_received ON report (received);

-- The reports of a host go with it.
CREATE TRIGGER host_deleted AFTER DELETE ON host BEGIN
    DELETE FROM event WHERE host_id = old.id;
    DELETE FROM report WHERE host_id = old.id;
END;
