//! Answers that no UDisks2 of today gives, and names that somebody plays with.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use zbus::zvariant::{OwnedValue, Value};

use super::tree::{Tree, bytes, object, stick};
use crate::drives::Refusal;

const TEXTS: [&str; 6] = [
    "<b>&amp;</b>",
    "\u{1b}[2J\u{9b}31m\r\n\t",
    "photo\u{202e}gpj.exe",
    "/",
    "usb",
    "",
];

/// A value of any type that UDisks2 uses, and of some that it does not.
fn odd() -> impl Strategy<Value = OwnedValue> {
    let owned = |value: Value<'static>| OwnedValue::try_from(value).expect("a plain value");
    prop_oneof![
        any::<bool>().prop_map(move |it| owned(it.into())),
        any::<u64>().prop_map(move |it| owned(it.into())),
        any::<i32>().prop_map(move |it| owned(it.into())),
        any::<f64>().prop_map(move |it| owned(it.into())),
        select(TEXTS.to_vec()).prop_map(move |it| owned(it.into())),
        Just(owned("x".repeat(10_000).into())),
        any::<Vec<u8>>().prop_map(move |it| owned(it.into())),
        vec(any::<Vec<u8>>(), 0..3).prop_map(move |it| owned(it.into())),
        Just(owned(object("/"))),
        Just(owned(Value::Value(Box::new(bytes("/dev/sdb"))))),
        Just(owned((5_u8, "a").into())),
    ]
}

/// What happens to some of the properties: gone, or something else.
fn changes() -> impl Strategy<Value = Vec<(Index, Option<OwnedValue>)>> {
    let one = (any::<Index>(), proptest::option::weighted(0.8, odd()));
    vec(one, 0..12).prop_filter("something", |changes| !changes.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_a_property_is_a_list_comes_of_it(changes in changes()) {
        let mut tree = stick(&["/media/ann/HOLIDAY"]);
        for (which, value) in changes {
            change(&mut tree, which, value);
        }
        for row in tree.list() {
            prop_assert!(row.refusal.is_some() || row.size > 0);
            prop_assert!(!row.device.as_os_str().is_empty());
        }
    }

    /// One property at a time of what says that the running system is on it.
    #[test]
    fn the_running_system_is_not_offered_whatever_else_is_odd(changes in changes()) {
        let mut tree = stick(&["/"]);
        for (which, value) in changes {
            change(&mut tree, which, value);
        }
        for row in tree.list() {
            let mut places = row.volumes.iter().flat_map(|volume| &volume.mounted_at);
            if places.any(|place| place.as_os_str() == "/") {
                prop_assert_eq!(row.refusal, Some(Refusal::InUseBySystem));
            }
        }
    }
}

fn change(tree: &mut Tree, which: Index, value: Option<OwnedValue>) {
    let mut properties: Vec<_> = tree
        .0
        .iter()
        .flat_map(|(path, interfaces)| {
            interfaces.iter().flat_map(move |(interface, properties)| {
                let names = properties.keys();
                names.map(move |name| (path.clone(), interface.clone(), name.clone()))
            })
        })
        .collect();
    // The tree itself has no order.
    properties.sort_by_key(|(path, interface, name)| format!("{path} {interface} {name}"));
    if properties.is_empty() {
        return;
    }
    let (path, interface, name) = which.get(&properties);
    let known = tree
        .0
        .get_mut(path)
        .and_then(|it| it.get_mut(interface))
        .expect("it was just there");
    match value {
        Some(value) => known.insert(name.clone(), value),
        None => known.remove(name),
    };
}
