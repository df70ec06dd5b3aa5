/// One MiB of memory that begins where direct I/O may write to.
#[derive(Debug)]
pub(super) struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
}

impl AlignedBuffer {
    /// Covers the logical blocks of all sticks, 512 and 4096 bytes.
    pub(super) const ALIGNMENT: usize = 4096;
    const SIZE: usize = 1 << 20;

    pub(super) fn new() -> Self {
        let memory = vec![0; Self::SIZE + Self::ALIGNMENT];
        let start = memory.as_ptr().align_offset(Self::ALIGNMENT);
        Self { memory, start }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + Self::SIZE]
    }
}
