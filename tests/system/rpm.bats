#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost as a distribution with rpm ships it: packages built from a tarball, held against what `make install`
# puts in place, installed in a machine of their own, taken away again; and a third party's package.
#
# What packages need is written as Fedora calls it. Here it is there under other names, so they are
# built with --nodeps; where they are installed, a package made for it stands for the system.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/package/machine.bash"

spec=$abs_top_srcdir/packaging/rhost.spec.in

rpm_build() {
    HOME=$BATS_FILE_TMPDIR rpmbuild --quiet --nodeps --define "_topdir $1" \
        --define '_build_name_fmt %%{NAME}.rpm' "${@:2}" >"$1.log" 2>&1 || {
        tail -n 40 "$1.log"
        return 1
    }
}

setup_file() {
    local top=$BATS_FILE_TMPDIR/top tarball

    command -v rpmbuild >/dev/null || return 0
    mkdir -p "$top/SOURCES"
    tarball=$("$abs_top_srcdir/tests/system/make-tarball" "$abs_top_builddir" "$top/SOURCES")
    tar -C "$top" --strip-components=2 -xf "$top/SOURCES/$tarball" --wildcards '*/packaging/rhost.spec'
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DESTDIR CFLAGS CPPFLAGS LDFLAGS
    # The machine code is no matter of these tests.
    rpm_build "$top" -bp --without check "$top/rhost.spec"
    "$abs_top_srcdir/tests/system/objects-of-build" "$abs_top_builddir" "$top"/BUILD/rhost-*
    rpm_build "$top" -bb --noprep --noclean --without check --define "optflags -O0" "$top/rhost.spec"
    rm -f "$top"/RPMS/*debug*
}

setup() {
    requires_command rpmbuild
    work_open
    top=$BATS_FILE_TMPDIR/top
    rpms=$top/RPMS
    libdir=$(rpm --eval '%{_libdir}')
}

teardown() {
    machine_end
}

# What is in a package; rpm's own links to build ids are no matter of ours.
files_of() {
    rpm -qp --qf '[%{FILENAMES} %{FILEFLAGS:fflags} %{FILEMODES:perms}\n]' "$rpms/$1.rpm" 2>/dev/null |
        grep -v '^/usr/lib/[.]build-id'
}

provides_of() {
    rpm -qp --provides "$rpms/$1.rpm" 2>/dev/null | grep -v ' = .*-1$'
}

# The libraries that a package needs, without their versions.
libraries_of() {
    rpm -qp --requires "$rpms/$1.rpm" 2>/dev/null | sed -n 's/^\(lib[^(]*[.]so[^(]*\)(.*/\1/p' | sort -u
}

same() {
    diff -u "$1" "$2" && return
    echo "what is there differs from what is expected"
    return 1
}

# A machine with an empty database of rpm, and one package in it that has all that these packages need
# and that is not rhost's.
machine_of_rpm() {
    machine_needs rpm rpmbuild
    machine_make
    inside rm -rf /var/lib/rpm
    inside mkdir -p /var/lib/rpm
    echo '%_dbpath /var/lib/rpm' | put_inside /etc/rpm/macros
    inside rpm --initdb 2>/dev/null
    {
        printf '%s\n' 'Name: system' 'Version: 1' 'Release: 1' 'Summary: what is there' 'License: none' \
            'BuildArch: noarch'
        rpm -qp --requires "$rpms"/*.rpm "$@" 2>/dev/null | grep -v '^rhost\|^rpmlib' | sort -u |
            sed 's/ .*//; s/^/Provides: /'
        printf '%s\n' '%description' 'It.' '%files'
    } >system.spec
    rpm_build "$PWD/system" -bb system.spec
    inside rpm -i "$PWD/system/RPMS/system.rpm" 2>/dev/null
}

# rpm in there says nothing of Debian, which would rather have it not used.
rpm_inside() {
    inside rpm "$@" 2>&1 | grep -v '^rpm: ' || true
    return "${PIPESTATUS[0]}"
}

