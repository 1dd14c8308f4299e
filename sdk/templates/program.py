#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""@NAME@ - one line in a file of its own. Each question of rhost is a line of JSON, and so is each answer."""
import json
import os
import sys


def say(**answer):
    print(json.dumps(answer), flush=True)


def get(path):
    """What is not answered does not exist."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            say(resource={"path": path, "ensure": "present", "value": f.readline().rstrip("\n")})


def change(path, should):
    if should is None or should["ensure"] == "absent":
        os.remove(path)
        return
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(should.get("value", "") + "\n")
    os.replace(path + ".new", path)


def set_all(changes):
    """The block reports the start, the end and the time of each change; an error fails its resource alone."""
    for c in changes:
        gone = c["should"] is None or c["should"]["ensure"] == "absent"
        doing = "deleting" if gone else "updating" if c["is"] else "creating"
        say(begin={"doing": doing, "title": c["title"]})
        try:
            change(c["name"]["path"], c["should"])
            say(end={})
        except OSError as e:
            say(end={"failed": str(e)})


def validate(resource):
    """What no data type states: it is asked before anything is changed, and looks at the manifest alone."""
    if resource["path"].endswith("/"):
        say(failed={"attribute": "path", "message": "a file cannot end in /"})


for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    if verb == "hello":
        say(hello={"protocol": 1})
        continue
    if verb == "get":
        for name in asked["names"] or []:
            get(name["path"])
    elif verb == "set":
        set_all(asked["changes"])
    elif verb == "validate":
        validate(asked["resource"])
    say(done=True)
