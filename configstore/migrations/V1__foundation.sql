-- Organisations, their users and their catalogs.
CREATE TABLE pintail.orgs (
    org_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug       text NOT NULL UNIQUE,
    disabled   boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE pintail.users (
    user_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id     bigint NOT NULL REFERENCES pintail.orgs,
    name       text NOT NULL,
    -- SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>, as PostgreSQL writes it
    verifier   text NOT NULL,
    disabled   boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (org_id, name)
);

CREATE TABLE pintail.catalogs (
    catalog_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id          bigint NOT NULL REFERENCES pintail.orgs,
    name            text NOT NULL,
    -- made once from slug and name, opaque afterwards
    metadata_schema text NOT NULL UNIQUE,
    data_prefix     text NOT NULL UNIQUE,
    role_name       text NOT NULL UNIQUE,
    role_password   text NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'provisioning', 'ready', 'failed', 'deleting')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (org_id, name)
);

-- Small facts of the installation: the key that makes fake salts stable, and the like.
CREATE TABLE pintail.installation (
    key   text PRIMARY KEY,
    value bytea NOT NULL
);