all_packages() {
    local name

    for name in rhost rhost-agent rhost-bundle rhost-collect rhost-fleet rhost-kit rhost-otlp rhost-plugins-base rhost-plugin-{archive,augeas,bridge,container,dns,http-request,known-host,line,mount,mysql,postgresql,service-systemd,storage,systemd-unit,wait-for,x509}; do
        echo "$rpms/$name.rpm"
    done
}

@test "the packages are those that Debian has" {
    [ -d "$abs_top_srcdir/debian" ] || skip "the tarball has no debian/"
    # Not there so far: the manual for browsers, and what needs libnats.
    sed -n 's/^Package: //p' "$abs_top_srcdir/debian/control" | sed 's/-dev$/-devel/' |
        grep -vx 'rhost-doc\|rhost-nats' | sort >expected
    (cd "$rpms" && printf '%s\n' *.rpm) | sed 's/[.]rpm$//' | sort >there
    same expected there
}

@test "each plugin apart is apart for Debian, and the other way round" {
    [ -d "$abs_top_srcdir/debian" ] || skip "the tarball has no debian/"
    cat "$abs_top_srcdir"/debian/rhost-plugin-*.install | sed -n 's|.*/\(.*\)[.]so$|\1|p' | sort >expected
    sed -n 's/^%global apart //p' "$spec" | tr ' ' '\n' | sort >there
    same expected there
}

