-- What the control planes of an installation tell each other, for a few minutes: NOTIFY of one's sessions to those of others.
CREATE TABLE pintail.told (
    told_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    told_at timestamptz NOT NULL DEFAULT now(),
    -- which process
    origin  text        NOT NULL,
    org_id  bigint      NOT NULL,
    body    text        NOT NULL
);
CREATE INDEX ON pintail.told (told_at);
