use std::{io, ops::Range};

use crate::{Beyond, Parameters};

/// What a stick says that it holds and what it does hold; the same on an honest one.
#[derive(Debug)]
pub(super) struct Capacity {
    claims: u64,
    has: u64,
    beyond: Beyond,
}

/// A part of a request, and where it ends up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where in the request's buffer.
    pub(super) part: Range<usize>,
    /// Where on the stick as the host sees it.
    pub(super) seen: Range<u64>,
    /// Where on the medium; none if there is no place for it.
    pub(super) place: Option<u64>,
}

impl Capacity {
    /// For a medium of `has` bytes. Sizes that no stick can have are refused with a sentence.
    pub(super) fn new(has: u64, parameters: &Parameters) -> io::Result<Self> {
        let claims = match (parameters.has, parameters.claims) {
            (None, _) => has,
            (Some(_), claims) => claims.unwrap_or(Parameters::FAKE_CLAIM),
        };
        let refused = |sentence| Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        if claims < has {
            return refused(format!(
                "The stick would claim {claims} bytes and have more, {has}."
            ));
        }
        let sector = parameters.sector;
        if let Some(size) = [claims, has].into_iter().find(|size| size % sector != 0) {
            return refused(format!("{size} bytes are no whole sectors of {sector}."));
        }
        Ok(Self {
            claims,
            has,
            beyond: parameters.beyond,
        })
    }

    /// Bytes as the host sees them.
    pub(super) fn claimed(&self) -> u64 {
        self.claims
    }

    /// Cuts a request into what stays together on the medium.
    pub(super) fn pieces(&self, offset: u64, length: usize) -> impl Iterator<Item = Piece> {
        let end = offset + length as u64;
        let mut at = offset;
        std::iter::from_fn(move || {
            let within = at.checked_rem(self.has)?;
            let seen = at..end.min(at - within + self.has);
            let piece = Piece {
                part: (seen.start - offset) as usize..(seen.end - offset) as usize,
                place: (at < self.has || self.beyond == Beyond::Wrap).then_some(within),
                seen: seen.clone(),
            };
            at = seen.end;
            (!seen.is_empty()).then_some(piece)
        })
    }

    /// What the host had written elsewhere and `piece` has taken the place of.
    pub(super) fn overwritten_by(&self, piece: &Piece) -> impl Iterator<Item = Range<u64>> {
        let length = piece.seen.end - piece.seen.start;
        piece
            .place
            .into_iter()
            .flat_map(move |place| self.seen_at(place..place + length))
            .filter(|seen| *seen != piece.seen)
    }

    /// Everything that the host sees where the medium holds `place`.
    pub(super) fn seen_at(&self, place: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let last = match self.beyond {
            Beyond::Wrap => self.claims.saturating_sub(place.start),
            Beyond::Drop => 1,
        };
        let Range { start, end } = place;
        (0..last)
            .step_by(self.has as usize)
            .map(move |turn| turn + start..(turn + end).min(self.claims))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn capacity(spec: &str) -> Capacity {
        let profile = Profile::parse(spec).unwrap();
        Capacity::new(4096, profile.parameters()).unwrap()
    }

    fn places(capacity: &Capacity, offset: u64, length: usize) -> Vec<(u64, u64, Option<u64>)> {
        let pieces = capacity.pieces(offset, length);
        pieces
            .map(|piece| (piece.seen.start, piece.seen.end, piece.place))
            .collect()
    }

    #[test]
    fn an_honest_stick_has_all_that_it_shows() {
        let honest = capacity("even");
        assert_eq!(honest.claimed(), 4096);
        assert_eq!(places(&honest, 512, 3584), [(512, 4096, Some(512))]);
        assert_eq!(honest.seen_at(512..1024).collect::<Vec<_>>(), [512..1024]);
    }

    #[test]
    fn a_fake_one_wraps_round() {
        let fake = capacity("fake:claims=10K,has=4K");
        assert_eq!(fake.claimed(), 10_240);
        assert_eq!(
            places(&fake, 3584, 6656),
            [
                (3584, 4096, Some(3584)),
                (4096, 8192, Some(0)),
                (8192, 10_240, Some(0))
            ]
        );
        assert_eq!(
            fake.seen_at(1024..4096).collect::<Vec<_>>(),
            [1024..4096, 5120..8192, 9216..10_240]
        );
        assert_eq!(
            fake.seen_at(3072..4096).collect::<Vec<_>>(),
            [3072..4096, 7168..8192]
        );
    }

    #[test]
    fn or_drops_what_is_beyond() {
        let fake = capacity("fake:claims=10K,has=4K,how=drop");
        assert_eq!(
            places(&fake, 3584, 1024),
            [(3584, 4096, Some(3584)), (4096, 4608, None)]
        );
        assert_eq!(fake.seen_at(0..512).collect::<Vec<_>>(), [0..512]);
    }

    #[test]
    fn it_claims_a_gibibyte_unless_told() {
        assert_eq!(capacity("fake").claimed(), 1 << 30);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (spec, sentence) in [
            (
                "fake:claims=2K",
                "The stick would claim 2048 bytes and have more, 4096.",
            ),
            (
                "fake:claims=10000",
                "10000 bytes are no whole sectors of 512.",
            ),
            (
                "4kn:has=4K,claims=10K",
                "10240 bytes are no whole sectors of 4096.",
            ),
        ] {
            let profile = Profile::parse(spec).unwrap();
            let refused = Capacity::new(4096, profile.parameters()).unwrap_err();
            assert_eq!(refused.to_string(), sentence);
        }
    }
}
