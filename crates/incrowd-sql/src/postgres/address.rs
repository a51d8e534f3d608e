//! Where a database is and who asks: addresses, `PG*` variables, service files and password files, as libpq reads them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use incrowd_run::{Error, Result};
use postgres::Config;
use postgres::config::SslMode;

use crate::postgres::tls::{RustlsFactory, ServerTrust, TrustedRoots};

/// Where a database is, who asks, and how the way there is protected. It holds a password only for the connection: nothing
/// that is shown has it.
#[derive(Clone)]
pub struct Address {
    config: Config,
    tls: RustlsFactory,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").finish_non_exhaustive()
    }
}

/// What an address says, as names and values.
type AddressSettings = BTreeMap<&'static str, String>;

/// The settings that are known, with the variable that gives each and what it is without.
const KNOWN: [(&str, Option<&str>); 14] = [
    ("host", Some("PGHOST")),
    ("port", Some("PGPORT")),
    ("dbname", Some("PGDATABASE")),
    ("user", Some("PGUSER")),
    ("password", Some("PGPASSWORD")),
    ("passfile", Some("PGPASSFILE")),
    ("service", Some("PGSERVICE")),
    ("sslmode", Some("PGSSLMODE")),
    ("sslrootcert", Some("PGSSLROOTCERT")),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT")),
    ("options", Some("PGOPTIONS")),
    ("application_name", Some("PGAPPNAME")),
    ("target_session_attrs", Some("PGTARGETSESSIONATTRS")),
    ("keepalives", None),
];

const FORM: &str = "write postgres://user@host:5432/database, or postgres:// alone\nand \
                    PGHOST, PGUSER, PGDATABASE or PGSERVICE in the environment";
const PASSWORD_HELP: &str = "leave it out of the address; put it into a password file \
                             (~/.pgpass or PGPASSFILE),\na service file, or the variable \
                             PGPASSWORD";

/// Looks something up in the environment.
type EnvironmentLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Address {
    /// Reads an address, and what it leaves open from the environment. A password in it is refused: everybody on the machine
    /// can see the arguments of a command, and specs are shared.
    pub fn new(text: &str) -> Result<Self> {
        Address::with(text, &|name| std::env::var(name).ok())
    }

    fn with(text: &str, environment: EnvironmentLookup<'_>) -> Result<Self> {
        let mut settings = parse(text)?;
        if settings.contains_key("password") {
            return Err(Error::new(
                "the address of the database holds a password, which others could see",
            )
            .help(PASSWORD_HELP));
        }
        let given = |settings: &AddressSettings, name: &'static str| {
            let variable = KNOWN.iter().find(|(known, _)| *known == name).and_then(|it| it.1);
            settings
                .get(name)
                .cloned()
                .or_else(|| variable.and_then(environment).filter(|value| !value.is_empty()))
        };
        // An address comes before its service, and a service before the environment.
        if let Some(service) = given(&settings, "service") {
            for (name, value) in service_settings(&service, environment)? {
                settings.entry(name).or_insert(value);
            }
        }
        for (name, _) in KNOWN {
            if let Some(value) = given(&settings, name) {
                settings.insert(name, value);
            }
        }
        build(&settings, environment)
    }

    /// The name of the database, for messages.
    pub fn database(&self) -> Option<&str> {
        self.config.get_dbname().or_else(|| self.config.get_user())
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn tls(&self) -> &RustlsFactory {
        &self.tls
    }
}

