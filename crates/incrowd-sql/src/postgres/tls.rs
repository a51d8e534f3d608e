//! The protection of the way to a database, by rustls.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use incrowd_run::{Error, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;

/// Who is taken for the server.
pub(crate) enum ServerTrust {
    /// Whoever answers: the way is secret, its end is not known.
    Anybody,
    /// Whoever has a certificate of these authorities.
    Authorities(TrustedRoots),
    /// The same, for the name that was asked for.
    Named(TrustedRoots),
}

/// Authorities that are trusted.
pub(crate) enum TrustedRoots {
    /// Those of the system.
    System,
    /// Those in a file.
    File(PathBuf),
}

/// Makes ways to servers.
#[derive(Clone)]
pub(crate) struct RustlsFactory(Arc<ClientConfig>);

impl RustlsFactory {
    pub(crate) fn new(trust: ServerTrust) -> Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let unfit = |error: rustls::Error| Error::new(format!("TLS cannot be used: {error}"));
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(unfit)?;
        let verifier: Arc<dyn ServerCertVerifier> = match trust {
            ServerTrust::Anybody => Arc::new(LenientVerifier { provider, inner: None }),
            ServerTrust::Authorities(roots) => {
                let inner = Some(verifier(&roots, &provider)?);
                Arc::new(LenientVerifier { provider, inner })
            }
            ServerTrust::Named(roots) => verifier(&roots, &provider)?,
        };
        let config =
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        Ok(RustlsFactory(Arc::new(config)))
    }
}

fn verifier(
    roots: &TrustedRoots,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>> {
    let mut store = RootCertStore::empty();
    match roots {
        TrustedRoots::System => {
            for certificate in rustls_native_certs::load_native_certs().certs {
                // One that cannot be read is one less to trust.
                let _ = store.add(certificate);
            }
        }
        TrustedRoots::File(path) => {
            let unread = |cause: String| {
                Error::new(format!("the file with authorities cannot be read: {cause}"))
                    .at(path, None, None)
                    .help("sslrootcert names a file in PEM form, or system")
            };
            let all = CertificateDer::pem_file_iter(path).map_err(|e| unread(e.to_string()))?;
            for certificate in all {
                let certificate = certificate.map_err(|e| unread(e.to_string()))?;
                store.add(certificate).map_err(|e| unread(e.to_string()))?;
            }
        }
    }
    if store.is_empty() {
        return Err(Error::new("there are no certificate authorities to check the server with")
            .help("name a file with sslrootcert=FILE or PGSSLROOTCERT"));
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider))
        .build()
        .map_err(|e| Error::new(format!("TLS cannot be used: {e}")))
}

/// Asks for less than rustls does: for no authority, or for no name.
#[derive(Debug)]
struct LenientVerifier {
    provider: Arc<CryptoProvider>,
    /// Who asks for authorities, if anybody.
    inner: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(certificate, intermediates, name, stapled, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl<S> MakeTlsConnect<S> for RustlsFactory
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = RustlsStream<S>;
    type TlsConnect = RustlsConnector;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<RustlsConnector> {
        Ok(RustlsConnector {
            connector: TlsConnector::from(Arc::clone(&self.0)),
            domain: domain.to_owned(),
        })
    }
}

/// Makes one way.
pub(crate) struct RustlsConnector {
    connector: TlsConnector,
    domain: String,
}

impl<S> TlsConnect<S> for RustlsConnector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = RustlsStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<RustlsStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.domain)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            self.connector.connect(name, stream).await.map(RustlsStream)
        })
    }
}

/// A protected way.
pub(crate) struct RustlsStream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for RustlsStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for RustlsStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for RustlsStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
