//! Object trees as UDisks2 2.10 shows them, and a stand-in for it on a private bus.

mod desk;
mod dump;
mod dumps;
mod fake;
mod format;
mod health;
mod identity;
mod in_use;
mod listing;
mod mounting;
mod odd_answers;
mod opening;
mod private_bus;
mod settle;
mod tree;
mod watching;
