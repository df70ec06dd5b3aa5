use crate::engine::image::content::{Content, HEAD, Sample};
use crate::engine::image::decoded::BUFFERS;
use crate::engine::image::head::Head;
use crate::engine::image::memory::{self, MOST_MEMORY};
use crate::engine::image::{Container, Layout, Refusal, Refused, Size};

/// Layers that are unpacked: an archive, and one more in it.
const MOST_LAYERS: usize = 2;

/// A disk that was found in a file.
pub(in crate::engine::image) struct Inside {
    pub layout: Layout,
    /// What it is packed in, the outermost first.
    pub containers: Vec<Container>,
    /// Bytes of the disk, as far as its beginning tells.
    pub size: Size,
    /// Bytes of memory for unpacking it.
    pub memory: u64,
}

impl Inside {
    pub(in crate::engine::image) fn is_marked(&self) -> bool {
        self.layout.is_marked()
    }
}

/// Looks through everything that a disk is packed in, from the first bytes of the outermost, of
/// which it is known how many there are, and from the last. `containers`: what was taken off
/// before.
pub(in crate::engine::image) fn see_through(
    mut head: Vec<u8>,
    mut tail: &[u8],
    mut size: Option<u64>,
    mut containers: Vec<Container>,
) -> Result<Inside, Refused> {
    let mut memory = BUFFERS;
    loop {
        let sample = Sample {
            head: &head,
            tail,
            size,
        };
        let why = match Content::of(sample) {
            Content::Disk(layout) => {
                return Ok(Inside {
                    layout,
                    containers,
                    size: size.map_or(Size::AtLeast(head.len() as u64), Size::Exact),
                    memory,
                });
            }
            Content::Packed(container)
                if container != Container::Zip && containers.len() < MOST_LAYERS =>
            {
                memory = memory.saturating_add(memory::of_decoder(container, &head));
                containers.push(container);
                let is_cut = size.is_none_or(|size| size > head.len() as u64);
                match unpack(container, &head, is_cut, memory) {
                    Ok((bytes, is_whole)) => {
                        debug_assert!(bytes.len() <= HEAD);
                        size = is_whole.then_some(bytes.len() as u64);
                        head = bytes;
                        tail = &[];
                        continue;
                    }
                    Err(why) => why,
                }
            }
            Content::Packed(_) => Refusal::PackedTooOften,
            content => content
                .refusal()
                .expect("what is neither a disk nor packed is refused"),
        };
        return Err(Refused {
            why,
            inside: containers,
        });
    }
}

fn unpack(
    container: Container,
    head: &[u8],
    is_cut: bool,
    memory: u64,
) -> Result<(Vec<u8>, bool), Refusal> {
    let too_much = |needs| Refusal::TooMuchMemory {
        needs,
        most: MOST_MEMORY,
    };
    if memory > MOST_MEMORY {
        return Err(too_much(memory));
    }
    match Head::unpack(container, head, is_cut) {
        Head::Bytes { bytes, is_whole } => Ok((bytes, is_whole)),
        Head::Corrupt { at } => Err(Refusal::Corrupt { at }),
        Head::TooMuchMemory => Err(too_much(memory.max(MOST_MEMORY + 1))),
    }
}
