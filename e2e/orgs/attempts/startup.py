"""What a client may say before it is let in: names, passwords and host names of others, settings in the start-up packet."""


# Each is a change of the parameters with which acme's user connects; nobody is let in, and all are told the same.
def refused(installation, host_of):
    beta = installation.passwords["beta"]
    acme = {"dbname": "lake"}
    return [("unknown user", acme | {"user": "nobody_here"}), ("wrong password", acme | {"password": "wrong"}),
            ("blank password", acme | {"password": " "}), ("unknown catalog", {"dbname": "nowhere"}), ("another's catalog", {"dbname": "disk"}),
            ("another's catalog", {"dbname": "scratch"}), ("organisation as catalog", {"dbname": "beta"}),
            ("catalog of an organisation", {"dbname": "beta/disk"}), ("catalog of an organisation", {"dbname": "beta.disk"}),
            ("metadata schema", {"dbname": "dl_beta__disk"}), ("metadata schema", {"dbname": "beta__disk"}),
            ("PostgreSQL's own", {"dbname": "postgres"}), ("PostgreSQL's own", {"dbname": "template1"}), ("PostgreSQL's own", {"dbname": "pintail"}),
            ("engine's own", {"dbname": "system"}), ("engine's own", {"dbname": "memory"}), ("engine's own", {"dbname": "temp"}),
            ("metadata catalog", {"dbname": "__ducklake_metadata_lake"}), ("path", {"dbname": "/etc/passwd"}), ("path", {"dbname": "../beta/disk"}),
            ("quotes", {"dbname": 'lake"; SELECT 1; --'}), ("quotes", {"dbname": "lake'--"}), ("case", {"dbname": "LAKE"}),
            ("spaces", {"dbname": " lake"}), ("spaces", {"dbname": "lake "}), ("host of A, user and password of B", acme | {"password": beta}),
            ("host of B, password of A", acme | {"host": host_of("beta")}), ("host of B, password of A", {"dbname": "disk", "host": host_of("beta")}),
            ("host of A, organisation B by option", acme | {"options": "-c pintail.org=beta", "password": beta}),
            ("host of A, organisation B by option", {"dbname": "disk", "options": "-c pintail.org=beta", "password": beta}),
            ("user at organisation", {"dbname": "disk", "user": "ann@beta", "password": beta}), ("user at organisation", acme | {"user": "ann@acme"}),
            ("user of the configuration store", acme | {"user": "pintail", "password": installation.postgres.password}),
            ("superuser", acme | {"user": "postgres", "password": installation.postgres.superuser_password}),
            ("role of a lake", acme | {"user": "dl_acme__lake"}),
            ("unknown organisation", acme | {"host": host_of("nobody"), "sslmode": "verify-ca"}),
            ("organisation within", acme | {"host": "x." + host_of("acme"), "sslmode": "verify-ca"}),
            ("no organisation", acme | {"host": "localhost", "sslmode": "verify-ca"}), ("no organisation", acme | {"host": "127.0.0.1"}),
            ("unknown organisation by option", acme | {"host": "127.0.0.1", "options": "-c pintail.org=nobody"}),
            ("path as organisation", acme | {"host": "127.0.0.1", "options": "-c pintail.org=../beta"}),
            ("case of organisation", acme | {"host": "127.0.0.1", "options": "-c pintail.org=ACME"}),
            ("another's alias", acme | {"host": "data.gamma.example"}),
            ("suffix alone", acme | {"host": host_of("x").removeprefix("x."), "sslmode": "verify-ca"}), ("quotes in user", acme | {"user": "ann'--"}),
            ("user's case", acme | {"user": "ANN"}), ("bearer as password", acme | {"password": installation.admin.token}), ]


# Settings of the start-up packet that would open a wall: refused, or without effect.
SETTINGS = (
    "enable_external_access=true", "lock_configuration=false", "allowed_directories=/", "session_authorization=beta", "role=beta", "is_superuser=on",
    "pintail.worker=x", "search_path=disk", "application_name=';ATTACH", "server_version=1", "data_directory=/etc", "TimeZone=UTC';ATTACH"
)
