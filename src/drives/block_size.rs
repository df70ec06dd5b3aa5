use std::fs;

use rustix::fs::{major, minor};

use super::Drive;

/// Bytes of a logical block of the drive, as far as the kernel tells: 512, or 4096.
pub fn block_size(drive: &Drive) -> Option<u64> {
    let number = drive.device_number;
    let (major, minor) = (major(number), minor(number));
    let file = format!("/sys/dev/block/{major}:{minor}/queue/logical_block_size");
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives::direct_drives;

    #[test]
    fn each_disk_of_this_computer_has_one_and_what_is_none_has_not() {
        for drive in direct_drives() {
            let size = block_size(&drive).expect("a disk has blocks");
            assert!(size >= 512 && size.is_power_of_two());
        }
        assert_eq!(block_size(&Drive::default()), None);
    }
}
