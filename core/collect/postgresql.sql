-- SPDX-License-Identifier: Apache-2.0
-- The tables in PostgreSQL. Programs of others read the views, and not these.

CREATE TABLE rhost_schema (version integer NOT NULL, upgraded timestamptz NOT NULL DEFAULT now());

CREATE TABLE setting (name text PRIMARY KEY, value double precision NOT NULL);
INSERT INTO setting VALUES ('silent_after', 7200);

-- A host, and the last run of it. The name is that of its directory.
CREATE TABLE host (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host text NOT NULL UNIQUE,
    silent_after double precision,
    first_seen timestamptz NOT NULL DEFAULT now(),
    seen timestamptz NOT NULL DEFAULT now(),
    day date,
    run text,
    seq bigint,
    machine_id text,
    name text,
    rhost text,
    revision text,
    noop boolean,
    status text,
    started timestamptz,
    seconds double precision,
    total integer,
    changed integer,
    would_change integer,
    failed integer,
    skipped integer
) WITH (fillfactor = 50);

CREATE TABLE report (
    host_id integer NOT NULL,
    run text NOT NULL,
    day date NOT NULL,
    seq bigint,
    machine_id text,
    name text,
    rhost text,
    revision text,
    undoes text,
    rolls_back text,
    noop boolean NOT NULL,
    status text NOT NULL,
    exit integer NOT NULL,
    started timestamptz NOT NULL,
    ended timestamptz,
    received timestamptz NOT NULL DEFAULT now(),
    seconds double precision,
    interrupted text,
    total integer NOT NULL,
    unchanged integer NOT NULL,
    changed integer NOT NULL,
    refreshed integer NOT NULL,
    failed integer NOT NULL,
    skipped integer NOT NULL,
    would_change integer NOT NULL,
    would_refresh integer NOT NULL,
    unknown integer NOT NULL,
    ignored integer NOT NULL,
    excluded integer NOT NULL,
    not_reached integer NOT NULL,
    events integer NOT NULL,
    UNIQUE (host_id, run, day)
) PARTITION BY RANGE (day);
CREATE TABLE report_default PARTITION OF report DEFAULT;

CREATE TABLE event (
    host_id integer NOT NULL,
    run text NOT NULL,
    n integer NOT NULL,
    day date NOT NULL,
    started timestamptz NOT NULL,
    kind text NOT NULL,
    status text,
    type text,
    title text,
    action text,
    provider text,
    cause text,
    code text,
    message text,
    changes json,
    file text,
    line integer,
    seconds double precision
) PARTITION BY RANGE (day);
CREATE INDEX event_of ON event (host_id, run);
CREATE TABLE event_default PARTITION OF event DEFAULT;

-- The reports of a host go with it.
CREATE FUNCTION rhost_host_deleted() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    DELETE FROM event WHERE host_id = old.id;
    DELETE FROM report WHERE host_id = old.id;
    RETURN NULL;
END';
CREATE TRIGGER host_deleted AFTER DELETE ON host FOR EACH ROW EXECUTE FUNCTION rhost_host_deleted();
