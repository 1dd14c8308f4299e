-- SPDX-License-Identifier: Apache-2.0
-- Roles for the database of "rhost collect", for PostgreSQL 14 or newer: psql -f fleet.sql, as its superuser. docs/guides/collect.md
-- describes it. The collector owns the database and makes the tables; readers have the views.

CREATE ROLE "rhost-collect" LOGIN;
CREATE ROLE fleet_reader NOLOGIN;
CREATE DATABASE fleet OWNER "rhost-collect";
GRANT CONNECT ON DATABASE fleet TO fleet_reader;
GRANT pg_read_all_data TO fleet_reader;
-- A reader that keeps a transaction open delays the removal of old days.
ALTER ROLE fleet_reader SET statement_timeout = '60s';
ALTER ROLE fleet_reader SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE fleet_reader SET default_transaction_read_only = on;
-- Whoever sees dashboards and rolls out: GRANT fleet_reader TO alice;
