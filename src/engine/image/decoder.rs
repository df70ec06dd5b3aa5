mod bzip2;
mod gzip;
mod lz4;
mod members;

use std::io::{self, BufRead, BufReader, Read};

use liblzma::stream::{CONCATENATED, Stream, TELL_UNSUPPORTED_CHECK};

use self::bzip2::Bzip2;
use gzip::Gzip;
use lz4::Lz4;
use members::Members;

use super::Container;
use super::memory::{MOST_OF_DECODER, MOST_WINDOW_LOG};

/// What a decoder reads from.
pub(super) type Input<'a> = Box<dyn BufRead + 'a>;

/// Bytes read at once between two layers.
pub(super) const INPUT: usize = 64 * 1024;

/// Unpacks one layer after the other, the outermost first. The bytes come to their end only where
/// all members have come to theirs and all checksums that there are have been right.
pub(super) fn unpack<'a>(
    mut input: Input<'a>,
    containers: &[Container],
) -> io::Result<Box<dyn Read + 'a>> {
    let Some((innermost, outer)) = containers.split_last() else {
        return Ok(Box::new(input));
    };
    for container in outer {
        input = Box::new(BufReader::with_capacity(INPUT, layer(input, *container)?));
    }
    layer(input, *innermost)
}

fn layer(input: Input<'_>, container: Container) -> io::Result<Box<dyn Read + '_>> {
    Ok(match container {
        Container::Gzip => Box::new(Members::<_, Gzip<_>>::new(input)),
        Container::Bzip2 => Box::new(Members::<_, Bzip2<_>>::new(input)),
        Container::Lz4 => Box::new(Members::<_, Lz4<_>>::new(input)),
        Container::Xz => {
            let flags = CONCATENATED | TELL_UNSUPPORTED_CHECK;
            let stream = Stream::new_stream_decoder(MOST_OF_DECODER, flags)?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(input, stream))
        }
        Container::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(input)?;
            decoder.window_log_max(MOST_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Container::Zip => unreachable!("an archive's entry is unpacked by the archive"),
    })
}

/// Whether a decoder gave up because of its bound, not because of its input.
pub(super) fn wants_too_much_memory(error: &io::Error) -> bool {
    let of_xz = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<liblzma::stream::Error>())
        .is_some_and(|inner| matches!(inner, liblzma::stream::Error::MemLimit));
    // The crate keeps libzstd's words only.
    of_xz || error.to_string() == "Frame requires too much memory for decoding"
}
