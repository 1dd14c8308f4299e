#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a few lines can ask for has limits, each with a message that names it and the place.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Writes site.yaml, as a script of Python prints it.
generate() {
    needs_python
    python3 - >site.yaml
}

@test "an alias of a text takes no memory for another text" {
    generate <<'END'
print("resources:\n  - file: /x\n    content: &t", "a" * 1000000)
for i in range(200):
    print("  - file: /x%d\n    content: *t" % i)
END
    most=$(python3 - "${RHOST:-$abs_top_builddir/rhost}" <<'END'
import resource, subprocess, sys

# Without a worker, which reads ahead as much as its time allows.
subprocess.run([sys.argv[1], "validate", "--isolation=none", "--state-dir=state", "site.yaml"], check=True,
               stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
    )
    echo "$most KiB"
    [ "$most" -lt 150000 ]
}

@test "aliases of long texts have a limit" {
    generate <<'END'
print("resources:\n  - file: /x\n    content: &t", "a" * 1000000)
for i in range(5000):
    print("  - file: /x%d\n    content: *t" % i)
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:541:14: error: the aliases of this file expand to more than 256 MiB of text"
}

@test "definitions that double have a limit" {
    generate <<'END'
print("resources:")
for i in range(40):
    print("  - define: d%d\n    resources: [d%d: ['${title}a', '${title}b']]" % (i, i + 1))
print("  - define: d40\n    resources: [log: '${title}']\n  - d0: x")
END
    run rhost validate site.yaml
    status_is 1
    says "error: definitions and loops declare more than 250000 resources"
    says "for the instance declared here"
    says "1 error; nothing was changed"
}

@test "loops have the same limit, and what is written out has none" {
    generate <<'END'
print("resources:\n  - for_each: [%s]\n    log: x${each.value}" % ",".join(map(str, range(250001))))
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:5: error: definitions and loops declare more than 250000 resources"
    generate <<'END'
print("resources:\n  - log: [%s]" % ",".join(map(str, range(250001))))
END
    run rhost validate site.yaml
    status_is 0
}

@test "a text that doubles from definition to definition has a limit" {
    generate <<'END'
print("resources:")
for i in range(40):
    print("  - define: d%d\n    parameters: {t: String}" % i)
    print("    resources: [d%d: x, t: '${t}${t}']" % (i + 1) if i < 39 else "    resources: []")
print("  - d0: x\n    t: ab")
END
    sed -i 's/resources: \[\(d[0-9]*\): x, t: \(.*\)\]/resources: [{\1: x, t: \2}]/' site.yaml
    run rhost validate site.yaml
    status_is 1
    says "error: expressions expand this text to more than 64 MiB"
}

@test "one entry with very many titles and relations has a limit" {
    generate <<'END'
print("resources:\n  - log: [%s]\n    require: [%s]" % (",".join("a%d" % i for i in range(20000)),
      ",".join("'log[b%d]'" % i for i in range(20000))))
END
    run rhost validate site.yaml
    status_is 1
    says "error: the manifests expand to more than 512 MiB"
}

@test "the time for an entry does not grow with the square of its keys" {
    generate <<'END'
print("resources:\n  - file: /x")
for i in range(64000):
    print("    key%d: 1" % i)
END
    (
        ulimit -t 8
        run rhost validate site.yaml
        status_is 1
        says "64000 errors"
    )
    generate <<'END'
print("resources:\n  - file: /x\n  - edit: file[/x]")
for i in range(64000):
    print("    key%d:" % i)
END
    (
        ulimit -t 8
        run rhost validate site.yaml
        status_is 1
        says "64000 errors"
    )
}

@test "a resource has a limited number of tags and other names" {
    generate <<'END'
print("resources:\n  - log: x\n    tag: [%s]" % ", ".join("t%d" % i for i in range(1001)))
END
    run rhost validate site.yaml
    status_is 1
    says "error: a resource can have at most 1000 tags"
}
