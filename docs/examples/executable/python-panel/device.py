# SPDX-License-Identifier: Apache-2.0
"""A device to try the example with, on a socket of the file system: device.py SOCKET TOKEN

Each request is a line of JSON, and each answer; the first request is the token.

  {"list": true}                      {"lamps": {"one": "green"}}
  {"set": "one", "colour": "green"}   {}
  {"remove": "one"}                   {}
"""
import json
import socketserver
import sys

COLOURS = ["red", "green", "blue"]
lamps = {}


def answer(asked):
    if "list" in asked:
        return {"lamps": lamps}
    if "remove" in asked:
        return {} if lamps.pop(asked["remove"], None) else {"error": "no such lamp"}
    if asked["colour"] not in COLOURS:
        return {"error": f"no lamp can be {asked['colour']}"}
    lamps[asked["set"]] = asked["colour"]
    return {}


class Handler(socketserver.StreamRequestHandler):
    def say(self, **what):
        self.wfile.write(json.dumps(what).encode() + b"\n")

    def handle(self):
        if json.loads(self.rfile.readline() or b"{}") != {"token": sys.argv[2]}:
            self.say(error="wrong token")
            return
        self.say()
        for line in self.rfile:
            self.say(**answer(json.loads(line)))


server = socketserver.ThreadingUnixStreamServer(sys.argv[1], Handler)
server.daemon_threads = True
print("ready", flush=True)
server.serve_forever()
