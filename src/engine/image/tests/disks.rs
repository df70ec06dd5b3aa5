//! The beginnings of disks, made by hand.

const SECTOR: usize = 2048;

/// A disk of that many bytes with an MBR and one partition up to its end.
pub(in crate::engine::image) fn mbr(size: usize) -> Vec<u8> {
    let mut disk = vec![0; size];
    add_mbr(&mut disk, 64, (size / 512) as u32 - 64);
    disk
}

/// Writes an MBR with one partition: first sector, sectors.
pub(in crate::engine::image) fn add_mbr(disk: &mut [u8], start: u32, length: u32) {
    disk[446..510].fill(0);
    disk[446] = 0x80;
    disk[450] = 0x0C;
    disk[454..458].copy_from_slice(&start.to_le_bytes());
    disk[458..462].copy_from_slice(&length.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xAA]);
}

/// A disk of that many bytes with a GPT, for sectors of that size, and one partition up to its
/// end.
pub(in crate::engine::image) fn gpt(size: usize, sector: u32) -> Vec<u8> {
    let mut disk = vec![0; size];
    let sector = sector as usize;
    let header = &mut disk[sector..];
    header[..8].copy_from_slice(b"EFI PART");
    header[24] = 1;
    header[72] = 2;
    header[80] = 128;
    header[84] = 128;
    let entry = &mut disk[2 * sector..];
    entry[..16].fill(7);
    let last = (size / sector) as u64 - 1;
    entry[40..48].copy_from_slice(&last.to_le_bytes());
    disk
}

/// A disk of that many bytes that is one FAT, as a floppy disk is.
pub(in crate::engine::image) fn fat(size: usize) -> Vec<u8> {
    let mut disk = vec![0; size];
    disk[..3].copy_from_slice(&[0xEB, 0x3C, 0x90]);
    disk[54..62].copy_from_slice(b"FAT12   ");
    // Its program lies where a table would.
    disk[446..510].fill(0);
    disk[450] = 0x0C;
    disk[458] = 9;
    disk[510..512].copy_from_slice(&[0x55, 0xAA]);
    disk
}

/// A CD or DVD.
#[derive(Default)]
pub(in crate::engine::image) struct Disk {
    udf: bool,
    publisher: &'static str,
    label: Option<&'static str>,
    names: Vec<&'static str>,
    udf_name: Vec<u8>,
}

impl Disk {
    pub(in crate::engine::image) fn iso() -> Self {
        Self::default()
    }

    pub(in crate::engine::image) fn udf(mut self) -> Self {
        self.udf = true;
        self
    }

    pub(in crate::engine::image) fn publisher(mut self, publisher: &'static str) -> Self {
        self.publisher = publisher;
        self
    }

    pub(in crate::engine::image) fn label(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }

    pub(in crate::engine::image) fn names(mut self, names: &[&'static str]) -> Self {
        self.names = names.to_vec();
        self
    }

    pub(in crate::engine::image) fn udf_name(mut self, name: &str) -> Self {
        self.udf_name = [b"\x08", name.as_bytes()].concat();
        self
    }

    pub(in crate::engine::image) fn udf_wide_name(mut self, name: &str) -> Self {
        let letters = name.encode_utf16().flat_map(u16::to_be_bytes);
        self.udf_name = [0x10].into_iter().chain(letters).collect();
        self
    }

    pub(in crate::engine::image) fn build(self) -> Vec<u8> {
        const SECTORS: u32 = 300;
        let mut disk = vec![0; SECTORS as usize * SECTOR];
        let mut put = |sector: usize, at: usize, bytes: &[u8]| {
            let at = sector * SECTOR + at;
            disk[at..at + bytes.len()].copy_from_slice(bytes);
        };
        put(16, 0, b"\x01CD001\x01");
        put(16, 40, &[b' '; 32]);
        put(16, 40, self.label.unwrap_or("A DISC").as_bytes());
        put(16, 80, &SECTORS.to_le_bytes());
        put(16, 128, &2048_u16.to_le_bytes());
        put(16, 158, &20_u32.to_le_bytes());
        put(16, 166, &2048_u32.to_le_bytes());
        put(16, 318, self.publisher.as_bytes());
        put(17, 0, b"\xFFCD001\x01");
        if self.udf {
            put(18, 0, b"\0BEA01\x01");
            put(19, 0, b"\0NSR02\x01");
            put(20, 0, b"\0TEA01\x01");
        }
        let mut at = 0;
        for name in self.names {
            let length = 33 + name.len();
            put(20, at, &[length as u8]);
            put(20, at + 32, &[name.len() as u8]);
            put(20, at + 33, name.as_bytes());
            at += length;
        }
        put(270, 99, &self.udf_name);
        disk
    }
}
