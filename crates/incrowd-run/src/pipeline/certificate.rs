//! The proof of a bound as a file, for a program that checks it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use incrowd_engine::auto::{MethodChoice, ProofEffort, ReleaseKind};
use incrowd_engine::search::{ProofLog, ProofQuestion};
use incrowd_engine::{Control, Metric};
use serde::Serialize;
use zstd::stream::write::Encoder;

use crate::plan::job::Job;
use crate::{Error, OutputFile, Result};

/// Methods that write their proof down.
const METHODS: [&str; 3] = ["optimal", "k-optimize", "lattice"];
/// The first bytes of a certificate, and its version.
const MAGIC: &[u8; 8] = b"incrowdC";
const VERSION: u32 = 1;
/// How much the proof is compressed: little, so that the search does not wait.
const LEVEL: i32 = 3;

/// Where steps go while the search runs.
#[derive(Clone)]
struct BodySink(Arc<Mutex<Option<Encoder<'static, OutputFile>>>>);

impl Write for BodySink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(encoder) => encoder.write(bytes),
            None => Err(io::Error::other("the proof has been closed")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a method writes the proof of its search down. Of others the proof of a local bound is, which comes after.
pub(super) fn writes_in_search(method: &MethodChoice) -> bool {
    match method {
        MethodChoice::Named(method) => METHODS.contains(&method.info().name),
        MethodChoice::Auto(_) => false,
    }
}

/// A certificate that is being written.
pub(super) struct CertificateWriter {
    target: PathBuf,
    file: OutputFile,
    body: BodySink,
    log: ProofLog,
}

/// The head of a certificate.
#[derive(Serialize)]
struct CertificateHead {
    #[serde(flatten)]
    question: ProofQuestion,
    missing: Vec<String>,
    claim: u64,
    key: String,
    table: String,
}

impl CertificateWriter {
    /// The certificate that a job asks for, if it does. Where it goes is checked before hours are spent.
    pub(super) fn new(job: &Job) -> Result<Option<Self>> {
        let Some(target) = job.certificate.clone() else { return Ok(None) };
        let is_local = job.method.kind() == ReleaseKind::Local;
        if !writes_in_search(&job.method) && !is_local {
            return Err(Error::new("this method writes no certificate").help(
                "choose the method optimal, k-optimize or lattice, or the kind local, or ask for \
                 no certificate",
            ));
        }
        let metric = job.problem.metric;
        let fits = match is_local {
            true => metric == Metric::Ncp,
            false => matches!(metric, Metric::Dm | Metric::Cm),
        };
        if !fits {
            let name = metric.name();
            return Err(Error::new(format!("no certificate is written for the metric {name}"))
                .help("choose dm or cm, or ncp for a local release, or ask for no certificate"));
        }
        if is_local && job.prove != ProofEffort::Fully {
            return Err(Error::new("without a proof there is nothing to write down")
                .help("demand a proof of a local release, too"));
        }
        let failed = |e: io::Error| Error::file("write", &target, &e);
        let file = OutputFile::create_private(&target)?;
        let encoder = Encoder::new(OutputFile::create_private(&target)?, LEVEL).map_err(failed)?;
        let body = BodySink(Arc::new(Mutex::new(Some(encoder))));
        let log = ProofLog::new(body.clone());
        Ok(Some(CertificateWriter { target, file, body, log }))
    }

    /// The same control for a search that writes its proof down.
    pub(super) fn control(&self, control: &Control) -> Control {
        control.clone().with_proof(self.log.clone())
    }

    /// Ends the certificate; it gets its name with the release.
    pub(super) fn finish(mut self, missing: Vec<String>) -> Result<OutputFile> {
        let failed = |e: io::Error| Error::file("write", &self.target, &e);
        let Some((question, claim)) = self.log.finish().map_err(failed)? else {
            return Err(Error::new("the proof of this question cannot be written down")
                .help("ask for k alone; local releases: no missing values, dates or hierarchies"));
        };
        let random: Vec<u8> =
            (0..4).flat_map(|at| RandomState::new().hash_one(at).to_le_bytes()).collect();
        let key = blake3::hash(&random).to_hex().to_string();
        let mut hasher = blake3::Hasher::new();
        hasher.update(key.as_bytes()).update(&question.profiles);
        let table = hasher.finalize().to_hex().to_string();
        let head = CertificateHead { question, missing, claim, key, table };
        let head = serde_json::to_vec(&head).map_err(|e| failed(e.into()))?;
        let body = self.body.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let body = match body {
            Some(encoder) => encoder.finish().map_err(failed)?,
            None => return Err(failed(io::Error::other("the proof has been closed"))),
        };
        let mut write = || -> io::Result<()> {
            let file = &mut self.file;
            file.write_all(MAGIC)?;
            file.write_all(&VERSION.to_le_bytes())?;
            file.write_all(&u32::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes())?;
            file.write_all(&head)?;
            let mut steps = body.reopen().map_err(io::Error::other)?;
            let mut buffer = vec![0; 1 << 18];
            loop {
                match steps.read(&mut buffer)? {
                    0 => return Ok(()),
                    read => file.write_all(&buffer[..read])?,
                }
            }
        };
        write().map_err(failed)?;
        Ok(self.file)
    }
}
