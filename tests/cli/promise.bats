#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What validate and a dry run promise: resources that an apply would certainly fail for are found before.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    touch there
    mkdir mnt
}

# refused WORDS RESOURCE: validate refuses the manifest with this one resource, in these words.
refused() {
    printf 'resources:\n  - %b\n' "$2" >site.yaml
    split rhost validate site.yaml
    status_is 1
    says "$1"
}

# foreseen WORDS RESOURCE: validate accepts it, as it depends on the machine; a dry run fails, in these words.
foreseen() {
    printf 'resources:\n  - %b\n' "$2" >site.yaml
    split rhost validate site.yaml
    status_is 0
    split rhost apply --noop site.yaml
    status_is 4
    says "failed: $1"
}

# expected RESOURCES: a dry run says that it would create all of them.
expected() {
    printf 'resources:\n  - %b\n' "$1" >site.yaml
    split rhost apply --noop site.yaml
    status_is 0
    says_not unknown
    says_not failed
}

@test "validate refuses what is wrong on every machine" {
    refused "minute: '75' is not between 0 and 59" 'cron: j\n    command: /bin/true\n    minute: 75'
    refused 'either content or a source' "file: $work/x\n    content: a\n    source: $work/y"
    refused "'300.1.2.3' is not an address" "host: web\n    ip: 300.1.2.3\n    target: $work/hosts"
    refused "'target' is required" "link: $work/l"
    refused 'cut short' "ssh_authorized_key: 'root: a'\n    key: AAAAC3NzaC1lZDI1NTE5AAAAIAbcdEfgh"
    refused "argument '|' is an operator of the shell" 'exec: x\n    command: [/bin/echo, a, "|", /bin/cat]'
    refused "argument '&&' is an operator of the shell" 'exec: /bin/true\n    only_if: [/bin/true, "&&", /bin/false]'
    refused "'/' is a directory" 'file: /\n    content: a'
    refused 'the link would point at itself' "link: $work/l\n    target: $work/l"
    refused "settings: it has 'content' as well" 'systemd_unit: x.service\n    content: ""\n    settings: {Unit: {After: a}}'
    refused "content: line 2: missing '='" 'systemd_unit: x.service\n    content: "[Service]\\nExecStart\\n"'
    refused "content: line 1: it is outside of a section" 'systemd_unit: x.service\n    content: "ExecStart=/bin/true\\n"'
    refused 'path: Absolute path' 'file: etc/motd\n    content: a'
    refused 'home: The path' 'user: anna\n    home: anna'
}

@test "validate points at the part of a value that is wrong, and says all that is wrong" {
    cat >site.yaml <<END
resources:
  - ssh_authorized_key: 'root: a'
    key: AAAAC3NzaC1lZDI1NTE5AAAAIGaR0GN0jQjNVHGPxEAYOm3NVNLzWbRcZ0BXqmhrJ2kY
    options:
      - no-pty
      - command="open
  - file: /
    content: a
    source: /etc/motd
  - file: $work/x
    content: a
END
    split rhost validate site.yaml
    status_is 1
    says "site.yaml:6:9: error: ssh_authorized_key[root: a]: options[1]: the quotes of"
    says "site.yaml:9:13: error: file[/]: source: a file has either content or a source"
    says "site.yaml:7:5: error: file[/]: path: '/' is a directory"
    split rhost apply site.yaml
    status_is 1
    [ ! -e x ]
}

@test "a dry run finds an unknown owner and group" {
    foreseen "owner: unknown user 'nobdy'" "file: $work/x\n    owner: nobdy"
    foreseen "group: unknown group 'nogrp'" "file: $work/x\n    group: nogrp"
    foreseen "owner: unknown user 'nobdy'" "file: $work/there\n    owner: nobdy"
    foreseen "owner: unknown user 'nobdy'" "directory: $work/d\n    owner: nobdy"
    foreseen "group: unknown group 'nogrp'" "directory: $work/mnt\n    group: nogrp"
    foreseen "user: unknown user 'nobdy'" "cron: j\n    target: $work/jobs\n    command: a\n    user: nobdy"
    foreseen "target: unknown user 'nobdy'" 'cron: j\n    target: crontab:nobdy\n    command: a'
    foreseen "user: unknown user 'nobdy'" "ssh_authorized_key: 'nobdy: a'\n    key: AAAAC3NzaC1lZDI1NTE5AAAAIGaR0GN0jQjNVHGPxEAYOm3NVNLzWbRcZ0BXqmhrJ2kY"
    foreseen "user: unknown user 'nobdy'" 'exec: /bin/true\n    user: nobdy'
    foreseen "group: unknown group 'nogrp'" 'exec: /bin/true\n    group: nogrp'
}