/// The settings of an address.
fn parse(text: &str) -> Result<AddressSettings> {
    let wrong = |what: &str| Error::new(format!("the address of the database {what}")).help(FORM);
    let rest = ["postgres://", "postgresql://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme))
        .ok_or_else(|| wrong("does not begin with postgres://"))?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut settings = AddressSettings::new();
    let decoded =
        |text: &str| decode(text).ok_or_else(|| wrong("has a % that no two digits follow"));
    let hosts = match authority.rsplit_once('@') {
        None => authority,
        Some((who, hosts)) => {
            let (user, password) = match who.split_once(':') {
                Some((user, password)) => (user, Some(password)),
                None => (who, None),
            };
            if !user.is_empty() {
                settings.insert("user", decoded(user)?);
            }
            if let Some(password) = password.filter(|it| !it.is_empty()) {
                settings.insert("password", decoded(password)?);
            }
            hosts
        }
    };
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',').filter(|host| !host.is_empty()) {
        // An address of version 6 has colons of its own, and brackets.
        let end = host.rfind(']').unwrap_or(0);
        let (name, port) = match host[end..].rfind(':') {
            Some(at) => (&host[..end + at], &host[end + at + 1..]),
            None => (host, ""),
        };
        names.push(decoded(name.trim_matches(['[', ']']))?);
        ports.push(port.to_owned());
    }
    if names.iter().any(|name| !name.is_empty()) {
        settings.insert("host", names.join(","));
    }
    if ports.iter().any(|port| !port.is_empty()) {
        settings.insert("port", ports.join(","));
    }
    if !path.is_empty() {
        settings.insert("dbname", decoded(path)?);
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| wrong("has a parameter without a value"))?;
        settings.insert(known(name)?, decoded(value)?);
    }
    Ok(settings)
}

/// A setting that is known.
fn known(name: &str) -> Result<&'static str> {
    KNOWN.iter().map(|(known, _)| *known).find(|known| *known == name).ok_or_else(|| {
        let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
        Error::new(format!("the setting `{name}` of a database is unknown"))
            .help(format!("known are {}", names.join(", ")))
    })
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// What a service file says of a service.
fn service_settings(service: &str, environment: EnvironmentLookup<'_>) -> Result<AddressSettings> {
    let own = environment("PGSERVICEFILE").map(PathBuf::from);
    let own = own.or_else(|| Some(home(environment)?.join(".pg_service.conf")));
    let shared =
        environment("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf"));
    let shared = shared.or_else(|| Some("/etc/postgresql-common/pg_service.conf".into()));
    for file in own.into_iter().chain(shared) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if let Some(settings) = section(&text, service, &file)? {
            return Ok(settings);
        }
    }
    Err(Error::new(format!("no service file has a service `{service}`")).help(
        "put it into ~/.pg_service.conf, or the file in PGSERVICEFILE: [service], and \
               host=.. below",
    ))
}

/// The settings below `[service]`.
fn section(text: &str, service: &str, file: &Path) -> Result<Option<AddressSettings>> {
    let mut found: Option<AddressSettings> = None;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            if name == service {
                found = Some(AddressSettings::new());
            }
            continue;
        }
        let Some(settings) = &mut found else { continue };
        // The line itself may hold a password: messages do not show it.
        let (name, value) = line.split_once('=').ok_or_else(|| {
            Error::new(format!("a line of the service `{service}` is not of the form name=value"))
                .at(file, None, None)
        })?;
        settings.insert(known(name.trim())?, value.trim().to_owned());
    }
    Ok(found)
}

fn home(environment: EnvironmentLookup<'_>) -> Option<PathBuf> {
    environment("HOME").or_else(|| environment("USERPROFILE")).map(PathBuf::from)
}

/// The folder in which the server of this machine has its socket.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

