//! Certificates for organisations' host names from an authority that speaks ACME (RFC 8555), proven by HTTP-01 (§8.3).
//!
//! A host name needs one when no certificate of the operator's fits it and the authority's own is missing or past two
//! thirds of its time. What the authority gives lies below `acme/` of the data directory and comes into force like any
//! certificate there. Off unless a directory is configured.

mod challenges;
mod retry;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail};
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, ChallengeType, Identifier, NewAccount, NewOrder, Order, OrderStatus,
    RetryPolicy,
};
use pintail_configstore::Store;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub use self::challenges::Challenges;
use self::retry::Retries;
use super::Certificates;
use crate::config::Config;
use crate::unix;

/// Between two looks for host names without a certificate.
const LOOK: Duration = Duration::from_secs(5);
/// How long the authority may take to check one proof, or to sign.
const PATIENCE: Duration = Duration::from_secs(90);

/// The directory of what authorities give, below the data directory.
pub fn directory(data_dir: &Path) -> PathBuf {
    data_dir.join("acme")
}

/// What asks for certificates.
pub struct Acme {
    /// The authority's directory.
    url: String,
    /// Who the authority may write to; `mailto:` URLs.
    contacts: Vec<String>,
    /// The root that the directory's own certificate is checked against, where it is not one of the system's.
    root: Option<PathBuf>,
    suffixes: Vec<String>,
    files: PathBuf,
    store: Store,
    certificates: Arc<Certificates>,
    reload: Arc<Notify>,
    challenges: Challenges,
    account: Option<Account>,
    retries: Retries,
}

impl Acme {
    /// `None` where no directory is configured. `reload` has the certificates read again.
    pub fn new(config: &Config, store: Store, certificates: Arc<Certificates>, reload: Arc<Notify>) -> Option<Self> {
        if config.acme_directory.is_empty() {
            return None;
        }
        Some(Self {
            url: config.acme_directory.clone(),
            contacts: config
                .acme_contacts
                .0
                .iter()
                .map(|address| format!("mailto:{address}"))
                .collect(),
            root: config.acme_root.0.clone(),
            suffixes: config.host_suffixes.0.clone(),
            files: directory(&config.data_dir()),
            store,
            certificates,
            reload,
            challenges: Challenges::default(),
            account: None,
            retries: Retries::default(),
        })
    }

    /// The answers that the authority looks for.
    pub fn challenges(&self) -> Challenges {
        self.challenges.clone()
    }

