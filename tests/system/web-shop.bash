# SPDX-License-Identifier: Apache-2.0
# What docs/examples/web-shop finds on its machine: packages, an image, a repository of git, an archive; and what it
# is to remove. Load this after machine.bash.
# shellcheck disable=SC2034,SC2154 # machine.bash and its callers have them

# The programs that the shop configures.
machine_with_shop() {
    machine_with_services
    machine_fewer=$machine_packages
    machine_packages+=,busybox-static,ca-certificates,crun,git,kmod,locales,podman
    machine_tarball=$(machine_tarball_of "$machine_packages")
}

# Those beside them that Ansible wants, in a machine that has both.
machine_with_shop_and_ansible() {
    machine_with_shop
    machine_fewer=$machine_packages
    machine_packages+=,ansible,python3-apt,python3-cryptography,python3-debian,python3-psycopg2
    machine_tarball=$(machine_tarball_of "$machine_packages")
}

# Whether what the shop is delivered as can be made here; says why not.
shop_possible() {
    local program

    for program in dpkg-scanpackages dpkg-deb git jq; do
        command -v "$program" >/dev/null || {
            echo "needs $program"
            return 1
        }
    done
}

# shop_package DIR NAME: a package in DIR, of what is below DIR/NAME.
shop_package() {
    mkdir -p "$1/$2/DEBIAN" "$1/$2/usr/share/$2"
    printf '%s\n' "Package: $2" 'Version: 1.0' 'Architecture: all' 'Maintainer: Nobody <nobody@example.org>' \
        'Description: a part of the shop' >"$1/$2/DEBIAN/control"
    chmod -R u=rwX,go=rX "$1/$2"
    dpkg-deb -Znone --build --root-owner-group "$1/$2" "$1/$2.deb" >/dev/null
    rm -r "${1:?}/$2"
}

# shop_image MACHINE: an archive as `podman save` makes it, with BusyBox of that machine alone.
shop_image() {
    local dir=$1/srv/images sum

    mkdir -p "$dir/root/bin" "$dir/root/www" "$dir/image"
    cp "$1/bin/busybox" "$dir/root/bin/busybox"
    ln -s busybox "$dir/root/bin/httpd"
    tar -C "$dir/root" --owner=0 --group=0 -cf "$dir/image/layer.tar" .
    sum=$(sha256sum <"$dir/image/layer.tar")
    jq -n --arg sum "sha256:${sum%% *}" '{architecture: "amd64", os: "linux", config: {Env: ["PATH=/bin"], Cmd: ["httpd", "-f"]},
        rootfs: {type: "layers", diff_ids: [$sum]}}' >"$dir/image/config.json"
    jq -n '[{Config: "config.json", RepoTags: ["localhost/shop:1"], Layers: ["layer.tar"]}]' >"$dir/image/manifest.json"
    tar -C "$dir/image" -cf "$dir/shop.tar" manifest.json config.json layer.tar
    rm -r "$dir/root" "$dir/image"
}

# shop_supplies MACHINE: before it boots.
shop_supplies() {
    local packages=$1/srv/packages pages=$1/srv/pages

    mkdir -p "$packages/shop-tools/usr/share/shop-tools" "$packages/shop-mailer/DEBIAN" "$1/srv/git" "$1/srv/files/pictures-1.0" \
        "$1/run"
    printf '#!/bin/sh\necho new\n' >"$packages/shop-tools/usr/share/shop-tools/shopctl-new"
    chmod 755 "$packages/shop-tools/usr/share/shop-tools/shopctl-new"
    printf '%s\n' 'Template: shop-mailer/relay' 'Type: string' 'Description: relay' '' 'Template: shop-mailer/enabled' 'Type: boolean' \
        'Default: true' 'Description: enabled' >"$packages/shop-mailer/DEBIAN/templates"
    local name
    for name in shop-tools shop-docs shop-mailer shop-legacy; do
        shop_package "$packages" "$name"
    done
    (cd "$packages" && dpkg-scanpackages . >Packages 2>/dev/null)
    : >"$1/etc/apt/sources.list"
    chroot "$1" dpkg --install /srv/packages/shop-legacy.deb >/dev/null 2>&1
    chroot "$1" useradd --create-home mallory
    shop_image "$1"
    # What a container in a container in an overlay can have.
    printf '[storage]\ndriver = "vfs"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers/storage"\n' \
        >"$1/etc/containers/storage.conf"
    printf '[containers]\ncgroups = "disabled"\nkeyring = false\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n[engine]\nruntime = "crun"\ncgroup_manager = "cgroupfs"\n' \
        >"$1/etc/containers/containers.conf"
    git -c init.defaultBranch=main init -q "$pages"
    echo '<h1>Welcome</h1>' >"$pages/index.html"
    git -C "$pages" add index.html
    git -C "$pages" -c user.name=shop -c user.email=shop@example.org commit -q -m first
    git clone -q --bare "$pages" "$1/srv/git/pages.git"
    for name in one two; do
        echo "$name" >"$1/srv/files/pictures-1.0/$name.svg"
    done
    tar -C "$1/srv/files" --owner=0 --group=0 -czf "$1/srv/files/pictures.tar.gz" pictures-1.0
    rm -r "$1/srv/files/pictures-1.0" "$pages"
    cp -R "$abs_top_srcdir/docs/examples/web-shop" "$1/root/web-shop"
    chmod -R u+w "$1/root/web-shop"
}

