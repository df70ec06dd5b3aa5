use anyhow::Result;

use crate::Lab;

/// Prints what Steady would leave behind, a line each.
const LOOK: &str = r"
pgrep -a -x 'steady|steady-cli' | sed 's/^/process /'
findmnt -rno SOURCE,TARGET | grep ^/dev/sd | grep -v /opt/steady | sed 's/^/mount /'
systemd-inhibit --list --no-legend | grep -i steady | sed 's/^/inhibitor /'
find /home /etc /root /tmp /var/tmp /run/user/1000 -xdev -newer /run/campaign-begin -type f \
    ! -path '/home/tester/job/*' ! -path '*/.local/state/steady/*' ! -path '*/.local/share/steady/*' \
    ! -name 10-campaign.rules ! -path /etc/adjtime ! -name steady.log ! -name 'fill?' ! -name second.json ! -path '*/systemd/*' \
    ! -path '*/dconf/*' ! -path '*/at-spi/*' ! -path '*/.cache/*' | sed 's/^/file /'
find /home/tester/.local -name '*.new' -o -name '*.tmp' -o -name '.tmp*' | sed 's/^/temporary /'
exit 0
";

/// What is left on the PC once the sticks are out and the next run is over.
pub(in super::super) fn left_overs(lab: &Lab) -> Result<Vec<String>> {
    let found = lab.run_root(&["sh", "-c", LOOK])?.success()?.text();
    Ok(found.lines().map(|line| format!("left: {line}")).collect())
}