    /// Asks for certificates until cancelled.
    pub async fn keep(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = stop.cancelled() => return,
            }
            tokio::select! {
                () = self.ask_for_all() => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Asks for every certificate that is due, one after the other.
    async fn ask_for_all(&mut self) {
        let due: Vec<String> = self.hosts().into_iter().filter(|host| self.is_due(host)).collect();
        for host in due {
            match self.ask(&host).await {
                Ok(()) => {
                    self.retries.succeeded(&host);
                    self.reload.notify_one();
                    tracing::info!(host, "the authority gave a certificate");
                }
                Err(error) => {
                    let pause = self.retries.failed(&host, &error, Instant::now());
                    let error = format!("{error:#}");
                    tracing::error!(host, error, pause = ?pause, "the authority gave no certificate; trying again later");
                }
            }
            if self.retries.is_paused(Instant::now()) {
                return;
            }
        }
    }

    /// The host names of all organisations: below each suffix, and their own.
    fn hosts(&self) -> Vec<String> {
        let snapshot = self.store.snapshot();
        let mut hosts = Vec::new();
        for org in snapshot.orgs() {
            // A host name has no `_`, which slugs may have.
            let label = org.slug.to_string().replace('_', "-");
            hosts.extend(self.suffixes.iter().map(|suffix| format!("{label}.{suffix}")));
            // HTTP-01 proves no wildcard.
            hosts.extend(org.hosts.iter().filter(|host| !host.starts_with('*')).cloned());
        }
        hosts
    }

    fn is_due(&self, host: &str) -> bool {
        self.certificates.wants_renewal(host, SystemTime::now()) && self.retries.may_try(host, Instant::now())
    }

    async fn ask(&mut self, host: &str) -> anyhow::Result<()> {
        let identifiers = [Identifier::Dns(host.to_owned())];
        let mut order = self
            .account()
            .await?
            .new_order(&NewOrder::new(&identifiers))
            .await
            .context("ordering")?;
        let _answers = self.prove(&mut order).await?;
        let policy = RetryPolicy::default().timeout(PATIENCE);
        if order
            .poll_ready(&policy)
            .await
            .context("waiting for the proof to be checked")?
            != OrderStatus::Ready
        {
            bail!("the proof was refused: {}", refusal(&mut order).await);
        }
        let key = order.finalize().await.context("asking for the signature")?;
        let chain = order
            .poll_certificate(&policy)
            .await
            .context("waiting for the signature")?;
        self.write(host, &key, &chain)
    }

    /// Puts up the proofs and says so; they are taken down with what is returned.
    async fn prove(&self, order: &mut Order) -> anyhow::Result<Vec<challenges::Answer>> {
        let mut answers = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.context("reading what is to be proven")?;
            match authorization.status {
                AuthorizationStatus::Valid => continue,
                AuthorizationStatus::Pending => {}
                other => bail!("what is to be proven is {other:?} already"),
            }
            let mut challenge = authorization
                .challenge(ChallengeType::Http01)
                .context("the authority takes no proof by HTTP-01")?;
            let answer = self
                .challenges
                .put_up(&challenge.token, challenge.key_authorization().as_str());
            answers.push(answer);
            challenge.set_ready().await.context("asking for the check")?;
        }
        Ok(answers)
    }

    /// The account with the authority, made at first use.
    async fn account(&mut self) -> anyhow::Result<&Account> {
        if self.account.is_none() {
            unix::private_dir(&self.files).with_context(|| self.files.display().to_string())?;
            // An account belongs to one authority.
            let file = self.files.join(format!("account-{}.json", file_name(&self.url)));
            let account = match std::fs::read(&file) {
                Ok(credentials) => {
                    let credentials =
                        serde_json::from_slice(&credentials).with_context(|| file.display().to_string())?;
                    self.builder()?
                        .from_credentials(credentials)
                        .await
                        .context("signing in")?
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.sign_up(&file).await?,
                Err(error) => return Err(error).with_context(|| file.display().to_string()),
            };
            self.account = Some(account);
        }
        self.account.as_ref().context("an account")
    }

    async fn sign_up(&self, file: &Path) -> anyhow::Result<Account> {
        let contacts: Vec<&str> = self.contacts.iter().map(String::as_str).collect();
        let wanted = NewAccount {
            contact: &contacts,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let (account, credentials) = self
            .builder()?
            .create(&wanted, self.url.clone(), None)
            .await
            .context("signing up")?;
        unix::write_private(file, &serde_json::to_vec(&credentials)?).with_context(|| file.display().to_string())?;
        Ok(account)
    }

    fn builder(&self) -> anyhow::Result<AccountBuilder> {
        match &self.root {
            Some(root) => Account::builder_with_root(root).with_context(|| root.display().to_string()),
            None => Account::builder().context("the system's roots"),
        }
    }

    /// The key first: a chain without its key is passed over.
    fn write(&self, host: &str, key: &str, chain: &str) -> anyhow::Result<()> {
        for (extension, text) in [("key", key), ("crt", chain)] {
            let file = self.files.join(format!("{host}.{extension}"));
            unix::write_private(&file, text.as_bytes()).with_context(|| file.display().to_string())?;
        }
        Ok(())
    }
}

/// Why the authority did not believe a proof.
async fn refusal(order: &mut Order) -> String {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else {
            break;
        };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.as_ref()) {
            return problem.to_string();
        }
    }
    "no reason is given".into()
}

/// A URL as part of a file's name.
fn file_name(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    url.chars()
        .map(|char| if char.is_ascii_alphanumeric() { char } else { '-' })
        .collect()
}
