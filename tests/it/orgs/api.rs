//! The admin API and the command line that asks it.

use std::collections::BTreeMap;

use pintail_tests::{Installation, Options};
use serde_json::{Value, json};

/// Every operation and the role that it needs. An operation that is not here fails the test.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("get", "/api/v1/orgs", "viewer"),
    ("get", "/api/v1/orgs/{org}", "viewer"),
    ("put", "/api/v1/orgs/{org}", "admin"),
    ("delete", "/api/v1/orgs/{org}", "admin"),
    ("get", "/api/v1/orgs/{org}/hosts", "viewer"),
    ("put", "/api/v1/orgs/{org}/hosts/{host}", "admin"),
    ("delete", "/api/v1/orgs/{org}/hosts/{host}", "admin"),
    ("get", "/api/v1/orgs/{org}/users", "viewer"),
    ("get", "/api/v1/orgs/{org}/users/{user}", "viewer"),
    ("put", "/api/v1/orgs/{org}/users/{user}", "admin"),
    ("delete", "/api/v1/orgs/{org}/users/{user}", "admin"),
    ("get", "/api/v1/orgs/{org}/catalogs", "viewer"),
    ("get", "/api/v1/orgs/{org}/catalogs/{catalog}", "viewer"),
    ("put", "/api/v1/orgs/{org}/catalogs/{catalog}", "admin"),
    ("delete", "/api/v1/orgs/{org}/catalogs/{catalog}", "admin"),
    ("post", "/api/v1/orgs/{org}/catalogs/{catalog}/provision", "operator"),
    ("get", "/api/v1/sessions", "viewer"),
    ("get", "/api/v1/sessions/{pid}", "viewer"),
    ("delete", "/api/v1/sessions/{pid}", "operator"),
    ("post", "/api/v1/sessions/{pid}/cancel", "operator"),
    ("get", "/api/v1/workers", "viewer"),
    ("delete", "/api/v1/workers/{id}", "operator"),
    ("get", "/api/v1/audit", "admin"),
    ("get", "/api/v1/tokens", "admin"),
    ("post", "/api/v1/tokens", "admin"),
    ("delete", "/api/v1/tokens/{name}", "admin"),
    ("post", "/api/v1/seals/rotate", "admin"),
    ("get", "/api/v1/status", "viewer"),
];
const ROLES: &[&str] = &["viewer", "operator", "admin"];

struct Api {
    url: String,
    client: reqwest::Client,
}

impl Api {
    fn of(installation: &Installation) -> Self {
        Self {
            url: format!("http://{}", installation.admin().expect("the admin address")),
            client: reqwest::Client::builder().no_proxy().build().expect("a client"),
        }
    }

    async fn ask(&self, method: &str, path: &str, token: Option<&str>, body: Option<&Value>) -> (u16, String, Value) {
        let method = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.expect("an answer");
        let kind = answer
            .headers()
            .get("content-type")
            .map(|value| value.to_str().unwrap_or_default().to_owned())
            .unwrap_or_default();
        let status = answer.status().as_u16();
        let body = answer.text().await.expect("a body");
        (status, kind, serde_json::from_str(&body).unwrap_or(Value::Null))
    }
}

fn token(installation: &Installation, role: &str) -> String {
    let made = installation
        .cli(&["token", "create", &format!("test-{role}"), "--role", role])
        .expect("a token");
    made["token"].as_str().expect("its text").to_owned()
}

#[tokio::test]
async fn every_operation_asks_for_its_role() {
    let installation = Installation::start().expect("start");
    let api = Api::of(&installation);
    let (_, _, document) = api.ask("get", "/api/v1/openapi.json", None, None).await;
    let paths = document["paths"].as_object().expect("paths");
    for (path, item) in paths {
        for method in item
            .as_object()
            .expect("operations")
            .keys()
            .filter(|name| *name != "parameters")
        {
            assert!(
                OPERATIONS.iter().any(|(m, p, _)| m == method && p == path),
                "{method} {path} has no authorisation test"
            );
        }
    }
    let tokens: BTreeMap<&str, String> = ROLES.iter().map(|role| (*role, token(&installation, role))).collect();
    for (method, path, needed) in OPERATIONS {
        let real = path
            .replace("{pid}", "1")
            .replace("{org}", "nobody")
            .replace(['{', '}'], "");
        for wrong in [None, Some(""), Some("pintail_wrong"), Some("Basic x")] {
            let (status, kind, _) = api.ask(method, &real, wrong, Some(&json!({}))).await;
            assert_eq!(
                (status, kind.as_str()),
                (401, "application/problem+json"),
                "{method} {path}"
            );
        }
        let rank = |role: &str| ROLES.iter().position(|known| *known == role);
        for role in ROLES {
            let (status, _, _) = api.ask(method, &real, Some(&tokens[role]), Some(&json!({}))).await;
            if rank(role) < rank(needed) {
                assert_eq!(status, 403, "{method} {path} as {role}");
            } else {
                assert!(
                    ![401, 403].contains(&status) && status < 500,
                    "{method} {path} as {role}: {status}"
                );
            }
        }
    }
    installation.cli(&["token", "revoke", "test-admin"]).expect("revoke");
    let (status, _, _) = api.ask("get", "/api/v1/orgs", Some(&tokens["admin"]), None).await;
    assert_eq!(status, 401, "a revoked token");
}