fn build(settings: &AddressSettings, environment: EnvironmentLookup<'_>) -> Result<Address> {
    let mut config = Config::new();
    let get = |name: &str| settings.get(name).map(String::as_str);
    let hosts: Vec<&str> = match get("host") {
        Some(hosts) => hosts.split(',').collect(),
        None => {
            let socket = |folder: &&&str| Path::new(folder).join(".s.PGSQL.5432").exists();
            vec![SOCKETS.iter().find(socket).copied().unwrap_or("localhost")]
        }
    };
    for host in &hosts {
        config.host(host);
    }
    for port in get("port").unwrap_or("5432").split(',') {
        let port = if port.is_empty() { "5432" } else { port };
        config.port(port.parse().map_err(|_| {
            Error::new(format!("the port `{port}` of the database is not a number from 1 to 65535"))
        })?);
    }
    // Like libpq, the system's user where nobody else is named.
    let user = get("user")
        .map(str::to_owned)
        .or_else(|| environment("USER"))
        .or_else(|| environment("LOGNAME"));
    let user = user.unwrap_or_else(|| "postgres".to_owned());
    config.user(&user);
    let database = get("dbname").unwrap_or(&user).to_owned();
    config.dbname(&database);
    if let Some(options) = get("options") {
        config.options(options);
    }
    config.application_name(get("application_name").unwrap_or("incrowd"));
    if let Some(text) = get("connect_timeout") {
        let seconds: u64 = text.parse().map_err(|_| {
            Error::new(format!("connect_timeout is a number of seconds, not `{text}`"))
        })?;
        if seconds > 0 {
            config.connect_timeout(Duration::from_secs(seconds));
        }
    } else {
        config.connect_timeout(Duration::from_secs(30));
    }
    match get("target_session_attrs") {
        None | Some("any") => {}
        Some("read-write" | "primary") => {
            config.target_session_attrs(postgres::config::TargetSessionAttrs::ReadWrite);
        }
        Some(other) => {
            return Err(Error::new(format!("target_session_attrs `{other}` is unknown"))
                .help("it can be any or read-write"));
        }
    }
    let password = match get("password") {
        Some(password) => Some(password.to_owned()),
        None => {
            let port = get("port").unwrap_or("5432").split(',').next().unwrap_or("5432");
            let host = hosts.first().copied().unwrap_or("localhost");
            password_of([host, port, &database, &user], get("passfile"), environment)?
        }
    };
    if let Some(password) = password {
        config.password(password);
    }
    let roots = get("sslrootcert").map(|file| match file {
        "system" => TrustedRoots::System,
        file => TrustedRoots::File(file.into()),
    });
    let (mode, trust) = match (get("sslmode").unwrap_or("prefer"), roots) {
        ("disable", _) => (SslMode::Disable, ServerTrust::Anybody),
        ("allow" | "prefer", None) => (SslMode::Prefer, ServerTrust::Anybody),
        ("require", None) => (SslMode::Require, ServerTrust::Anybody),
        // Whoever names authorities wants them to be asked.
        ("allow" | "prefer", Some(roots)) => (SslMode::Prefer, ServerTrust::Authorities(roots)),
        ("require", Some(roots)) => (SslMode::Require, ServerTrust::Authorities(roots)),
        ("verify-ca", roots) => (
            SslMode::Require,
            ServerTrust::Authorities(roots.unwrap_or_else(|| own_roots(environment))),
        ),
        ("verify-full", roots) => {
            (SslMode::Require, ServerTrust::Named(roots.unwrap_or_else(|| own_roots(environment))))
        }
        (other, _) => {
            return Err(Error::new(format!("there is no sslmode `{other}`"))
                .help("it is disable, prefer, require, verify-ca or verify-full"));
        }
    };
    // A socket of this machine needs no protection, and has none.
    let sockets = hosts.iter().all(|host| host.starts_with('/'));
    config.ssl_mode(if sockets { SslMode::Disable } else { mode });
    Ok(Address { config, tls: RustlsFactory::new(trust)? })
}

/// The authorities that a user trusts for databases, or else the system's.
fn own_roots(environment: EnvironmentLookup<'_>) -> TrustedRoots {
    let file = home(environment).map(|home| home.join(".postgresql/root.crt"));
    file.filter(|file| file.exists()).map_or(TrustedRoots::System, TrustedRoots::File)
}

/// The password that a password file has for host, port, database and user.
fn password_of(
    asked: [&str; 4],
    file: Option<&str>,
    environment: EnvironmentLookup<'_>,
) -> Result<Option<String>> {
    let usual = || Some(home(environment)?.join(".pgpass"));
    let Some(path) = file.map(PathBuf::from).or_else(usual) else { return Ok(None) };
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).map(|it| it.permissions().mode()).unwrap_or(0);
        if mode & 0o077 != 0 {
            return Err(Error::new("others may read the password file, so it is not used")
                .at(&path, None, None)
                .help(format!("chmod 600 {}", path.display())));
        }
    }
    // A socket is this machine.
    let host = if asked[0].starts_with('/') { "localhost" } else { asked[0] };
    let asked = [host, asked[1], asked[2], asked[3]];
    let found = text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = password_fields(line);
        let [known @ .., password] = &fields[..] else { return None };
        let fits = known.len() == 4
            && known.iter().zip(asked).all(|(known, asked)| known == "*" || known == asked);
        fits.then(|| password.clone())
    });
    Ok(found)
}

