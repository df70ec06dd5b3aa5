use std::fmt;

use blake2::Blake2b512;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::{Digest, DynDigest};
use sha2::{Sha256, Sha384, Sha512};

use super::{Algorithm, Checksum};

/// A checksum being computed.
pub struct Hasher {
    algorithm: Algorithm,
    state: State,
}

enum State {
    Common(Box<dyn DynDigest + Send>),
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    /// Of nothing yet.
    pub fn new(algorithm: Algorithm) -> Self {
        let state = match algorithm {
            Algorithm::Md5 => State::Common(Box::new(Md5::new())),
            Algorithm::Sha1 => State::Common(Box::new(Sha1::new())),
            Algorithm::Sha256 => State::Common(Box::new(Sha256::new())),
            Algorithm::Sha384 => State::Common(Box::new(Sha384::new())),
            Algorithm::Sha512 => State::Common(Box::new(Sha512::new())),
            Algorithm::Blake2b => State::Common(Box::new(Blake2b512::new())),
            Algorithm::Blake3 => State::Blake3(Box::default()),
        };
        Self { algorithm, state }
    }

    /// Of these bytes too.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.state {
            State::Common(state) => state.update(bytes),
            State::Blake3(state) => {
                state.update(bytes);
            }
        }
    }

    /// Of all bytes so far.
    pub fn finish(self) -> Checksum {
        let hex = match self.state {
            State::Common(state) => {
                let mut hex = String::new();
                for byte in state.finalize() {
                    hex += &format!("{byte:02x}");
                }
                hex
            }
            State::Blake3(state) => state.finalize().to_hex().to_string(),
        };
        Checksum::new(self.algorithm, hex)
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hasher({})", self.algorithm.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `abc`: the examples of the standards and of the reference programs.
    #[test]
    fn the_known_values_come_out() {
        for (algorithm, start) in [
            (Algorithm::Md5, "900150983cd24fb0d6963f7d28e17f72"),
            (Algorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                Algorithm::Sha256,
                "ba7816bf8f01cfea414140de5dae2223b00361a3",
            ),
            (
                Algorithm::Sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab",
            ),
            (
                Algorithm::Sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e",
            ),
            (
                Algorithm::Blake2b,
                "ba80a53f981c4d0d6a2797b69f12f6e94c212f14",
            ),
            (
                Algorithm::Blake3,
                "6437b3ac38465133ffb63b75273a8db548c55846",
            ),
        ] {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"a");
            hasher.update(b"bc");
            let checksum = hasher.finish();
            assert!(checksum.hex().starts_with(start), "{checksum:?}");
            assert_eq!(checksum.hex().len(), algorithm.digits());
        }
    }
}
