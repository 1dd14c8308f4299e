-- SPDX-License-Identifier: Apache-2.0
-- The views are the interface: docs/guides/collect.md describes them. $seconds_since(x$end) is the age of a time in
-- seconds, and $hour_of(x$end_hour) its hour.

-- The silence limit of each host.
CREATE VIEW fleet_limit AS
SELECT h.id AS host_id, COALESCE(h.silent_after, s.value) AS silent_after
FROM host h CROSS JOIN setting s
WHERE s.name = 'silent_after';

-- One row for each host: its last run.
CREATE VIEW fleet_status AS
SELECT h.host,
       CASE WHEN $seconds_since(h.seen$end) > l.silent_after THEN 'silent' ELSE h.status END AS state,
       h.status, h.noop, h.revision, h.rhost, h.name, h.machine_id, h.run, h.seq, h.started, h.seen, h.first_seen,
       h.seconds, h.total, h.changed, h.would_change, h.failed, h.skipped
FROM host h
JOIN fleet_limit l ON l.host_id = h.id
WHERE h.run IS NOT NULL;

-- Hosts that have sent nothing for longer than their limit.
CREATE VIEW fleet_silent AS
SELECT h.host, h.seen, $seconds_since(h.seen$end) AS silent_seconds, l.silent_after AS limit_seconds, h.status,
       h.revision, h.run
FROM host h
JOIN fleet_limit l ON l.host_id = h.id
WHERE h.run IS NOT NULL AND $seconds_since(h.seen$end) > l.silent_after;

-- All runs that are kept.
CREATE VIEW fleet_runs AS
SELECT h.host, r.run, r.seq, r.started, r.ended, r.received, r.day, r.status, r.noop, r.revision, r.rhost, r.machine_id,
       r.name, r.exit, r.seconds, r.interrupted, r.undoes, r.rolls_back, r.total, r.unchanged, r.changed, r.refreshed,
       r.failed, r.skipped, r.would_change, r.would_refresh, r.unknown, r.ignored, r.excluded, r.not_reached, r.events
FROM report r
JOIN host h ON h.id = r.host_id;

-- Everything that a report has listed.
CREATE VIEW fleet_events AS
SELECT h.host, e.run, e.n, e.started, e.day, e.kind, e.status, e.type, e.title, e.action, e.provider, e.cause, e.code,
       e.message, e.changes, e.file, e.line, e.seconds
FROM event e
JOIN host h ON h.id = e.host_id;

-- Resources that were changed.
CREATE VIEW fleet_changes AS
SELECT h.host, e.run, e.started, e.day, e.type, e.title, e.action, e.status, e.cause, e.message, e.changes
FROM event e
JOIN host h ON h.id = e.host_id
WHERE e.status IN ('changed', 'refreshed');

-- Resources that were not as rhost had left them: somebody else had changed them.
CREATE VIEW fleet_drift AS
SELECT h.host, e.run, e.started, e.day, e.type, e.title, e.action, e.status, e.message, e.changes
FROM event e
JOIN host h ON h.id = e.host_id
WHERE e.cause = 'drift' AND e.status IN ('changed', 'would_change');

-- Hosts whose last run failed, was refused or did not end; with what failed, a row each.
CREATE VIEW fleet_failed AS
SELECT h.host, h.run, h.started, h.status, h.revision, e.kind, e.type, e.title, e.message, e.code, e.file, e.line
FROM host h
LEFT JOIN event e ON e.host_id = h.id AND e.run = h.run AND e.day = h.day
                     AND (e.status = 'failed' OR e.kind = 'error')
WHERE h.status IN ('failed', 'interrupted', 'refused', 'unfinished');

-- Numbers of runs that no report has.
CREATE VIEW fleet_gaps AS
SELECT h.host, g.machine_id, g.seq + 1 AS first_missing, g.next_seq - 1 AS last_missing,
       g.next_seq - g.seq - 1 AS missing, g.run AS after_run, g.started AS after_started, g.next_run AS before_run,
       g.next_started AS before_started
FROM (SELECT r.host_id, r.machine_id, r.seq, r.run, r.started,
             lead(r.seq) OVER w AS next_seq, lead(r.run) OVER w AS next_run, lead(r.started) OVER w AS next_started
      FROM report r
      WHERE r.seq IS NOT NULL
      WINDOW w AS (PARTITION BY r.host_id, r.machine_id ORDER BY r.seq)) g
JOIN host h ON h.id = g.host_id
WHERE g.next_seq > g.seq + 1;

-- How many hosts have which revision.
CREATE VIEW fleet_revisions AS
SELECT s.revision, count(*) AS hosts,
       sum(CASE WHEN s.state = 'silent' THEN 1 ELSE 0 END) AS silent,
       sum(CASE WHEN s.state <> 'silent' AND s.status IN ('failed', 'interrupted', 'refused', 'unfinished')
                THEN 1 ELSE 0 END) AS failed,
       min(s.started) AS first_started, max(s.started) AS last_started
FROM fleet_status s
GROUP BY s.revision;

-- Runs in each hour.
CREATE VIEW fleet_activity AS
SELECT $hour_of(r.started$end_hour) AS hour, r.status, count(*) AS runs, sum(r.changed) AS changed,
       sum(r.failed) AS failed, sum(r.seconds) AS seconds
FROM report r
GROUP BY 1, r.status;

-- Machines that report under several names, and clones.
CREATE VIEW fleet_clones AS
SELECT h.machine_id, h.host, h.seen, c.hosts
FROM host h
JOIN (SELECT machine_id, count(*) AS hosts FROM host WHERE machine_id IS NOT NULL
      GROUP BY machine_id HAVING count(*) > 1) c ON c.machine_id = h.machine_id;
