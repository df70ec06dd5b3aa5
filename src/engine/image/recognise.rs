mod inside;

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::content::{Content, HEAD, Sample, TAIL};
use super::size::Told;
use super::source_file::SourceFile;
use super::{
    Container, Entry, ImageFile, NameClaim, Recognised, Refusal, Refused, Size, Table, zip_file,
};
use crate::engine::Error;
pub(super) use inside::{Inside, see_through};

/// Looks at a file: what it is, what it is packed in, how large the image in it is. `choice` is
/// the index of an archive's [`Entry`] after [`Recognised::Choice`].
///
/// Reads the file's two ends, headers between them, and of an archive the entries' beginnings;
/// at most some MiB. Belongs on a worker thread all the same.
pub fn look(path: &Path, choice: Option<usize>) -> Result<Recognised, Error> {
    let mut source = SourceFile::open(path)?;
    let recognised = recognise(&mut source, path, choice);
    let mut recognised = recognised.map_err(|error| source.unreadable(error))?;
    if let Recognised::Image(image) = &mut recognised {
        image.stamp = Some(source.stamp().clone());
    }
    Ok(recognised)
}

/// The same for any source. The name serves only to tell where it contradicts the contents, and to
/// decide about an archive's entries that have no mark of anything.
pub fn recognise(
    source: &mut (impl Read + Seek),
    name: &Path,
    choice: Option<usize>,
) -> io::Result<Recognised> {
    let size = source.seek(SeekFrom::End(0))?;
    let tail_at = size.saturating_sub(TAIL as u64);
    let tail = read_up_to(source, tail_at, TAIL)?;
    let head = read_up_to(source, 0, HEAD)?;
    let sample = Sample {
        head: &head,
        tail: &tail,
        size: Some(size),
    };
    let outermost = match Content::of(sample) {
        Content::Packed(Container::Zip) => return zip_file::look(source, size, name, choice),
        Content::Packed(container) => Some(container),
        _ => None,
    };
    let mut inside = match see_through(head, &tail, Some(size), Vec::new()) {
        Ok(inside) => inside,
        Err(refused) => return Ok(Recognised::Refused(refused)),
    };
    if let Some(container) = outermost
        && let Err(why) = ask_container(source, container, size, &mut inside)?
    {
        let inside = inside.containers;
        return Ok(Recognised::Refused(Refused { why, inside }));
    }
    Ok(image_file(inside, None, size, name))
}

/// What a container says about the size of what it holds, and whether it is whole.
fn ask_container(
    source: &mut (impl Read + Seek),
    container: Container,
    file_size: u64,
    inside: &mut Inside,
) -> io::Result<Result<(), Refusal>> {
    Ok(match Told::by(container, source, file_size)? {
        Told::Corrupt(at) => Err(Refusal::Corrupt { at }),
        // Only about the image if nothing lies between.
        Told::Size(size) => {
            if inside.containers.len() == 1 && inside.size.exact().is_none() {
                inside.size = size.and_at_least(inside.size.at_least());
            }
            Ok(())
        }
    })
}

/// The end of looking: an image, unless it was cut.
pub(super) fn image_file(
    inside: Inside,
    entry: Option<Entry>,
    file_size: u64,
    name: &Path,
) -> Recognised {
    let Inside {
        layout,
        containers,
        size,
        memory,
    } = inside;
    // Partitions of an MBR may reach beyond an image that leaves out empty space at its end; what
    // a disc and a GPT say is what was there.
    let is_sure = layout.iso.is_some() || layout.table == Some(Table::Gpt);
    if let (true, Some(needs), Size::Exact(has)) = (is_sure, layout.reaches, size)
        && needs > has
    {
        return Recognised::Refused(Refused {
            why: Refusal::Truncated { needs, has },
            inside: containers,
        });
    }
    Recognised::Image(ImageFile {
        contradicts: NameClaim::against(name, containers.first().copied()),
        containers,
        entry,
        layout,
        size,
        file_size,
        memory,
        stamp: None,
    })
}

fn read_up_to(source: &mut (impl Read + Seek), at: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.seek(SeekFrom::Start(at))?;
    source.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
