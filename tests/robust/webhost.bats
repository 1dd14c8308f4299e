# SPDX-License-Identifier: Apache-2.0
# The main job on real input: docs/examples/webhost.yaml on this machine's own /etc, in a mount
# namespace of its own, where what is written goes to a layer that vanishes with it.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

on_a_copy_of_this_machine() {
    unshare --mount sh -eu -c "
        mount -t tmpfs none /mnt
        for d in etc srv var; do
            mkdir -p /mnt/\$d.up /mnt/\$d.work
            mount -t overlay overlay -o lowerdir=/\$d,upperdir=/mnt/\$d.up,workdir=/mnt/\$d.work /\$d
        done
        apply() {
            '$abs_top_builddir/rhost' apply --state-dir '$work/state' --detailed-exitcodes \"\$@\" \
                '$abs_top_srcdir/docs/examples/webhost.yaml' 2>&1
        }
        $1
    "
}

@test "a web host's site converges on a real /etc, in one run, and drift is shown and repaired" {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    run on_a_copy_of_this_machine '
        # In containers these are mounts of their own, which cannot be replaced.
        for f in /etc/hosts /etc/resolv.conf /etc/hostname; do
            if mountpoint -q "$f"; then cp "$f" /mnt/copy; umount "$f"; cp /mnt/copy "$f"; fi
        done
        status=0; apply || status=$?
        echo "first run: $status"
        status=0; apply --debug >/mnt/second || status=$?
        echo "second run: $status"
        tail -n 1 /mnt/second
        echo "calls that write: $(grep -cE "^debug: .*: (set,|create|update|remove|act,)" /mnt/second || true)"
        echo "calls that read: $(grep -cE "^debug: .*: (get,|load)" /mnt/second || true)"

        # Drift, by hand, in five ways.
        echo "tampered" >>/etc/issue.net
        chmod 0666 /etc/sysctl.d/60-kernel.conf
        ln -sfn /elsewhere /etc/systemd/system/ctrl-alt-del.target
        sed -i "/backup.example.org/d" /etc/hosts
        rm /srv/www/maintenance/index.html
        status=0; apply --noop >/mnt/noop || status=$?
        cat /mnt/noop
        echo "noop: $status, $(grep -c "would change$" /mnt/noop) would change"
        status=0; apply >/mnt/repair || status=$?
        echo "repair: $status"
        tail -n 1 /mnt/repair
        status=0; apply -q || status=$?
        echo "after: $status"
    '
    echo "$output"
    status_is 0
    says "first run: 2"
    says "second run: 0"
    says "calls that write: 0"
    says "noop: 2, 5 would change"
    says "repair: 2"
    says "after: 0"
}
