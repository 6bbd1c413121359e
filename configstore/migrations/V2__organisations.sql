-- Organisations with host names and limits, users with roles, catalogs of several kinds with sealed secrets, tombstones,
-- tokens and the audit.

ALTER TABLE pintail.orgs
    ADD limits    jsonb  NOT NULL DEFAULT '{}',
    ADD locations text[] NOT NULL DEFAULT '{}';

CREATE TABLE pintail.hosts (
    -- in lower case, without the root's dot
    host   text   PRIMARY KEY,
    org_id bigint NOT NULL REFERENCES pintail.orgs
);
CREATE INDEX ON pintail.hosts (org_id);

ALTER TABLE pintail.users
    ADD role     text  NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'writer', 'reader')),
    -- null: all of them
    ADD schemas  text[],
    ADD catalogs text[],
    ADD limits   jsonb NOT NULL DEFAULT '{}';

ALTER TABLE pintail.catalogs
    -- the specification as JSON, its secrets empty; what the first version knew were lakes on the local disk
    ADD settings jsonb NOT NULL DEFAULT '{"kind": "ducklake", "storage": {"at": "local"}}',
    ADD kind     text  GENERATED ALWAYS AS (settings ->> 'kind') STORED
        CHECK (kind IN ('ducklake', 'iceberg', 'duckdb_file', 'memory')),
    -- the secrets of the specification and of the role, sealed; the first version's role_password moves when the
    -- program first starts with this version, and is empty from then on
    ADD sealed_credentials bytea,
    ADD sealed_password    bytea,
    ADD incarnation integer NOT NULL DEFAULT 1 CHECK (incarnation > 0),
    ADD reason      text,
    ALTER role_password   SET DEFAULT '',
    ALTER metadata_schema DROP NOT NULL,
    ALTER data_prefix     DROP NOT NULL,
    ALTER role_name       DROP NOT NULL,
    ADD CHECK ((kind = 'ducklake') = (metadata_schema IS NOT NULL AND role_name IS NOT NULL)),
    ADD CHECK ((kind IN ('ducklake', 'duckdb_file')) = (data_prefix IS NOT NULL));
ALTER TABLE pintail.catalogs ALTER settings DROP DEFAULT;

-- A removed catalog. Rows stay after their data is purged, so that no incarnation, and with it no prefix, comes back.
CREATE TABLE pintail.tombstones (
    tombstone_id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_slug           text        NOT NULL,
    catalog            text        NOT NULL,
    incarnation        integer     NOT NULL,
    settings           jsonb       NOT NULL,
    sealed_credentials bytea,
    -- null for kinds without data of their own
    data_prefix        text,
    deleted_at         timestamptz NOT NULL DEFAULT now(),
    keep_until         timestamptz NOT NULL,
    purged_at          timestamptz,
    UNIQUE (org_slug, catalog, incarnation)
);

-- A user's persistent secrets: the sealed statement that makes one again.
CREATE TABLE pintail.secrets (
    user_id    bigint      NOT NULL REFERENCES pintail.users ON DELETE CASCADE,
    name       text        NOT NULL,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, name)
);

CREATE TABLE pintail.tokens (
    name       text        PRIMARY KEY,
    role       text        NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    -- SHA-256 of the token's text
    hash       bytea       NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Who changed what. Never a secret.
CREATE TABLE pintail.audit (
    audit_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor    text        NOT NULL,
    action   text        NOT NULL,
    object   text        NOT NULL,
    detail   jsonb       NOT NULL DEFAULT '{}'
);

-- Tells every process that its snapshot is old. The payload is empty: whoever listens reads for itself.
CREATE FUNCTION pintail.tell_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_notify('pintail_changed', '');
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION pintail.tell_changed() FROM PUBLIC;
CREATE TRIGGER tell_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pintail.orgs
    EXECUTE FUNCTION pintail.tell_changed();
CREATE TRIGGER tell_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pintail.hosts
    EXECUTE FUNCTION pintail.tell_changed();
CREATE TRIGGER tell_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pintail.users
    EXECUTE FUNCTION pintail.tell_changed();
CREATE TRIGGER tell_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pintail.catalogs
    EXECUTE FUNCTION pintail.tell_changed();
