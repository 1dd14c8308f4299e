#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Schedules as a run meets them. What the clock means is tests/unit/test-schedule.c's to find out;
# here ranges are made of the time that it is.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

state=$BATS_TEST_TMPDIR/state/schedule.json

# A range around now, and one that is far from it; never at midnight's edge.
setup_ranges() {
    inside="$(date -d '-2 hours' +%H:%M) - $(date -d '+2 hours' +%H:%M)"
    outside="$(date -d '+10 hours' +%H:%M) - $(date -d '+12 hours' +%H:%M)"
}

# Moves the last turn of all resources into the past.
let_pass() {
    sed -i "s/\"last\": \"[^\"]*\"/\"last\": \"$(date -u -d "-$1" +%Y-%m-%dT%H:%M:%SZ)\"/" "$state"
}

@test "outside of its range a resource is not looked at, and what depends on it goes on" {
    setup_ranges
    manifest <<END
resources:
  - file: $work/not now
    content: a
    schedule: {range: $outside}
  - file: $work/now
    content: a
    schedule:
      range: [$outside, "$inside"]
    require: file[$work/not now]
END
    run rhost apply site.yaml
    status_is 0
    [ ! -e 'not now' ]
    [ -e now ]
    says '1 resource: 1 changed, 1 excluded'
    says_not 'outside '
    run rhost apply -v site.yaml
    says "file[$work/not now] site.yaml:2 outside its schedule"
    run rhost apply --noop -v site.yaml
    says "outside its schedule"
}

@test "what failed before it does not matter to what is left out" {
    setup_ranges
    manifest <<END
resources:
  - exec: boom
    command: ["false"]
  - file: $work/one
    schedule: {range: $outside}
    require: exec[boom]
END
    run rhost apply site.yaml
    status_is 4
    says '1 resource: 1 failed, 1 excluded'
}

@test "schedules have names, given anywhere; those of the periods are there" {
    setup_ranges
    manifest <<END
resources:
  - file: $work/one
    content: a
    schedule: quiet hours
  - file: $work/two
    content: a
    schedule: never
  - file: $work/three
    content: a
    schedule: daily
END
    manifest more.yaml <<END
schedules:
  quiet hours:
    range: $outside
    weekday: [Mon, tuesday, 3, Thursday, fri, Sat, "0"]
END
    run rhost apply -v site.yaml more.yaml
    status_is 0
    says "outside schedule 'quiet hours'"
    says "outside schedule 'never'"
    [ ! -e one ]
    [ ! -e two ]
    [ -e three ]
}

@test "a period lets it have its turn once, and when it had it is kept" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
    schedule: daily
END
    run rhost apply site.yaml
    says '1 resource: 1 changed'
    [ "$(mode_of "$state")" = 600 ]
    json_is "$state" 'd["format"], list(d["resources"])' "(1, ['file[$work/one]'])"
    json_is "$state" '[re.sub("[0-9]", "9", r["last"]) for r in d["resources"].values()]' \
        "['9999-99-99T99:99:99Z']"
    rm one
    run rhost apply site.yaml
    says '0 resources: 1 excluded'
    [ ! -e one ]
    let_pass '23 hours'
    run rhost apply site.yaml
    says '0 resources: 1 excluded'
    let_pass '25 hours'
    run rhost apply site.yaml
    says '1 resource: 1 changed'
    run rhost apply site.yaml
    says '0 resources: 1 excluded'
}

@test "repeat spreads turns over the period, or counts them" {
    manifest <<END
resources:
  - log: spread
    schedule: {period: daily, repeat: 4}
  - log: counted
    schedule: {period: monthly, repeat: 3, periodmatch: number}
END
    run rhost apply site.yaml
    says '2 resources:'
    run rhost apply site.yaml
    says '1 resource: 1 ok, 1 excluded'
    run rhost apply site.yaml
    says '1 resource: 1 ok, 1 excluded'
    run rhost apply site.yaml
    says '0 resources: 2 excluded'
    let_pass '7 hours'
    run rhost apply site.yaml
    says '1 resource:'
}