/// The fields of a line of a password file: `\:` and `\\` stand for themselves.
fn password_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let last = fields.len() - 1;
        match c {
            '\\' => fields[last].extend(chars.next()),
            ':' if last < 4 => fields.push(String::new()),
            other => fields[last].push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use postgres::config::Host;

    use super::*;

    fn address(text: &str, variables: &[(&str, &str)]) -> Result<Address> {
        Address::with(text, &|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn addresses_and_the_environment_are_read() {
        let it = address(
            "postgresql://ann%40x@[::1]:6543/my%20db?sslmode=disable&connect_timeout=3",
            &[("PGUSER", "bob"), ("PGPORT", "1")],
        )
        .unwrap();
        assert_eq!(it.config.get_user(), Some("ann@x"));
        assert_eq!(it.config.get_dbname(), Some("my db"));
        assert_eq!(it.config.get_ports(), [6543]);
        assert_eq!(it.config.get_hosts(), [Host::Tcp("::1".to_owned())]);
        assert_eq!(it.config.get_ssl_mode(), SslMode::Disable);
        let it =
            address("postgres://", &[("PGHOST", "/run/x"), ("PGUSER", "bob"), ("PGPASSWORD", "s")])
                .unwrap();
        assert_eq!(it.config.get_hosts(), [Host::Unix("/run/x".into())]);
        assert_eq!(
            (it.config.get_dbname(), it.config.get_password()),
            (Some("bob"), Some(&b"s"[..]))
        );
        let it = address("postgres:///db?host=/run/y", &[("USER", "eve")]).unwrap();
        assert_eq!(it.config.get_hosts(), [Host::Unix("/run/y".into())]);
        assert_eq!(it.config.get_user(), Some("eve"));
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_shown() {
        for text in ["postgres://ann:s3cret@h/db", "postgres://h/db?password=s3cret&user=a"] {
            let error = address(text, &[]).unwrap_err();
            assert!(error.message.contains("holds a password"), "{error:?}");
            assert!(!format!("{error:?}").contains("s3cret"));
        }
        let it = address("postgres://h/db", &[("PGPASSWORD", "s3cret")]).unwrap();
        assert!(!format!("{it:?}").contains("s3cret"));
    }

    #[test]
    fn wrong_addresses_are_told() {
        for text in [
            "mysql://h",
            "postgres://h/a%zz",
            "postgres://h:x/db",
            "postgres://h/?nothing=1",
            "postgres://h/?sslmode=on",
        ] {
            assert!(address(text, &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn services_and_password_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let services = folder.path().join("services");
        std::fs::write(
            &services,
            "# ours\n[other]\nhost=o\n[mine]\nhost=h1\nport=5433\nuser=ann\ndbname=d\n",
        )
        .unwrap();
        let passwords = folder.path().join("pass");
        std::fs::write(&passwords, "x:1:d:ann:no\nh1:5433:*:ann:a\\:b\\\\c:d\n").unwrap();
        let (services, text) = (services.to_str().unwrap(), passwords.to_str().unwrap());
        let variables = [("PGSERVICEFILE", services), ("PGPASSFILE", text), ("PGPORT", "9")];
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let open = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(&passwords, open).unwrap();
            assert!(address("postgres://?service=mine", &variables).is_err());
            let closed = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&passwords, closed).unwrap();
        }
        let it = address("postgres://?service=mine", &variables).unwrap();
        assert_eq!((it.config.get_user(), it.config.get_ports()), (Some("ann"), &[5433][..]));
        assert_eq!(it.config.get_password(), Some(&b"a:b\\c:d"[..]));
        assert!(address("postgres://?service=none", &variables).is_err());
    }
}