# What somebody did by hand on a bad day: commands for a shell in the machine.
shop_drift() {
    cat <<'END'
hostname other
sed -i /shop1/d /etc/hosts
sysctl -q -w net.core.somaxconn=128
apt-mark -qq unhold shop-tools
update-alternatives --remove shopctl /usr/share/shop-tools/shopctl-new
gpasswd -d bob deploy
sed -i d ~alice/.ssh/authorized_keys
sed -i "s/^PasswordAuthentication.*/PasswordAuthentication yes/" /etc/ssh/sshd_config
cp /etc/ssl/shop/ca.pem /etc/ssl/shop/server.pem
runuser -u postgres -- psql -qXc "ALTER ROLE shop_app PASSWORD 'x' NOLOGIN; REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM shop_report" shop
runuser -u postgres -- psql -qXc "DROP EXTENSION pg_trgm" shop
umount /srv/shop/cache
git -C /var/www/shop checkout -q --detach && git -C /var/www/shop branch -qD main
podman rm -f -t 0 shop >/dev/null
podman volume rm sessions >/dev/null
rm /etc/nginx/sites-enabled/shop
nft insert rule inet filter input tcp dport 23 accept
nft delete rule inet filter input handle "$(nft -a list chain inet filter input | sed -n 's/.*comment "monitoring" # handle //p')"
rm /etc/cron.d/shop-statistics
systemctl -q disable --now shop-backup.timer
echo "# mine" >>/usr/local/sbin/shop-backup
chmod 777 /var/backups/shop
chown root /etc/shop.pgpass
echo set shop-mailer/enabled true | DEBIAN_FRONTEND=noninteractive debconf-communicate >/dev/null
END
}

# What of that can be seen afterwards: more commands for a shell there, which print a line for each.
shop_state() {
    cat <<'END'
hostname
getent hosts shop1.example.org
sysctl -n net.core.somaxconn
apt-mark showhold
readlink /etc/alternatives/shopctl
id -nG bob
wc -l <~alice/.ssh/authorized_keys
sshd -T | grep ^passwordauthentication
openssl x509 -in /etc/ssl/shop/server.pem -noout -subject
runuser -u postgres -- psql -XAtc "SELECT rolcanlogin, rolpassword LIKE 'SCRAM%' FROM pg_authid WHERE rolname = 'shop_app'"
PGPASSFILE=/etc/shop.pgpass psql -h 127.0.0.1 -U shop_app -d shop -XAtc "SELECT 'it logs in'"
runuser -u postgres -- psql -XAtc "SELECT has_table_privilege('shop_report', 'orders', 'select')" shop
runuser -u postgres -- psql -XAtc "SELECT count(*) FROM pg_extension" shop
findmnt -no FSTYPE /srv/shop/cache
git -C /var/www/shop symbolic-ref HEAD
podman inspect -f "{{.Name}} {{.State.Status}}" shop
podman volume ls -q
readlink /etc/nginx/sites-enabled/shop
nft list chain inet filter input | grep accept
ls /etc/cron.d/shop-statistics
systemctl is-active shop-backup.timer
systemctl is-enabled shop-backup.timer
grep -c mine /usr/local/sbin/shop-backup
stat -c %a /var/backups/shop
stat -c %U /etc/shop.pgpass
echo get shop-mailer/enabled | DEBIAN_FRONTEND=noninteractive debconf-communicate
END
}
