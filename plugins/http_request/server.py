#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server for the tests of http_request: server.py SOCKET|PORT-FILE|PORT [CERTIFICATE KEY [CLIENT-CA]]

It keeps what is put below /items/, asks for credentials below /private/, and misbehaves as the path says. What was
asked is in WHERE.log, where that exists: a line of JSON for each request.
"""
import base64
import http.server
import json
import os
import socket
import socketserver
import ssl
import sys
import time
import urllib.parse

where = sys.argv[1]
items = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def address_string(self):
        return "client"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def misbehave(self, kind):
        if kind == "hang":
            time.sleep(30)
        elif kind == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of")
        elif kind == "head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
        elif kind == "garbage":
            self.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
        elif kind == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
        self.close_connection = True

    def do_GET(self):
        n = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(n)
        if os.path.exists(where + ".log"):
            log = open(where + ".log", "a")
            log.write(json.dumps({"method": self.command, "path": self.path, "body": body.decode("utf-8", "replace"),
                                  "headers": {k.lower(): v for k, v in self.headers.items()}}) + "\n")
            log.close()
        kind = self.path.strip("/").split("/")
        if kind[0] == "status":
            self.answer(int(kind[1]), b"the answer of status " + kind[1].encode() + b"\nmore\n")
        elif kind[0] == "echo":
            self.answer(500, body or str(self.headers.get("Authorization")).encode())
        elif kind[0] == "bytes":
            self.answer(200, b"\xff\x00\xfe")
        elif kind[0] == "redirect":
            self.answer(302, Location="/" + "/".join(kind[1:]))
        elif kind[0] == "away":
            self.answer(302, Location={"file": "file:///etc/passwd", "http": "http://127.0.0.1:1/"}[kind[1]])
        elif kind[0] == "to":
            self.answer(302, Location=urllib.parse.unquote(kind[1]))
        elif kind[0] == "private":
            good = self.headers.get("Authorization") in ("Bearer secret-token", "Basic " +
                                                         base64.b64encode(b"me:secret-password").decode())
            self.answer(200 if good else 401, b"welcome\n" if good else b"who are you?\n")
        elif kind[0] == "items" and self.command in ("PUT", "POST", "PATCH"):
            created = self.path not in items
            items[self.path] = body
            self.answer(201 if created else 200, b"stored\n")
        elif kind[0] == "items" and self.command == "DELETE":
            self.answer(200 if items.pop(self.path, None) is not None else 404)
        elif kind[0] == "items" and self.path in items:
            self.answer(200, items[self.path])
        elif kind[0] == "items":
            self.answer(404, b"no such item\n")
        else:
            self.misbehave(kind[0])

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET


class Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        return self.socket.accept()[0], ("client", 0)


class Tcp(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


if where.endswith("socket"):
    server = Unix(where, Handler)
else:
    server = Tcp(("127.0.0.1", int(where) if where.isdigit() else 0), Handler)
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        if len(sys.argv) > 4:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(sys.argv[4])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    if not where.isdigit():
        with open(where + ".new", "w") as f:
            f.write(str(server.server_address[1]))
        os.rename(where + ".new", where)
print("ready", flush=True)
server.serve_forever()
