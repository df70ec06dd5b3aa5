//! The use cases, joining [`crate::engine`] and [`crate::drives`].
