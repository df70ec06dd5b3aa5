use std::time::Duration;

use super::*;

#[test]
fn every_name_has_figures_and_says_what_it_needs() {
    for preset in Preset::ALL {
        let name = preset.name;
        let mut spec = name.to_owned();
        if let Some(need) = &preset.needs {
            let told = Profile::parse(name).unwrap_err().to_string();
            spec = format!("{name}:{}={}", need.key, need.example);
            assert!(told.ends_with(&format!(", as in {spec}.")), "{told}");
        }
        let profile = Profile::parse(&spec).unwrap();
        assert_eq!(profile.name(), name);
        assert_eq!(profile.to_string(), spec);
    }
}

#[test]
fn every_key_is_understood_and_every_short_name_stands_for_one() {
    for key in Parameters::KEYS {
        let told = Profile::parse(&format!("even:{key}=?")).unwrap_err();
        assert!(matches!(told, ProfileError::BadValue { .. }), "{told}");
    }
    for (short, key) in Preset::ALL.iter().flat_map(|preset| preset.short) {
        assert!(Parameters::KEYS.contains(key), "{short}: {key}");
    }
}

#[test]
fn a_profile_s_own_name_of_a_key_and_the_key_are_one() {
    let short = Profile::parse("dies:at=1M").unwrap().parameters;
    assert_eq!(Profile::parse("dies:dies_at=1M").unwrap().parameters, short);
    assert_eq!(Profile::parse("even:dies_at=1M").unwrap().parameters, short);
    assert!(Profile::parse("even:at=1M").is_err());
}

#[test]
fn the_presets_are_the_documented_ones() {
    let even = Profile::parse("even").unwrap().parameters;
    assert_eq!((even.write_rate, even.read_rate), (16e6, 24e6));
    assert!(!even.volatile_cache && even.backlog_limit.is_none() && even.dies_at.is_none());

    let volatile = Profile::parse("volatile").unwrap().parameters;
    assert!(volatile.volatile_cache);
    assert_eq!((volatile.write_rate, volatile.read_rate), (16e6, 24e6));

    let backlog = Profile::parse("backlog").unwrap().parameters;
    assert_eq!((backlog.write_rate, backlog.backlog_rate), (17.1e6, 4.04e6));
    assert_eq!(backlog.backlog_limit, Some(15_000_000));
    assert_eq!(backlog.pause, Duration::from_millis(50));

    let ftl = Profile::parse("ftl").unwrap().parameters;
    assert_eq!((ftl.write_rate, ftl.open_blocks), (17.1e6, 2));
    assert_eq!(ftl.erase_block, 4 << 20);

    let cliff = Profile::parse("cliff").unwrap().parameters;
    assert_eq!(
        (cliff.write_rate, cliff.fast_cells),
        (32e6, Some(128 << 20))
    );

    let commands = Profile::parse("commands").unwrap().parameters;
    assert_eq!(commands.command_cost, Duration::from_millis(40));

    let fake = Profile::parse("fake").unwrap().parameters;
    assert_eq!((fake.claims, fake.has), (None, Some(256 << 20)));
    assert_eq!(fake.beyond, Beyond::Wrap);

    let bad = Profile::parse("bad:range=10M-11e6").unwrap().parameters;
    assert_eq!(bad.bad, Some(10 << 20..11_000_000));
    assert!(bad.bad_reads && bad.bad_writes);
    let bad = Profile::parse("bad:range=10M-11M,op=read")
        .unwrap()
        .parameters;
    assert!(bad.bad_reads && !bad.bad_writes);

    let large = Profile::parse("4kn").unwrap().parameters;
    assert_eq!((large.sector, large.write_rate), (4096, 16e6));

    let hang = Profile::parse("hang:at=30e6").unwrap().parameters;
    assert_eq!(hang.hang_at, Some(30_000_000));
    assert_eq!(hang.hang_for, Duration::from_secs(20));

    let slow = Profile::parse("slow-flush:for=0.5").unwrap().parameters;
    assert_eq!(slow.flush_for, Duration::from_millis(500));
}

#[test]
fn overrides_replace_figures() {
    let profile = Profile::parse("dies:at=30e6,wbps=200e6,command_ms=0.3").unwrap();
    assert_eq!(profile.parameters.dies_at, Some(30_000_000));
    assert_eq!(profile.parameters.write_rate, 200e6);
    assert_eq!(profile.parameters.command_cost, Duration::from_micros(300));
}

#[test]
fn a_size_given_elsewhere_is_only_a_default_for_a_fake_stick() {
    for (spec, claims) in [
        ("even", None),
        ("fake", Some(1 << 20)),
        ("fake:claims=2M", Some(2 << 20)),
    ] {
        let mut profile = Profile::parse(spec).unwrap();
        profile.claim_by_default(1 << 20);
        assert_eq!(profile.parameters.claims, claims, "{spec}");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_a_sentence() {
    for (spec, sentence) in [
        (
            "dies",
            "The profile \"dies\" needs at=BYTES, as in dies:at=30e6.",
        ),
        ("even:wbps", "\"wbps\" has no value. Write wbps=VALUE."),
        (
            "even:wbps=0",
            "\"0\" is no value for wbps, which takes bytes a second above 0.",
        ),
        (
            "even:keep=2",
            "\"2\" is no value for keep, which takes a share from 0 to 1.",
        ),
        (
            "volatile:seed=-1",
            "\"-1\" is no value for seed, which takes a whole number.",
        ),
        (
            "bad:range=11M-10M",
            "\"11M-10M\" is no value for range, which takes a range of bytes, as in 10M-11M.",
        ),
        (
            "fake:how=vanish",
            "\"vanish\" is no value for how, which takes wrap or drop.",
        ),
        (
            "hang:for=3",
            "The profile \"hang\" needs at=BYTES, as in hang:at=30e6.",
        ),
        (
            "cliff:fast=0",
            "\"0\" is no value for fast, which takes bytes above 0, as in 64M.",
        ),
    ] {
        assert_eq!(Profile::parse(spec).unwrap_err().to_string(), sentence);
    }
    let unknown = Profile::parse("evne").unwrap_err().to_string();
    assert!(
        unknown.starts_with("There is no stick profile \"evne\". There are: even, volatile, "),
        "{unknown}"
    );
    let unknown = Profile::parse("even:speed=1").unwrap_err().to_string();
    assert!(
        unknown.starts_with("Stick profiles have no parameter \"speed\". They have: wbps, "),
        "{unknown}"
    );
}