@test "a dry run finds accounts that the tools would refuse" {
    requires_root
    foreseen "gid: unknown group 'nogrp'" 'user: promised\n    gid: nogrp'
    foreseen "groups: unknown group 'nogrp'" 'user: promised\n    groups: [nogrp]'
    foreseen "uid: user 'root' has the uid 0" 'user: promised\n    uid: 0'
    foreseen "gid: group 'root' has the gid 0" 'group: promised\n    gid: 0'
    foreseen "members: unknown user 'nobdy'" 'group: promised\n    members: [nobdy]'
    expected "user: promised\n    shell: $work/zsh"
    says "warning: user: shell '$work/zsh' does not exist"
    expected "file: $work/zsh\n  - user: promised\n    shell: $work/zsh"
    says_not warning
}

@test "a dry run finds a missing directory, and a file in the place of one" {
    local missing="directory '$work/no' does not exist, and no directory[$work/no] creates it"

    foreseen "cannot create '$work/no/x': $missing" "file: $work/no/x"
    foreseen "cannot create '$work/no/x': $missing" "directory: $work/no/x"
    foreseen "cannot create '$work/no/x': $missing" "link: $work/no/x\n    target: a"
    foreseen "cannot create '$work/no/x': $missing" "ini_setting: x\n    path: $work/no/x\n    section: a\n    setting: b\n    value: c"
    foreseen "cannot create '$work/no/x': $missing" "line: x\n    path: $work/no/x\n    text: a"
    foreseen "cannot create '$work/no/x': $missing" "host: x\n    target: $work/no/x\n    ip: 10.0.0.1"
    foreseen "cannot create '$work/no/x': $missing" "cron: x\n    target: $work/no/x\n    command: a"
    foreseen "cwd: $missing" "exec: /bin/true\n    cwd: $work/no"
    foreseen "cannot create '$work/there/x': '$work/there' is not a directory" "directory: $work/there/x"
    foreseen "cannot create '$work/there/x': '$work/there' is not a directory" "file: $work/there/x"
    foreseen "cannot create '$work/there/x': '$work/there' is not a directory" "link: $work/there/x\n    target: a"
    foreseen "source: '$work/none' does not exist" "file: $work/x\n    source: $work/none"
}

@test "a dry run finds a program and a key of the kernel that do not exist" {
    foreseen "command: program '/no/such' does not exist" 'exec: x\n    command: [/no/such]'
    foreseen "name: program 'nosuchprogram' does not exist" 'exec: nosuchprogram -a'
    foreseen 'name: the kernel has no such key' "sysctl: net.ipv4.ip_fordward\n    value: 1\n    target: $work/x"
}

@test "a dry run finds a mount that cannot be made" {
    foreseen "name: directory '$work/no' does not exist" "mount: $work/no\n    device: tmpfs\n    fstype: tmpfs\n    mounted: true\n    fstab: $work/fstab"
    foreseen "device: device '/dev/nosuch' does not exist" "mount: $work/mnt\n    device: /dev/nosuch\n    fstype: ext4\n    mounted: true\n    fstab: $work/fstab"
    expected "directory: $work/no\n  - mount: $work/no\n    device: tmpfs\n    fstype: tmpfs\n    mounted: true\n    fstab: $work/fstab"
    expected "mount: $work/no\n    device: /dev/nosuch\n    fstype: ext4\n    fstab: $work/fstab"
}

@test "a dry run finds a service without its script, and one that is to be stopped is a warning" {
    foreseen "no executable script '/etc/init.d/nosuch'" 'service: nosuch\n    provider: sysv\n    ensure: running'
    expected 'service: nosuch\n    provider: sysv\n    ensure: stopped'
    says "warning: service: service 'nosuch' does not exist"
}

