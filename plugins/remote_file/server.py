#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server for the tests of remote_file: server.py FOLDER PORT-FILE|PORT [CERTIFICATE KEY [CLIENT-CA]]

It has the files of a folder, with ETag, Last-Modified, conditional requests and ranges. The first parts of a path say
how it misbehaves. What was asked is in PORT-FILE.log: a line of JSON for each request.
"""
import base64
import email.utils
import hashlib
import http.server
import json
import os
import re
import socketserver
import ssl
import sys
import time
import urllib.parse

folder, where = sys.argv[1:3]
log = None if where.isdigit() else open(where + ".log", "a")
once = set()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def say(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self, name, validators="ETag Last-Modified", drop=None, stall=None, length=True):
        try:
            path = os.path.join(folder, name)
            content = open(path, "rb").read()
            modified = email.utils.formatdate(os.stat(path).st_mtime, usegmt=True)
        except OSError:
            return self.say(404, b"no such file\n")
        etag = '"' + hashlib.sha256(content).hexdigest()[:16] + '"'
        etag = "W/" + etag if "weak" in validators else etag
        headers = {}
        if "ETag" in validators:
            headers["ETag"] = etag
        if "Last-Modified" in validators:
            headers["Last-Modified"] = modified
        asked = self.headers
        if ("ETag" in headers and asked.get("If-None-Match") == etag) or (
                "Last-Modified" in headers and "If-None-Match" not in asked and asked.get("If-Modified-Since") == modified):
            return self.say(304, **headers)
        status, start = 200, 0
        span = re.fullmatch(r"bytes=(\d+)-", asked.get("Range", ""))
        if span and headers and asked.get("If-Range") in (None, headers.get("ETag"), headers.get("Last-Modified")):
            status, start = 206, int(span[1])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        content = content[start:]
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if length:
            self.send_header("Content-Length", str(len(content)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        if stall is not None:
            self.wfile.write(content[:stall])
            time.sleep(20)
        self.wfile.write(content if drop is None else content[:drop])
        if drop is not None or not length:
            self.close_connection = True

    def do_GET(self):
        if log:
            log.write(json.dumps({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}}) + "\n")
            log.flush()
        parts = urllib.parse.urlsplit(self.path).path.strip("/").split("/")
        kind, rest = parts[0], "/".join(parts[1:])
        if kind == "status":
            self.say(int(rest), b"an error\n")
        elif kind == "redirect":
            self.say(302, b"elsewhere\n", Location="/" + rest)
        elif kind == "loop":
            self.say(302, b"", Location=self.path)
        elif kind == "to":
            self.say(302, b"", Location=urllib.parse.unquote(self.path.split("?", 1)[1]))
        elif kind == "private":
            good = self.headers.get("Authorization") in ("Bearer secret-token", "Basic " +
                                                         base64.b64encode(b"me:secret-password").decode())
            self.file(rest) if good else self.say(401, b"who are you?\n")
        elif kind == "plain":
            self.file(rest, "")
        elif kind == "dated":
            self.file(rest, "Last-Modified")
        elif kind == "weak":
            self.file(rest, "weak ETag")
        elif kind == "close":
            self.file(rest, length=False)
        elif kind == "drop":  # /drop/BYTES/NAME, each time
            self.file("/".join(parts[2:]), drop=int(parts[1]))
        elif kind == "drop-once":
            again = self.path in once
            once.add(self.path)
            self.file("/".join(parts[2:]), drop=None if again else int(parts[1]))
        elif kind == "drop-plain":
            self.file("/".join(parts[2:]), "", drop=int(parts[1]))
        elif kind == "swap":  # breaks, and has another file the next time
            again = self.path in once
            once.add(self.path)
            self.file(parts[3] if again else parts[2], drop=None if again else int(parts[1]))
        elif kind == "busy-once":
            again = self.path in once
            once.add(self.path)
            self.file(rest) if again else self.say(503)
        elif kind == "stall":
            self.file(rest, stall=2)
        elif kind == "hang":
            time.sleep(20)
        elif kind == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
            self.close_connection = True
        else:
            self.file("/".join(parts))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


server = Server(("127.0.0.1", int(where) if where.isdigit() else 0), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    if len(sys.argv) > 5:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(sys.argv[5])
    server.socket = context.wrap_socket(server.socket, server_side=True)
if log:
    with open(where + ".new", "w") as f:
        f.write(str(server.server_address[1]))
    os.rename(where + ".new", where)
print("ready", flush=True)
server.serve_forever()