#[tokio::test]
async fn the_api_keeps_the_naming_contract_and_says_why() {
    let installation = Installation::start().expect("start");
    let (api, token) = (Api::of(&installation), token(&installation, "admin"));
    let put = async |path: String| {
        let (status, kind, body) = api
            .ask("put", &path, Some(&token), Some(&json!({"kind": "memory"})))
            .await;
        (status, kind, body["detail"].as_str().unwrap_or_default().to_owned())
    };
    let put_org = async |name: &str| {
        let path = format!("/api/v1/orgs/{name}");
        let (status, _, body) = api.ask("put", &path, Some(&token), Some(&json!({}))).await;
        (status, body["detail"].as_str().unwrap_or_default().to_owned())
    };
    let long = "a".repeat(31);
    for good in ["ab", long.as_str(), "a_b"] {
        assert_eq!(put_org(good).await.0, 201, "{good}");
        assert_eq!(put_org(good).await.0, 200, "{good} again");
    }
    for (bad, why) in [
        ("a", "2 to 31"),
        (&"a".repeat(32), "2 to 31"),
        ("a__b", "two _"),
        ("ab_", "end in _"),
        ("1a", "letter"),
        ("A1", "letter"),
        ("a%C3%A9", "only"),
        ("a%22b", "only"),
        ("a'b", "only"),
        ("a%0Ab", "only"),
        ("a%00b", "only"),
    ] {
        let (status, detail) = put_org(bad).await;
        assert_eq!(status, 422, "{bad}");
        assert!(detail.contains(why), "{bad}: {detail}");
    }
    let (status, kind, detail) = put(format!("/api/v1/orgs/{long}/catalogs/{}", "b".repeat(28))).await;
    assert_eq!((status, kind.as_str()), (422, "application/problem+json"));
    assert!(detail.contains("58"), "{detail}");
    assert_eq!(
        put(format!("/api/v1/orgs/{long}/catalogs/{}", "b".repeat(27))).await.0,
        201
    );
    // Lists come in pages.
    let (_, _, page) = api.ask("get", "/api/v1/orgs?limit=2", Some(&token), None).await;
    let next = page["next"].as_str().expect("more").to_owned();
    let (_, _, rest) = api
        .ask("get", &format!("/api/v1/orgs?limit=9&after={next}"), Some(&token), None)
        .await;
    let count = |page: &Value| page["items"].as_array().map_or(0, Vec::len);
    assert_eq!((count(&page), count(&rest)), (2, 2));
    assert_eq!(rest["next"], Value::Null);
    for (method, path, status) in [
        ("get", "/api/v1/nothing", 404),
        ("patch", "/api/v1/orgs", 405),
        ("get", "/api/v1/orgs?limit=x", 400),
        ("get", "/api/v1/orgs?what=x", 400),
        ("put", "/api/v1/orgs/ab/users/ann", 422),
    ] {
        let (found, kind, _) = api.ask(method, path, Some(&token), Some(&json!({}))).await;
        assert_eq!(
            (found, kind.as_str()),
            (status, "application/problem+json"),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn changes_are_recorded_without_secrets() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    let audit = installation.cli(&["audit"]).expect("audit").to_string();
    for action in ["org.create", "user.create", "catalog.create"] {
        assert!(audit.contains(action), "{action} is missing: {audit}");
    }
    assert!(!audit.contains("password of ann") && !audit.contains("SCRAM-SHA-256"));
    let shown = installation
        .cli(&["user", "show", "acme", "ann"])
        .expect("show")
        .to_string();
    assert!(!shown.contains("SCRAM") && !shown.contains("password"), "{shown}");
}

#[tokio::test]
async fn the_command_line_works_over_tls_and_offline() {
    let options = Options {
        settings: vec![("PINTAIL_ADMIN_TLS", "on".to_owned())],
    };
    let mut installation = Installation::start_with(options).expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("over TLS");
    let complaint = installation.cli_fails(&["--offline", "org", "list"]);
    // Options stand with the command, not before it.
    assert!(complaint.is_ok());
    let complaint = installation
        .cli_fails(&["org", "list", "--offline"])
        .expect("a running server");
    assert!(complaint.contains("another server runs"), "{complaint}");
    installation.stop().expect("stop");
    installation
        .cli(&["org", "create", "later", "--offline"])
        .expect("offline");
    installation
        .cli(&["catalog", "create", "later", "lake", "--offline"])
        .expect("offline");
    installation.launch().expect("start again");
    let orgs = installation.cli(&["org", "list"]).expect("list").to_string();
    assert!(orgs.contains("acme") && orgs.contains("later"), "{orgs}");
    let shown = installation.cli(&["catalog", "show", "later", "lake"]).expect("show");
    assert_eq!(shown["state"], "ready");
}
