# SPDX-License-Identifier: Apache-2.0
"""json_value - single values in JSON files. Each request is a line, and each answer."""
import json
import os
import sys


def say(**answer):
    print(json.dumps(answer), flush=True)


def load(file):
    if not os.path.exists(file):
        return {}
    with open(file, encoding="utf-8") as f:
        return json.load(f)


def find(inside, names, make=False):
    for name in names:
        if make and not isinstance(inside.get(name), dict):
            inside[name] = {}
        inside = inside.get(name) if isinstance(inside, dict) else None
    return inside


def get(name):
    *above, last = name["key"].split(".")
    there = find(load(name["file"]), above)
    if isinstance(there, dict) and last in there:
        say(resource=dict(name, ensure="present", value=there[last]))


def change(file, key, should):
    root = load(file)
    *above, last = key.split(".")
    if should is None or should["ensure"] == "absent":
        del find(root, above)[last]
    else:
        find(root, above, make=True)[last] = should.get("value")
    with open(file + ".new", "w", encoding="utf-8") as f:
        json.dump(root, f, indent=2)
    os.replace(file + ".new", file)


for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    if verb == "hello":
        say(hello={"protocol": 1})
        continue
    for name in asked["names"] or [] if verb == "get" else []:
        get(name)
    for c in asked["changes"] if verb == "set" else []:
        try:
            change(**c["name"], should=c["should"])
        except (OSError, ValueError, AttributeError) as e:
            say(failed={"title": c["title"], "message": str(e)})
    say(done=True)