@test "a turn that failed, or was noop, is none" {
    manifest <<END
resources:
  - exec: try
    command: ["test", -e, $work/ready]
    schedule: daily
END
    run rhost apply --noop site.yaml
    status_is 0
    run rhost apply site.yaml
    status_is 4
    touch ready
    run rhost apply site.yaml
    status_is 0
    says '1 resource: 1 changed'
    run rhost apply site.yaml
    says '0 resources: 1 excluded'
}

@test "a state that is damaged stops the run, and nothing is touched" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    schedule: daily
END
    mkdir -p "${state%/*}"
    for bad in '{' '[]' '{"format": 7, "resources": {}}' ''; do
        printf '%s' "$bad" >"$state"
        run rhost apply site.yaml
        status_is 1
        says "schedule.json' is damaged"
        says 'rename it to start with an empty state'
        says 'nothing was changed'
        [ ! -e one ]
    done
    echo '{"format": 1, "resources": {"file[x]": 3, "log[y]": {"last": "yesterday", "times": -1}}}' >"$state"
    run rhost apply site.yaml
    status_is 0
}

@test "mistakes are found when the manifest is read" {
    manifest <<'END'
schedules:
  a: {period: dayly}
  b: {range: 2 to 4}
  c: {range: "02:00 - 25:00"}
  d: {weekday: Sunnyday}
  e: {repeat: 0, period: daily}
  f: {repeat: 3}
  g: {perod: daily}
  h: 3
  i: {range: []}
  j: {periodmatch: somehow}
  maintenance: {range: 2 - 4}
resources:
  - log: a
    schedule: maintenence
  - log: b
    schedule: [daily]
  - log: c
    schedule: {weekday: 7}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:15: error: 'period' must be hourly, daily, weekly, monthly or never"
    says 'site.yaml:3:14: error: invalid range of the day'
    says 'site.yaml:4:14: error: invalid range of the day'
    says 'site.yaml:5:16: error: invalid day of the week'
    says "site.yaml:6:15: error: 'repeat' must be an integer between 1 and 3600"
    says "site.yaml:7:6: error: 'repeat' needs 'period'"
    says "site.yaml:8:7: error: unknown key 'perod' in a schedule"
    says "did you mean 'period'?"
    says 'site.yaml:9:6: error: a schedule must be a hash'
    says 'site.yaml:10:14: error: this list is empty'
    says "site.yaml:11:20: error: 'periodmatch' must be distance or number"
    says "site.yaml:15:15: error: unknown schedule 'maintenence'"
    says "did you mean 'maintenance'?"
    says "site.yaml:17:15: error: 'schedule' must be the name of a schedule or a hash"
    says 'site.yaml:19:25: error: invalid day of the week'
    says '13 errors'
}

@test "a schedule is given once" {
    manifest <<'END'
schedules:
  a: {range: 2 - 4}
END
    run rhost validate site.yaml site.yaml
    status_is 1
    says "duplicate schedule 'a'"
    says 'first defined here'
}

@test "a purge keeps to its schedule" {
    manifest <<'END'
resources:
  - purge: host
    schedule: never
END
    run rhost apply site.yaml
    status_is 0
    says '0 resources: 1 excluded'
}

@test "what is left out is in the report, with the reason" {
    needs_python
    manifest <<'END'
resources:
  - log: a
    schedule: never
END
    rhost apply --format=json site.yaml >report.json
    json_is report.json '[(r["status"], r["reason"]) for r in d["resources"]], d["counts"]["total"], d["counts"]["excluded"]' \
        "([('excluded', \"outside schedule 'never'\")], 0, 1)"
}

@test "schedules survive being compiled" {
    needs_python
    manifest <<'END'
schedules:
  all of it: {period: weekly, periodmatch: number, repeat: 2, weekday: [sun, 3], range: [2 - 4, "22:30 - 24:00"]}
resources:
  - log: a
    schedule: all of it
  - log: b
    schedule: hourly
END
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[list(r["schedule"].values()) for r in d["resources"]]' \
        "[['all of it', 'weekly', 'number', 2, [0, 3], ['02:00:00 - 04:00:00', '22:30:00 - 23:59:59']], ['hourly', 'hourly']]"
    rhost compile catalog.json >again.json
    json_is again.json '[r["schedule"] for r in d["resources"]] == [r["schedule"] for r in json.load(open("catalog.json"))["resources"]]' True
    run rhost apply catalog.json
    status_is 0
}
