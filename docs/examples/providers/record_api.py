#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small HTTP API for the example `record`, on a socket of the file system: record_api.py SOCKET TOKEN

  GET /records          a line "NAME VALUE" for each record
  PUT /records/NAME     the body is the value
  DELETE /records/NAME
"""
import http.server
import socketserver
import sys

records = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def allowed(self):
        if self.headers.get("Authorization") == "Bearer " + sys.argv[2]:
            return True
        self.answer(401, "wrong token")
        return False

    def name(self):
        return self.path.removeprefix("/records/")

    def do_GET(self):
        if self.allowed():
            self.answer(200, "".join(f"{name} {value}\n" for name, value in sorted(records.items())))

    def do_PUT(self):
        value = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if not self.allowed():
            return
        if value == "forbidden":
            self.answer(422, "this value is not allowed")
            return
        records[self.name()] = value
        self.answer(204)

    def do_DELETE(self):
        if self.allowed():
            self.answer(204 if records.pop(self.name(), None) is not None else 404)

    def log_message(self, format, *args):
        pass


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def get_request(self):
        return self.socket.accept()[0], ("local", 0)


server = Server(sys.argv[1], Handler)
print("ready", flush=True)
server.serve_forever()
