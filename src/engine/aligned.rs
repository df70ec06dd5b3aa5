/// Memory that begins where direct I/O may read and write.
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
    size: usize,
}

impl AlignedBuffer {
    /// Covers the logical blocks of all sticks, 512 and 4096 bytes.
    pub(crate) const ALIGNMENT: usize = 4096;

    /// So many bytes, zero at first.
    pub(crate) fn new(size: usize) -> Self {
        let memory = vec![0; size + Self::ALIGNMENT];
        let start = memory.as_ptr().align_offset(Self::ALIGNMENT);
        Self {
            memory,
            start,
            size,
        }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.size]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.size]
    }
}