@test "what packages provide and require is worked out" {
    [ "$(provides_of rhost)" = 'rhost-abi(1) = 0' ]
    [ "$(provides_of rhost-devel)" = "pkgconfig(rhost) = $(rpm -qp --qf '%{VERSION}' "$rpms/rhost.rpm")" ]
    [ "$(provides_of rhost-plugin-archive)" = 'rhost-type(archive)' ]
    [ "$(provides_of rhost-plugin-container | sort | xargs)" = 'rhost-type(container) rhost-type(container_image) rhost-type(container_network) rhost-type(container_volume)' ]
    [ "$(provides_of rhost-plugin-dns)" = 'rhost-lookup(dns)' ]
    [ "$(provides_of rhost-plugin-http-request | sort | xargs)" = 'rhost-lookup(http) rhost-lookup(vault) rhost-type(http_request) rhost-type(remote_file)' ]
    [ "$(provides_of rhost-plugin-line | sort | xargs)" = 'rhost-type(line) rhost-type(substitution) rhost-type(text_block)' ]
    [ "$(provides_of rhost-plugin-mount)" = 'rhost-type(mount)' ]
    [ "$(provides_of rhost-plugin-mysql | sort | xargs)" = 'rhost-type(mysql_database) rhost-type(mysql_grant) rhost-type(mysql_user)' ]
    [ "$(provides_of rhost-plugin-postgresql | sort | xargs)" = 'rhost-type(postgresql_database) rhost-type(postgresql_extension) rhost-type(postgresql_grant) rhost-type(postgresql_role)' ]
    [ "$(provides_of rhost-plugin-service-systemd)" = 'rhost-type(service)' ]
    [ "$(provides_of rhost-plugin-storage | sort | xargs)" = 'rhost-type(filesystem) rhost-type(partition) rhost-type(swap)' ]
    [ "$(provides_of rhost-plugin-systemd-unit)" = 'rhost-type(systemd_unit)' ]
    [ "$(provides_of rhost-plugin-augeas)" = 'rhost-type(augeas)' ]
    [ "$(provides_of rhost-plugin-wait-for)" = 'rhost-type(wait_for)' ]
    [ "$(provides_of rhost-plugin-x509 | sort | xargs)" = 'rhost-type(x509_certificate) rhost-type(x509_key) rhost-type(x509_request)' ]
    { "$abs_top_builddir/rhost" types --state-dir "$work/state" | awk '!NF { exit } { print "rhost-type(" $1 ")" }' &&
        printf 'rhost-lookup(%s)\n' age command; } |
        grep -v '(archive)\|(augeas)\|(container.*)\|(http_request)\|(remote_file)\|(known_host)\|(line)\|(filesystem)\|(mount)\|(mysql_.*)\|(partition)\|(swap)\|(postgresql_.*)\|(substitution)\|(systemd_unit)\|(text_block)\|(wait_for)\|(x509_.*)' | sort -u >expected
    provides_of rhost-plugins-base | sort >there
    same expected there
    for name in rhost-plugins-base rhost-plugin-{archive,augeas,bridge,container,dns,http-request,known-host,line,mount,mysql,postgresql,service-systemd,storage,systemd-unit,wait-for,x509}; do
        rpm -qp --requires "$rpms/$name.rpm" 2>/dev/null >requires
        grep -qx 'rhost-abi(1) >= 0' requires
    done
    rpm -qp --requires "$rpms/rhost-plugin-archive.rpm" 2>/dev/null | grep -q '^libarchive[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-container.rpm" 2>/dev/null | grep -q '^libcurl[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-http-request.rpm" 2>/dev/null | grep -q '^libcurl[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-line.rpm" 2>/dev/null | grep -q '^libpcre2-8[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-mount.rpm" 2>/dev/null | grep -q '^libmount[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-mysql.rpm" 2>/dev/null | grep -q '^libmariadb[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-postgresql.rpm" 2>/dev/null | grep -q '^libpq[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-systemd-unit.rpm" 2>/dev/null | grep -q '^libsystemd[.]so'
    rpm -qp --requires "$rpms/rhost-plugin-x509.rpm" 2>/dev/null | grep -q '^libcrypto[.]so'
    # The host has nothing that these would bring.
    libraries_of rhost-plugins-base >base
    libraries_of rhost >host
    [ -s base ]
    comm -23 base host >left
    same /dev/null left
    run rpm -qp --requires "$rpms/rhost-devel.rpm"
    says 'rhost(x86-64) = '
}

@test "together they have what make install puts in place, and each file once" {
    rm -rf "$work/root"
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$top"/BUILD/rhost-* install DESTDIR="$work/root" >install.log 2>&1
    (cd root && find . ! -type d ! -name '*.la' ! -path './usr/share/doc/*' | cut -c 2-) >installed
    cat - installed <<'END' | sort >expected
/etc/default/rhost
/etc/default/rhost-collect
/etc/rhost/providers.yaml
END
    for rpm in "$rpms"/*.rpm; do
        files_of "$(basename "$rpm" .rpm)"
    done | sort >all
    # Documentation and licence are the packages' own affair, and directories may be in several.
    grep -v ' d\| [^ ]*l[^ ]* -\|^/usr/share/licenses' all | sed 's/ .*//; /^\/usr\/share\/man/s/[.]gz$//' >files
    grep '^/usr/share/man' all | sed 's/ .*//; s/[.]gz$//' >>files
    sort -u files >there
    same expected there
    grep -v ' d[rwxst-]*$' all | sed 's/ .*//' | sort | uniq -d >twice
    [ ! -s twice ] || same /dev/null twice
}

@test "directories of their own belong to the packages, and what is kept to nobody else" {
    files_of rhost >files
    for directory in /etc/rhost "$libdir/rhost/plugins" "$libdir/rhost" /usr/libexec/rhost \
        /usr/share/doc/rhost/examples; do
        grep -q "^$directory  *drwxr-xr-x$" files
    done
    grep -qx '/var/lib/rhost g drwx------' files
    grep -qx '/etc/default/rhost cn -rw-r--r--' files
    grep -q '^/usr/share/licenses/rhost/LICENSE l ' files
    grep -q '^/usr/share/doc/rhost/examples/quickstart.yaml d ' files
    files_of rhost-devel >files
    grep -q '^/usr/share/rhost  *drwxr-xr-x$' files
    grep -q '^/usr/lib/rpm/rhostdeps.sh  *-rwxr-xr-x$' files
}

@test "rpmlint has nothing to say that would matter" {
    requires_command rpmlint
    local known

    # Debian's is set up for packages of long ago: signed, with a packager, a group, a BuildRoot, pages
    # compressed by bzip2, licences as they were called then.
    known='no-(signature|packager-tag|group-tag|buildroot-tag)|manpage-not-compressed|invalid-license'
    # Debian's rpm neither strips nor compresses; these packages here are called by their names alone.
    known+='|unstripped-binary-or-object|no-manual-page-for-binary|non-coherent-filename'
    # There is no site to name. A package of one plugin has its page, and nothing else.
    known+='|no-url-tag|invalid-url|no-documentation'
    # As it should be: what is kept is root's, and goes with the package; the SDK fits the host exactly;
    # templates are none of what they are templates for.
    known+='|ghost-files-without-postin|postin-without-ghost-file-creation|non-standard-dir-perm /var/lib/rhost 700'
    known+='|dangerous-command-in-%(postun|transfiletrigger) rm|requires-on-release rhost|non-executable-script /usr/share/rhost/templates/'
    # It takes these names for translations of something.
    known+='|no-dependency-on locales-(kit|for)'
    run rpmlint "$rpms"/*.rpm "$top/rhost.spec"
    grep -E '^[^ ]+: [EW]: ' <<<"$output" | grep -vE ": [EW]: ($known)" >left || true
    says 'packages and 1 specfiles checked'
    same /dev/null left
}

@test "they install, and what is in them works" {
    machine_of_rpm
    run rpm_inside -i "$rpms/rhost-plugin-line.rpm"
    says 'rhost-abi(1) >= 0 is needed by rhost-plugin-line'
    rpm_inside -i $(all_packages)
    run inside rhost --version
    status_is 0
    says "rhost $(rpm -qp --qf '%{VERSION}' "$rpms/rhost.rpm")"
    run inside rhost types
    status_is 0
    says 'file file'
    says 'systemd_unit systemd_unit'
    inside sed "s|/tmp/|/root/|g" /usr/share/doc/rhost/examples/quickstart.yaml | put_inside /root/site.yaml
    run inside rhost apply --detailed-exitcodes /root/site.yaml
    status_is 2
    run inside rhost apply --detailed-exitcodes /root/site.yaml
    status_is 0
    run inside rpm -V rhost rhost-plugins-base
    status_is 0
    inside test ! -e /etc/systemd/system/timers.target.wants/rhost.timer
}

@test "the cache of descriptions follows plugins that come and go" {
    machine_of_rpm
    rpm_inside -i "$rpms/rhost.rpm" "$rpms/rhost-plugins-base.rpm"
    inside grep -q '"cron"' /var/cache/rhost/plugins.json
    run inside grep -c systemd_unit.so /var/cache/rhost/plugins.json
    [ "$output" = 0 ]
    rpm_inside -i "$rpms/rhost-plugin-systemd-unit.rpm"
    inside grep -q systemd_unit.so /var/cache/rhost/plugins.json
    rpm_inside -e rhost-plugin-systemd-unit
    run inside grep -c systemd_unit.so /var/cache/rhost/plugins.json
    [ "$output" = 0 ]
}

@test "without its plugin a type is gone, with a clear message" {
    machine_of_rpm
    rpm_inside -i "$rpms/rhost.rpm" "$rpms/rhost-plugins-base.rpm"
    printf 'resources:\n  - file: /etc/motd\n' | put_inside /root/site.yaml
    rpm_inside -e rhost-plugins-base
    run inside rhost apply /root/site.yaml
    status_is 1
    says "unknown type 'file'"
    rpm_inside -e rhost
    rpm_inside -i "$rpms/rhost.rpm" "$rpms/rhost-plugins-base.rpm"
    run rpm_inside -e rhost
    says 'rhost-abi(1) >= 0 is needed by (installed) rhost-plugins-base'
    run inside rhost apply /root/site.yaml
    status_is 0
}

@test "when all is erased nothing is left but what runs have left behind" {
    machine_of_rpm
    rpm_inside -i $(all_packages) "$rpms/rhost-devel.rpm"
    printf 'resources:\n  - file: /root/made\n' | put_inside /etc/rhost/site.yaml
    inside rhost apply /etc/rhost/site.yaml >/dev/null
    inside rm /etc/rhost/site.yaml
    inside systemctl enable rhost.timer >/dev/null 2>&1
    inside test -L /etc/systemd/system/timers.target.wants/rhost.timer
    inside sh -c 'echo "{}" >/var/lib/rhost/pending.jsonl'
    run rpm_inside -e rhost rhost-agent rhost-bundle rhost-collect rhost-devel rhost-fleet rhost-kit rhost-otlp rhost-plugins-base rhost-plugin-{archive,augeas,bridge,container,dns,http-request,known-host,line,mount,mysql,postgresql,service-systemd,storage,systemd-unit,wait-for,x509}
    status_is 0
    is "$output" "rhost: warning: there are pending notifications in /var/lib/rhost, keeping it"
    inside test -s /var/lib/rhost/pending.jsonl
    inside test -d /var/lib/rhost/runs
    [ "$(inside rpm -qa 2>/dev/null)" = system-1-1.noarch ]
    inside rm -r /var/lib/rhost
    nsenter -t "$machine_pid" -m find "$machine/upper" -name '*rhost*' -not -type c -not \
        -path "$machine/upper/tmp/*" >left
    same /dev/null left
}

# The machine with what third parties build with, and the directory that rhost makes for them as a tarball.
third_party() {
    machine_of_rpm
    rpm_inside -i "$rpms/rhost.rpm" "$rpms/rhost-plugin-bridge.rpm" "$rpms/rhost-plugins-base.rpm" "$rpms/rhost-devel.rpm"
    mkdir -p third/SOURCES
    inside sh -c 'cd "$1" && rhost new printer rhost-plugin-printer-1.0 >/dev/null &&
        tar czf SOURCES/rhost-plugin-printer-1.0.tar.gz rhost-plugin-printer-1.0' sh "$PWD/third"
    sed -n '/^```spec$/,/^```$/p' "$abs_top_srcdir/docs/packagers/packaging-rpm.md" | grep -v '^```' >third/printer.spec
}

# Debian's pkg-config looks elsewhere than in the %{_libdir} of rpm.
build_third_party() {
    inside env HOME="$work" PKG_CONFIG_PATH="$libdir/pkgconfig" LC_ALL=C.UTF-8 rpmbuild -bb --nodeps \
        --define "_topdir $PWD/third" --define '_build_name_fmt %%{NAME}.rpm' \
        "$PWD/third/printer.spec"
}

@test "a third party's package needs no more than the documentation shows" {
    third_party
    run build_third_party
    status_is 0
    rpms=$work/third/RPMS
    [ "$(provides_of rhost-plugin-printer | grep -v '[.]so')" = 'rhost-type(printer)' ]
    rpm -qp --requires "$rpms/rhost-plugin-printer.rpm" 2>/dev/null >requires
    grep -qx 'rhost-abi(1) >= 0' requires
    grep -q '^libc[.]so' requires
    rpm_inside -i --nodeps "$rpms/rhost-plugin-printer.rpm"
    run inside rhost types
    says 'printer printer 0.1.0'
    inside grep -q printer.so /var/cache/rhost/plugins.json
}

@test "a plugin that is a program is found as well" {
    third_party
    cat >third/printer.spec <<END
Name: rhost-plugin-motd
Version: 1
Release: 1
Summary: A program
License: Apache-2.0
%description
It.
%install
install -D -m 644 -t %{buildroot}%{_libdir}/rhost/plugins/motd $abs_top_srcdir/docs/examples/executable/shell-motd/type.yaml
install -m 755 -t %{buildroot}%{_libdir}/rhost/plugins/motd $abs_top_srcdir/docs/examples/executable/shell-motd/motd.sh
%files
%{_libdir}/rhost/plugins/motd
END
    run build_third_party
    status_is 0
    rpms=$work/third/RPMS
    [ "$(provides_of rhost-plugin-motd)" = 'rhost-type(motd)' ]
    run rpm -qp --requires "$rpms/rhost-plugin-motd.rpm"
    says 'rhost-abi(1) >= 0'
    says 'rhost-plugin-bridge'
}

@test "a plugin that rhost cannot load ends the build" {
    third_party
    sed -i 's|^%make_install|&\necho junk >%{buildroot}%{_libdir}/rhost/plugins/printer.so|' third/printer.spec
    run build_third_party
    [ "$status" -ne 0 ]
    says 'printer.so is not a plugin that rhost can load'
}
