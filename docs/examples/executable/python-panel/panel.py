# SPDX-License-Identifier: Apache-2.0
"""panel - lamps of a panel, which is reached by a transport of the same program: one connection for all of a run."""
import json
import socket
import sys


def say(**answer):
    print(json.dumps(answer), flush=True)


class Panel:
    """The connection info comes with `connect`, on standard input: the token is in no argument list."""

    def __init__(self, info):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(info["socket"])
        self.lines = self.socket.makefile("rw", encoding="utf-8")
        self.ask(token=info["token"]["__pvalue"])

    def ask(self, **what):
        print(json.dumps(what), file=self.lines, flush=True)
        answer = json.loads(self.lines.readline() or '{"error": "it has closed the connection"}')
        if "error" in answer:
            raise OSError(answer["error"])
        return answer

    def lamps(self):
        return self.ask(list=True)["lamps"]

    def close(self):
        self.lines.close()
        self.socket.close()


def get(panel, names):
    there = panel.lamps()
    for name in there if names is None else [n["name"] for n in names]:
        if name in there:
            say(resource={"name": name, "ensure": "present", "colour": there[name]})


def change(panel, name, should):
    if should is None or should["ensure"] == "absent":
        panel.ask(remove=name)
    elif "colour" in should:
        panel.ask(set=name, colour=should["colour"])
    else:
        raise OSError("a lamp needs a colour")


def change_all(panel, changes):
    for c in changes:
        try:
            change(panel, c["name"]["name"], c["should"])
        except OSError as e:
            say(failed={"title": c["title"], "attribute": "colour", "message": str(e)})


panel = None
for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    if verb == "hello":
        say(hello={"protocol": 1})
        continue
    try:
        if verb == "connect":
            panel = Panel(asked["info"])
        elif verb == "verify":
            panel.lamps()
        elif verb == "facts":
            say(facts={"lamps": len(panel.lamps())})
        elif verb == "disconnect":
            panel.close()
        elif verb == "get":
            get(panel, asked["names"])
        elif verb == "set":
            change_all(panel, asked["changes"])
    except (OSError, ValueError) as e:
        say(failed={"message": str(e)})
    say(done=True)