@test "an operator of the shell may be the value of an option, or be meant for the program" {
    expected 'exec: cut\n    command: [cut, -d, "|", -f1, /etc/fstab]'
    expected 'exec: expr\n    command: [expr, 1, "|", 2]'
    expected 'exec: sh\n    command: [sh, -c, "echo $1", sh, ">"]'
}

@test "validate refuses misspelt settings and sections of units, and those in the wrong place" {
    refused "content: line 2: unknown setting 'ExecStrat' in [Service]: did you mean 'ExecStart'?" 'systemd_unit: x.service\n    content: "[Service]\\nExecStrat=/bin/true\\n"'
    refused "settings.Service.Restrat: unknown setting 'Restrat' in [Service]: did you mean 'Restart'?" 'systemd_unit: x\n    settings: {Service: {ExecStart: /bin/true, Restrat: always}}'
    says 'site.yaml:3:'
    refused "did you mean 'OnCalendar'?" 'systemd_unit: x.timer\n    settings: {Timer: {OnCalender: daily}}'
    refused "did you mean 'WantedBy'?" 'systemd_unit: x.timer\n    settings: {Install: {WantetBy: timers.target}}'
    refused "did you mean 'MemoryMax'?" 'systemd_unit: x.slice\n    settings: {Slice: {MemroyMax: 1G}}'
    refused "did you mean 'ListenStream'?" 'systemd_unit: x.socket\n    settings: {Socket: {ListenStraem: 80}}'
    refused "did you mean 'ExecStart'?" 'systemd_unit: x.service\n    settings: {Service: {execStart: /bin/true}}'
    refused "did you mean 'Environment'?" 'systemd_unit: x.service.d/env\n    settings: {Service: {Enviroment: A=b}}'
    refused "content: line 3: setting 'Restart' belongs in [Service], not in [Unit]" 'systemd_unit: x.service\n    content: |\n      # mine\n      [Unit]\n      Restart=always'
    refused "unknown section [Serivce]: did you mean [Service]?" 'systemd_unit: x.service\n    settings: {Serivce: {ExecStart: /bin/true}}'
    refused "content: line 1: section [Timer] is for units of the type 'timer'" 'systemd_unit: x.service\n    content: "[Timer]\\n"'
}

@test "validate says each misspelt setting of a unit" {
    printf 'resources:\n  - systemd_unit: x\n    content: |\n      [Service]\n      ExecStrat=a\n      Restrat=no\n' >site.yaml
    split rhost validate site.yaml
    status_is 1
    says "line 2: unknown setting 'ExecStrat'"
    says "line 3: unknown setting 'Restrat'"
}

# One of each list, former names among them, and what may be newer than what we know.
@test "validate takes settings of all kinds of units" {
    cat >site.yaml <<'END'
resources:
  - systemd_unit: x@.service
    settings:
      Unit: {Description: a, After: [b.service, c.service], ConditionPathExists: /x, StartLimitIntervalSec: 5, X-Mine: yes}
      Service:
        Type: notify
        ExecStart: ["", /bin/true]
        Environment: A=b
        LimitNOFILE: 10
        MemoryMax: 1G
        MemoryLimit: 1G
        KillMode: mixed
        StartLimitInterval: 10
        RestartSteps: 5
        PrivatePIDs: true
        FrobnicateAllFutures: true
        X-Note: mine
      Install: {WantedBy: multi-user.target, Alias: y.service, DefaultInstance: z}
      X-Vendor: {Anything: goes}
      FutureSection: {Anything: goes}
  - systemd_unit: x.timer
    settings: {Timer: {OnCalendar: daily, RandomizedDelaySec: 5, Persistent: true}, Install: {WantedBy: timers.target}}
  - systemd_unit: x.socket
    settings: {Socket: {ListenStream: 80, Accept: no, User: a, IPAccounting: true}}
  - systemd_unit: srv.mount
    settings: {Mount: {What: /dev/x, Where: /srv, Type: ext4, ProtectSystem: true, CPUWeight: 5}}
  - systemd_unit: srv.automount
    settings: {Automount: {Where: /srv, TimeoutIdleSec: 5}}
  - systemd_unit: a.swap
    settings: {Swap: {What: /a, Priority: 1, Nice: 5}}
  - systemd_unit: a.path
    settings: {Path: {PathExistsGlob: /x*, MakeDirectory: true, Unit: b.service}}
  - systemd_unit: a.slice
    settings: {Slice: {CPUQuota: 5%, TasksMax: 10}}
  - systemd_unit: a.target
    content: |
      [Unit]
      Requires=b.service \
        c=service
      ; ExecStrat=
      AllowIsolate = yes
  - systemd_unit: b.service
    verify: false
    settings: {Service: {ExecStrat: /bin/true}}
END
    split rhost validate site.yaml
    status_is 0
}

