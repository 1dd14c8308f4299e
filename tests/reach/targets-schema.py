# SPDX-License-Identifier: Apache-2.0
"""targets-schema.py SCHEMA RHOST FILE...: the JSON Schema of files of targets, and rhost, agree.

Files of targets are taken as they are, from the blocks of yaml in pages (.md), and from what test files give to
`targets`. What the schema refuses, rhost must refuse; a file with a name in `valid` the schema must take.
"""
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

schema = json.load(open(sys.argv[1]))
rhost = sys.argv[2]
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def rhost_takes(text):
    with open("checked.yaml", "w") as f:
        f.write(text)
    done = subprocess.run([rhost, "push", "--targets=checked.yaml", "--list", "local:"], capture_output=True)
    return done.returncode == 0


def texts_of(name):
    text = open(name).read()
    if name.endswith(".md"):
        return [t for t in re.findall(r"```yaml\n(.*?)```", text, re.S) if re.search(r"^(targets|groups):", t, re.M)]
    if name.endswith(".bats"):
        found = re.findall(r"^ *targets <<'?END'?\n(.*?)^END$", text, re.S | re.M)
        return [re.sub(r"\$\{?\w+\}?|\$\([^)]*\)", "/value", t) for t in found]
    return [text]


count = {True: 0, False: 0}
wrong = []
for name in sys.argv[3:]:
    for text in texts_of(name):
        try:
            value = yaml.load(text, yaml.SafeLoader)
        except yaml.YAMLError:
            continue
        if isinstance(value, dict) and "_meta" in value:
            continue  # of ansible-inventory, whose form is not ours
        fits = validator.is_valid(value)
        takes = rhost_takes(text)
        count[fits] += 1
        if takes and not fits:
            wrong.append("%s: rhost takes what the schema refuses:\n%s" % (name, text))
        if name.endswith(".md") and not (fits and takes):
            wrong.append("%s: refused:\n%s" % (name, text))
        if os.path.basename(name).startswith("bad-") and (fits or takes):
            wrong.append("%s: taken by %s:\n%s" % (name, "the schema" if fits else "rhost", text))
        if os.path.basename(name).startswith("good-") and not (fits and takes):
            wrong.append("%s: refused by %s:\n%s" % (name, "rhost" if fits else "the schema", text))
print("\n".join(wrong) or "%d fit, %d are refused" % (count[True], count[False]))
sys.exit(bool(wrong))
