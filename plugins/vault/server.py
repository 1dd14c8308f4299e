#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server for the tests of vault, with the API that Vault documents: server.py PORT-FILE|PORT [CERTIFICATE KEY]

It has KV 2 at secret/ and team/kv/, KV 1 at old/, and AppRole at approle. The token root-token may read all but what is
below secret/denied/; tokens of a login may, too. A file PORT-FILE.sealed, .busy, .standby or .broken next to it changes
what it answers. What it was asked is in PORT-FILE.log, where that exists: a line of JSON for each request.
"""
import http.server
import json
import os
import socketserver
import ssl
import sys
import urllib.parse

where = sys.argv[1]
tokens = {"root-token"}
kv2 = {
    "secret/app/db": [{"user": "app", "password": "pw-first-9"}, {"user": "app", "password": "pw-second-9", "port": 5432}],
    "secret/a b/ü": [{"k": "pw-encoded-9"}],
    "secret/gone": [None],
    "team/kv/x": [{"k": "pw-nested-9"}],
}
kv1 = {"old/app/db": {"password": "pw-old-9"}}
spaces = {"ops/secret/x": {"k": "pw-space-9"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, value, **headers):
        body = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def secret(self, data):
        self.answer(200, {"request_id": "r", "lease_id": "", "renewable": False, "lease_duration": 2764800, "data": data,
                          "wrap_info": None, "warnings": None, "auth": None})

    def login(self, body):
        try:
            value = json.loads(body)
        except ValueError:
            value = {}
        if value.get("role_id") != "role-id-9":
            self.answer(400, {"errors": ["invalid role or secret ID"]})
        elif value.get("secret_id") != "secret-id-9":
            # As a proxy does that says too much.
            self.answer(400, {"errors": ["invalid role or secret ID: %s" % value.get("secret_id")]})
        else:
            tokens.add("login-token-9")
            self.answer(200, {"data": None, "auth": {"client_token": "login-token-9", "accessor": "a", "policies": ["app"],
                                                     "lease_duration": 1200, "renewable": True}})

    def read_kv2(self, path, version):
        versions = kv2.get(path)
        if not versions:
            self.answer(404, {"errors": []})
            return
        number = int(version or 0) or len(versions)
        if number > len(versions):
            self.answer(404, {"errors": []})
            return
        data = versions[number - 1]
        metadata = {"created_time": "2026-01-01T00:00:00Z", "custom_metadata": None,
                    "deletion_time": "" if data else "2026-01-02T00:00:00Z", "destroyed": False, "version": number}
        if data is None:
            self.answer(404, {"request_id": "r", "data": {"data": None, "metadata": metadata}, "warnings": None})
        else:
            self.secret({"data": data, "metadata": metadata})

    def read(self, path, query):
        parts = path.split("/")
        if parts[0] in ("secret", "team"):
            mount = "secret" if parts[0] == "secret" else "team/kv"
            rest = path[len(mount) + 1:]
            if not rest.startswith("data/"):
                self.answer(404, {"errors": [], "warnings": [
                    "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints "
                    "to use. If using the Vault CLI, use 'vault kv get' for this operation."]})
                return
            rest = rest[5:]
            if mount == "secret" and rest.startswith("denied"):
                self.answer(403, {"errors": ["1 error occurred:\n\t* permission denied\n\n"]})
            else:
                self.read_kv2(mount + "/" + rest, query.get("version", [""])[0])
        elif parts[0] == "old":
            if path in kv1:
                self.secret(kv1[path])
            elif path.startswith("old/data/"):
                self.secret({"password": "a secret of KV 1 with a path like that of KV 2"})
            else:
                self.answer(404, {"errors": []})
        else:
            self.answer(404, {"errors": ["no handler for route \"%s\". route entry not found." % path]})

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)[len("/v1/"):]
        if os.path.exists(where + ".log"):
            log = open(where + ".log", "a")
            log.write(json.dumps({"method": self.command, "path": self.path,
                                  "token": self.headers.get("X-Vault-Token"),
                                  "namespace": self.headers.get("X-Vault-Namespace")}) + "\n")
            log.close()
        if os.path.exists(where + ".sealed"):
            self.answer(503, {"errors": ["Vault is sealed"]})
        elif os.path.exists(where + ".busy"):
            self.answer(429, {"errors": ["request path \"%s\": rate limit quota exceeded" % path]})
        elif os.path.exists(where + ".standby"):
            self.answer(307, "", Location="http://127.0.0.1:1" + self.path)
        elif os.path.exists(where + ".broken"):
            with open(where + ".broken") as f:
                self.answer(200, f.read())
        elif path == "auth/approle/login" and self.command in ("POST", "PUT"):
            self.login(body)
        elif self.headers.get("X-Vault-Token") is None:
            self.answer(400, {"errors": ["missing client token"]})
        elif self.headers["X-Vault-Token"] not in tokens:
            self.answer(403, {"errors": ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"]})
        elif self.headers.get("X-Vault-Namespace") == "ops" and path == "secret/data/x":
            self.secret({"data": spaces["ops/secret/x"], "metadata": {"version": 1}})
        else:
            self.read(path, urllib.parse.parse_qs(url.query))

    do_POST = do_PUT = do_GET


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


server = Server(("127.0.0.1", int(where) if where.isdigit() else 0), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
if not where.isdigit():
    with open(where + ".new", "w") as f:
        f.write(str(server.server_address[1]))
    os.rename(where + ".new", where)
print("ready", flush=True)
server.serve_forever()
