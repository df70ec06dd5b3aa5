use super::*;
use crate::engine::image::tests::disks::{self, Disk};

#[test]
fn an_mbr_takes_sectors_of_512_bytes_for_granted() {
    let layout = Layout::of(&disks::mbr(1 << 20));
    assert_eq!(layout.table, Some(Table::Mbr));
    assert_eq!(layout.sector_size, Some(512));
    assert_eq!(layout.reaches, Some(1 << 20));
    assert_eq!(layout.boot(), Boot::Expected);
}

#[test]
fn i13_a_gpt_tells_the_sectors_it_was_made_for() {
    for sector in [512, 2048, 4096] {
        let layout = Layout::of(&disks::gpt(1 << 20, sector));
        assert_eq!(layout.table, Some(Table::Gpt));
        assert_eq!(layout.sector_size, Some(sector));
        assert_eq!(layout.reaches, Some(1 << 20));
    }
}

#[test]
fn the_first_sector_of_fat_is_no_table() {
    let layout = Layout::of(&disks::fat(1 << 20));
    assert_eq!(layout.table, None);
    assert_eq!(layout.file_system, Some(FileSystem::Fat));
    assert_eq!(layout.boot(), Boot::Expected);
}

#[test]
fn a_program_at_a_tables_place_is_no_table() {
    let mut head = disks::mbr(1 << 20);
    head[446] = 0x12;
    assert!(!Layout::of(&head).is_marked());
}

#[test]
fn i11_what_a_disc_without_a_table_will_do() {
    let plain = Disk::iso().build();
    let layout = Layout::of(&plain);
    assert_eq!(layout.boot(), Boot::NoTable);
    assert_eq!(
        layout.iso.as_ref().map(|iso| iso.label.as_str()),
        Some("A DISC")
    );
    assert_eq!(layout.reaches, Some(plain.len() as u64));
    assert!(layout.sector_size.is_none());

    for windows in [
        Disk::iso().udf().publisher("MICROSOFT CORPORATION"),
        Disk::iso().udf().label("CCCOMA_X64FRE_EN-US_DV9"),
        Disk::iso().udf().udf_name("bootmgr"),
        Disk::iso().udf().udf_wide_name("bootmgr"),
        Disk::iso().names(&["BOOTMGR.;1", "SOURCES"]),
    ] {
        assert_eq!(Layout::of(&windows.build()).boot(), Boot::WindowsInstaller);
    }
    for other in [
        Disk::iso().udf(),
        Disk::iso().udf().udf_name("film"),
        Disk::iso().names(&["BOOT", "SOURCES"]),
        Disk::iso().publisher("MICROSOFT CORPORATION"),
    ] {
        assert_eq!(Layout::of(&other.build()).boot(), Boot::NoTable);
    }
}

#[test]
fn i11_a_hybrid_disc_boots() {
    let mut hybrid = Disk::iso().build();
    disks::add_mbr(&mut hybrid, 0, 9000);
    let layout = Layout::of(&hybrid);
    assert_eq!(layout.boot(), Boot::Expected);
    assert!(layout.iso.is_some());
    // What the table rounds up is no reason to miss anything.
    assert_eq!(layout.reaches, Some(hybrid.len() as u64));
}
