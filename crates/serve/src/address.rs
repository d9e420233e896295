//! Where the page is, and who may see it.

use std::fmt::Write;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;

use crate::ServeError;

/// The port unless another is named.
const PORT: u16 = 8717;

/// Where to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    at: SocketAddr,
    /// Whether somebody asked for this port, so that no other will do.
    named: bool,
}

impl Default for Address {
    fn default() -> Address {
        Address { at: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)), named: false }
    }
}

impl FromStr for Address {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<Address, ServeError> {
        let local = text.strip_prefix("localhost:").unwrap_or(text);
        let at = match local.parse::<u16>() {
            Ok(port) => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            Err(_) => text.parse().map_err(|_| ServeError::Address(text.into()))?,
        };
        Ok(Address { at, named: true })
    }
}

impl Address {
    /// Listens there.
    pub(crate) fn bind(self) -> Result<TcpListener, ServeError> {
        let address = self.at;
        let any = SocketAddr::new(address.ip(), 0);
        let bound = match TcpListener::bind(address) {
            Err(e) if e.kind() == ErrorKind::AddrInUse && !self.named => TcpListener::bind(any),
            bound => bound,
        };
        bound.map_err(|source| match source.kind() {
            ErrorKind::AddrInUse => {
                let next = SocketAddr::new(address.ip(), address.port().wrapping_add(1).max(1024));
                ServeError::InUse(address, next)
            }
            _ => ServeError::Listen { address, source },
        })
    }
}

/// A word that only those know who were told the address.
#[derive(Clone, Debug)]
pub struct Token(String);

impl Token {
    /// 128 random bits of the system's.
    pub fn random() -> Result<Token, ServeError> {
        let mut bytes = [0; 16];
        let read = File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
        read.map_err(ServeError::Token)?;
        let mut text = String::new();
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Token(text))
    }

    /// Whether a word is this one, in a time that does not tell how much of it is.
    pub fn is(&self, word: &str) -> bool {
        let (a, b) = (self.0.as_bytes(), word.as_bytes());
        let differ = a.iter().enumerate().fold(0, |sum, (i, x)| {
            // Read through a box: the loop must not end at the first difference.
            sum | std::hint::black_box(x ^ b.get(i).copied().unwrap_or(0))
        });
        a.len() == b.len() && differ == 0
    }
}

/// Who may ask for what.
#[derive(Clone, Debug)]
pub struct Door {
    /// Demanded in every address but where only this machine can ask.
    token: Option<Token>,
}

/// Why nobody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The token is missing or wrong.
    Token,
    /// The name is not ours: somebody else's page leads a browser here.
    Host,
}

impl Door {
    /// The door of an address.
    pub fn new(at: SocketAddr) -> Result<Door, ServeError> {
        let token = (!at.ip().is_loopback()).then(Token::random).transpose()?;
        Ok(Door { token })
    }

    /// The path behind the door.
    pub fn pass<'a>(&self, path: &'a str, host: Option<&str>) -> Result<&'a str, Closed> {
        match &self.token {
            Some(token) => {
                let rest = path.strip_prefix('/').unwrap_or(path);
                let (word, _) = rest.split_once('/').unwrap_or((rest, ""));
                match token.is(word) {
                    true => Ok(&rest[word.len()..]),
                    false => Err(Closed::Token),
                }
            }
            // Browsers name the host of the address; only ours is this machine.
            None => match host.is_none_or(is_local) {
                true => Ok(path),
                false => Err(Closed::Host),
            },
        }
    }

    /// The address to open in a browser.
    pub fn url(&self, at: SocketAddr) -> String {
        let host = match at.ip() {
            ip if !ip.is_unspecified() => match ip {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            },
            _ => host_name(),
        };
        let token = self.token.as_ref().map_or(String::new(), |t| format!("{}/", t.0));
        format!("http://{host}:{}/{token}", at.port())
    }
}

/// Any port will do: it may be another one at the other end of a tunnel.
fn is_local(host: &str) -> bool {
    let is_port = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// What this machine is called, for an address that is all of its addresses.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    match name.is_empty() || name == "(none)" {
        true => "localhost".into(),
        false => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_people_write_them() {
        let parse = |text: &str| text.parse::<Address>().map(|a| a.at.to_string());
        for (text, at) in [
            ("8080", "127.0.0.1:8080"),
            ("localhost:0", "127.0.0.1:0"),
            ("0.0.0.0:9", "0.0.0.0:9"),
            ("[::1]:8717", "[::1]:8717"),
        ] {
            assert_eq!(parse(text).unwrap(), at);
        }
        for text in ["", "host", "1.2.3.4", "70000", "::1:80:", "1.2.3.4:99999"] {
            assert!(parse(text).unwrap_err().to_string().contains("is no address"), "{text}");
        }
    }

    #[test]
    fn tokens_differ_and_are_compared_as_a_whole() {
        let (a, b) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(a.0, b.0);
        assert!(a.0.len() == 32 && a.is(&a.0.clone()));
        for wrong in ["", &a.0[..31], &format!("{}0", a.0), &b.0] {
            assert!(!a.is(wrong));
        }
    }

    #[test]
    fn other_machines_need_the_token() {
        let at: SocketAddr = "192.0.2.1:80".parse().unwrap();
        let door = Door::new(at).unwrap();
        let url = door.url(at);
        let path = url.strip_prefix("http://192.0.2.1:80").unwrap();
        assert_eq!(door.pass(path, Some("anything")), Ok("/"));
        assert_eq!(door.pass(&format!("{path}metrics"), None), Ok("/metrics"));
        for wrong in ["/", "/metrics", "//", "/x/", &path[..10]] {
            assert_eq!(door.pass(wrong, Some("192.0.2.1")), Err(Closed::Token), "{wrong}");
        }
    }

    #[test]
    fn names_of_others_are_not_ours() {
        let door = Door::new("127.0.0.1:80".parse().unwrap()).unwrap();
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8717", "127.1.2.3", "[::1]:9", "[::1]"]
        {
            assert_eq!(door.pass("/x", Some(host)), Ok("/x"), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "192.0.2.1", "", "127.0.0.1.x"] {
            assert_eq!(door.pass("/x", Some(host)), Err(Closed::Host), "{host}");
        }
    }
}
