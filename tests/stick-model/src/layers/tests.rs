use super::*;
use crate::Profile;

const SIZE: usize = 64 << 10;

fn layers(spec: &str) -> (Layers, File) {
    let medium = tempfile::tempfile().unwrap();
    medium.set_len(SIZE as u64).unwrap();
    let profile = Profile::parse(spec).unwrap();
    let layers = Layers::new(medium.try_clone().unwrap(), profile.parameters());
    (layers, medium)
}

fn seen(layers: &Layers) -> Vec<u8> {
    let mut all = vec![0; SIZE];
    layers.read(&mut all, 0).unwrap();
    all
}

fn held(medium: &File) -> Vec<u8> {
    let mut all = vec![0; SIZE];
    medium.read_exact_at(&mut all, 0).unwrap();
    all
}

#[test]
fn without_a_cache_a_write_is_on_the_medium_at_once() {
    let (mut layers, medium) = layers("even");
    assert!(!layers.write(&[7; 5000], 1000, false).unwrap());
    let expected = seen(&layers);
    assert_eq!(expected[1000..6000], [7; 5000]);
    assert_eq!(held(&medium), expected);
    assert!(layers.power_off().unwrap().is_empty());
    assert_eq!(held(&medium), expected);
}

#[test]
fn what_is_written_is_read_back_whatever_its_place() {
    let (mut layers, medium) = layers("volatile");
    let mut expected = vec![0; SIZE];
    for (n, (offset, length)) in [
        (0, 512),
        (512, 512),
        (4095, 2),
        (3584, 9000),
        (8192, 4096),
        (SIZE - 512, 512),
        (0, SIZE),
        (40_000, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let data = vec![n as u8 + 1; length];
        assert!(layers.write(&data, offset as u64, false).unwrap());
        expected[offset..offset + length].fill(n as u8 + 1);
        assert_eq!(seen(&layers), expected, "{offset}+{length}");
        let mut part = vec![0; 3000];
        layers.read(&mut part, 3000).unwrap();
        assert_eq!(part, expected[3000..6000]);
    }
    assert_eq!(held(&medium), [0; SIZE]);
    layers.flush().unwrap();
    assert_eq!(held(&medium), expected);
    assert!(layers.power_off().unwrap().is_empty());
    assert_eq!(held(&medium), expected);
}

#[test]
fn a_pull_loses_some_unflushed_blocks_and_no_flushed_one() {
    let (mut layers, medium) = layers("volatile:seed=3");
    layers.write(&[1; SIZE / 2], 0, false).unwrap();
    layers.flush().unwrap();
    layers
        .write(&[2; SIZE / 2], (SIZE / 2) as u64, false)
        .unwrap();
    let survived = layers.power_off().unwrap();

    let held = held(&medium);
    assert_eq!(held[..SIZE / 2], [1; SIZE / 2]);
    let mut expected = vec![0; SIZE / 2];
    for range in &survived {
        expected[range.start as usize - SIZE / 2..range.end as usize - SIZE / 2].fill(2);
    }
    assert_eq!(held[SIZE / 2..], expected);
    assert!((1..SIZE / 2 / 4096).contains(&survived.len()));
}

#[test]
fn the_seed_and_the_share_decide_what_survives() {
    let pull = |spec: &str| {
        let (mut layers, medium) = layers(spec);
        layers.write(&[2; SIZE], 0, false).unwrap();
        layers.power_off().unwrap();
        held(&medium)
    };
    assert_eq!(pull("volatile:seed=5"), pull("volatile:seed=5"));
    assert_ne!(pull("volatile:seed=5"), pull("volatile:seed=6"));
    assert_eq!(pull("volatile:keep=0"), [0; SIZE]);
    assert_eq!(pull("volatile:keep=1"), [2; SIZE]);
}

#[test]
fn about_half_of_many_blocks_survive() {
    for seed in 0..20 {
        let survivors = (0..10_000)
            .filter(|block| survives(*block, seed, 0.5))
            .count();
        assert!((4700..5300).contains(&survivors), "{seed}: {survivors}");
    }
}

#[test]
fn a_durable_write_does_not_take_its_neighbours_along() {
    let (mut layers, medium) = layers("volatile:keep=0");
    layers.write(&[1; 4096], 0, false).unwrap();
    assert!(!layers.write(&[2; 512], 512, true).unwrap());
    assert_eq!(
        seen(&layers)[..1536],
        [[1; 512], [2; 512], [1; 512]].concat()
    );
    layers.power_off().unwrap();
    assert_eq!(
        held(&medium)[..1536],
        [[0; 512], [2; 512], [0; 512]].concat()
    );
}
