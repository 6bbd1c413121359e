CREATE TABLE __pintail.pg.pg_auth_members (
    "roleid" BIGINT,
    "member" BIGINT,
    "grantor" BIGINT,
    "admin_option" BOOLEAN
)
