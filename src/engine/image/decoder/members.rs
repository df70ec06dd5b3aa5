use std::io::{self, BufRead, ErrorKind, Read};

/// One of the parts that follow each other in a packed file, each complete in itself.
pub(super) trait Member<R>: Read + Sized {
    /// Begins the next one. `None`: the file has ended as it should.
    fn begin(input: R, is_first: bool) -> io::Result<Option<Self>>;

    /// Gives the rest back when this one was read to its end.
    fn end(self) -> io::Result<R>;
}

/// Reads all members, one after the other.
pub(super) struct Members<R, M> {
    state: State<R, M>,
}

enum State<R, M> {
    Between { input: R, is_first: bool },
    Inside(M),
    Ended,
    Failed,
}

impl<R: BufRead, M: Member<R>> Members<R, M> {
    pub(super) fn new(input: R) -> Self {
        let state = State::Between {
            input,
            is_first: true,
        };
        Self { state }
    }
}

impl<R: BufRead, M: Member<R>> Read for Members<R, M> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            // Whatever fails on the way leaves it failed for good.
            self.state = match std::mem::replace(&mut self.state, State::Failed) {
                State::Between { input, is_first } => match M::begin(input, is_first)? {
                    Some(member) => State::Inside(member),
                    None => State::Ended,
                },
                State::Inside(mut member) => match member.read(buffer)? {
                    0 => State::Between {
                        input: member.end()?,
                        is_first: false,
                    },
                    count => {
                        self.state = State::Inside(member);
                        return Ok(count);
                    }
                },
                State::Ended => {
                    self.state = State::Ended;
                    return Ok(0);
                }
                State::Failed => return Err(ErrorKind::InvalidData.into()),
            };
        }
    }
}

/// Whether nothing is left.
pub(super) fn is_at_end(input: &mut impl BufRead) -> io::Result<bool> {
    Ok(input.fill_buf()?.is_empty())
}
