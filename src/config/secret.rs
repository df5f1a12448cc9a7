//! The instance's one secret: made once, kept in the data directory, never used itself.
//!
//! Every use derives its own key by purpose (`simulator`, `media-link`, …), so that a value
//! that leaks opens nothing else.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// Bytes drawn for a new secret.
const SECRET_BYTES: usize = 32;
/// The file's name in the data directory.
const FILE_NAME: &str = "secret";

/// The instance's secret.
#[derive(Debug, Clone)]
pub struct InstanceSecret(SecretString);

impl InstanceSecret {
    /// The one given, else the one kept in `data_dir`, else a new one kept there (mode 0600).
    pub fn load(given: Option<&SecretString>, data_dir: &Path) -> io::Result<Self> {
        if let Some(secret) = given {
            return Ok(Self(secret.clone()));
        }
        private_directory(data_dir)?;
        let path = data_dir.join(FILE_NAME);
        match fs::read_to_string(&path) {
            Ok(kept) if kept.trim().len() >= SECRET_BYTES => Ok(Self(kept.trim().to_owned().into())),
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "{} is too short to be a secret: restore it, or delete it to have a new one made",
                    path.display()
                ),
            )),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Self::make(data_dir, &path),
            Err(e) => Err(e),
        }
    }

    /// A key for one purpose, as 64 hexadecimal digits.
    pub fn derive(&self, purpose: &str) -> SecretString {
        // HMAC takes keys of any length, so this cannot fail; an empty key would only weaken it.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes())
            .unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default()));
        mac.update(purpose.as_bytes());
        hex(&mac.finalize().into_bytes()).into()
    }

    fn make(data_dir: &Path, path: &Path) -> io::Result<Self> {
        // Two version-4 UUIDs hold 244 bits from the system's random source.
        let secret = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let partial = data_dir.join(format!("{FILE_NAME}.{}.new", std::process::id()));
        let mut file = private_file().create(true).truncate(true).open(&partial)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        fs::File::open(data_dir)?.sync_all()?;
        Ok(Self(secret.into()))
    }
}

/// Makes a directory and those above it, readable by their owner alone; one that is there stays as it is.
pub fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens files for writing that, where they are new, only their owner may read.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_made_once_and_derives_a_key_per_purpose() {
        let dir = tempfile::tempdir().unwrap();
        let first = InstanceSecret::load(None, dir.path()).unwrap();
        let again = InstanceSecret::load(None, dir.path()).unwrap();
        let key = |s: &InstanceSecret, p: &str| s.derive(p).expose_secret().to_owned();
        assert_eq!(key(&first, "simulator"), key(&again, "simulator"));
        assert_ne!(key(&first, "simulator"), key(&first, "media-link"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(dir.path().join("secret")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_secret_is_not_replaced_in_silence() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "abc").unwrap();
        assert!(
            InstanceSecret::load(None, dir.path())
                .unwrap_err()
                .to_string()
                .contains("too short")
        );
    }
}
