-- The database and its roles, for `psql -X -f roles.sql` as a superuser of the cluster. It may be run again: what
-- exists stays, passwords too. Another database name: psql -X -v database=NAME -f roles.sql
--
--   osg_analytics_owner        owns the database and, after `osg-analytics migrate`, everything in it
--   osg_analytics_server       what servers log in as: `osg-analytics migrate --server-role osg_analytics_server`
--                              grants it what serving needs, table by table, and no more
--   osg_analytics_replication  what standbys log in as, and pg_rewind
--
-- None has a password yet: set them with \password NAME in psql, which sends nothing that a log could show.

\set ON_ERROR_STOP on
\if :{?database} \else \set database osg_analytics \endif

SELECT format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name)
FROM unnest(ARRAY['osg_analytics_owner', 'osg_analytics_server', 'osg_analytics_replication']) AS wanted (name)
WHERE to_regrole(name) IS NULL \gexec
ALTER ROLE osg_analytics_replication REPLICATION;

-- The C collation: faster, and the same on every standby and after every upgrade of the system's locales. Indexes over
-- texts would otherwise be wrong where it differs.
SELECT format('CREATE DATABASE %I OWNER osg_analytics_owner TEMPLATE template0 ENCODING UTF8 LOCALE ''C''', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec

-- Nobody else may connect. The server's role may do so, and no more until the migration grants it the rest.
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO osg_analytics_server;

-- Servers set narrower limits for each of their connections. These hold for whatever else logs in as that role.
ALTER ROLE osg_analytics_server SET statement_timeout = '60s';
ALTER ROLE osg_analytics_server SET lock_timeout = '10s';
ALTER ROLE osg_analytics_server SET idle_in_transaction_session_timeout = '10s';

-- What postgresql.conf beside this file says about the log, for this database: it holds too where the cluster has
-- others, with settings of their own.
ALTER DATABASE :"database" SET log_error_verbosity = 'terse';
ALTER DATABASE :"database" SET log_parameter_max_length = 0;
ALTER DATABASE :"database" SET log_parameter_max_length_on_error = 0;
ALTER DATABASE :"database" SET log_statement = 'none';

-- What pg_rewind calls, in the database it connects to.
\connect postgres
GRANT EXECUTE ON FUNCTION
  pg_catalog.pg_ls_dir(text, boolean, boolean),
  pg_catalog.pg_stat_file(text, boolean),
  pg_catalog.pg_read_binary_file(text),
  pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean)
TO osg_analytics_replication;