# systemd's own list, where it is installed: none of it is refused anywhere.
@test "validate takes each setting that the systemd of this machine knows" {
    [ -x /lib/systemd/systemd ] || skip "needs systemd"
    /lib/systemd/systemd --dump-configuration-items >items || skip "systemd has no list"
    awk 'BEGIN { print "resources:" }
        /^\[/ { section = substr($0, 2, length($0) - 2); type = tolower(section)
            if (type == "unit" || type == "install") type = "service"
            printf "  - systemd_unit: all-%s.%s\n    settings:\n      %s:\n", tolower(section), type, section; next }
        /=/ { sub(/=.*/, ""); sub(/^.*\./, ""); if (!seen[section $0]++) printf "        %s: 1\n", $0 }' items >site.yaml
    [ "$(grep -c ': 1$' site.yaml)" -gt 500 ]
    split rhost validate site.yaml
    status_is 0
}

@test "a dry run finds a setting that this systemd does not know, and asks for no other unit" {
    [ -x /usr/bin/systemd-analyze ] || skip "needs systemd-analyze"
    foreseen "content: systemd finds fault with it:" "systemd_unit: x.service\n    directory: $work\n    content: |\n      [Service]\n      FrobnicateAllFutures=/bin/true"
    says "x.service:2: Unknown key"
    foreseen "settings: systemd finds fault with it:" "systemd_unit: y.service\n    directory: $work\n    settings: {Service: {ExecStart: /bin/true, FrobnicateAllFutures: always}}"
    expected "systemd_unit: z.timer\n    directory: $work\n    settings: {Timer: {OnCalendar: daily}}"
}

@test "what the manifest creates is not missing" {
    expected "directory: $work/no\n  - file: $work/no/x\n  - directory: $work/no/d\n  - file: $work/no/d/x"
    expected "file: $work/a\n  - file: $work/b\n    source: $work/a"
    expected "link: $work/no\n    target: /tmp\n  - file: $work/no/x"
    expected "file: $work/tool\n    mode: 0755\n  - exec: $work/tool -a"
    expected "file: $work/tool\n    mode: 0755\n  - exec: tool -a\n    environment: { PATH: $work }"
    expected "directory: $work/no\n  - exec: /bin/true\n    cwd: $work/no"
    requires_root
    expected "user: promised\n  - file: $work/x\n    owner: promised\n    group: promised"
    expected "group: promised\n  - user: promised\n    gid: promised\n  - directory: $work/d\n    group: promised"
    expected "user: promised\n    home: $work/home\n    create_home: true\n  - file: $work/home/x"
    expected "user: promised\n  - group: more\n    members: [promised]"
    expected "user: promised\n  - exec: /bin/true\n    user: promised"
    expected "user: promised\n  - cron: j\n    target: crontab:promised\n    command: a"
}

@test "what something else in the run may create is unknown, with the reason" {
    manifest <<END
resources:
  - exec: /bin/true
  - file: $work/no/x
    require: exec[/bin/true]
  - file: $work/y
    owner: nobdy
END
    split rhost apply --noop site.yaml
    status_is 0
    says "unknown: cannot create '$work/no/x': directory '$work/no' does not exist"
    says "unknown: owner: unknown user 'nobdy'"
}

@test "what is to be removed, or is as it should be, needs nothing" {
    expected "file: $work/no/x\n    ensure: absent"
    expected "link: $work/no/x\n    ensure: absent"
    expected "directory: $work/no/x\n    ensure: absent"
    expected "cron: j\n    target: $work/no/x\n    ensure: absent\n    user: nobdy"
    expected "exec: /no/such\n    creates: $work/there"
}
