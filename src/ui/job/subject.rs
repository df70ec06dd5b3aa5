/// What a job puts on a stick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) enum Subject {
    /// Files and folders.
    Files,
    /// A disk image.
    Image {
        /// The name of its file.
        name: String,
    },
}
