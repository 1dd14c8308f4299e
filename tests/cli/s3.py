#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""s3.py DIRECTORY LOG: a store that speaks as much S3 as publishing needs, for tests: GET and PUT of objects, ETags, and PUT on a
condition. It verifies the signature of each request (version 4 of AWS) by itself, as AWS documents it, and the digest of each body.

A file "fail-PUT-NAME" in DIRECTORY has the next PUT of this object answered with its text as the status; "race-NAME" is put in
the place of the object just before it is judged.
"""
import hashlib
import hmac
import http.server
import os
import sys
import urllib.parse

root, log = sys.argv[1:3]
KEYS = {"AKIATEST": "secret-of-the-test"}
TOKENS = {None, "token-of-the-test"}


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", etag=None):
        self.send_response(status)
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        with open(log, "a") as f:
            print(self.command, self.path, status, file=f)

    def refuse(self, status, message):
        self.answer(status, ("<Error><Message>%s</Message></Error>" % message).encode())

    def verified(self, body):
        h = self.headers
        try:
            scheme, rest = h["Authorization"].split(" ", 1)
            parts = dict(p.strip().split("=", 1) for p in rest.split(","))
            access, date, region, service, end = parts["Credential"].split("/")
            names = parts["SignedHeaders"].split(";")
        except (AttributeError, KeyError, ValueError):
            return "no authorization"
        if scheme != "AWS4-HMAC-SHA256" or (region, service, end) != ("eu-test-1", "s3", "aws4_request") or access not in KEYS:
            return "unknown key, region or service"
        needed = {"host", "x-amz-date", "x-amz-content-sha256"} | {n.lower() for n in h if n.lower().startswith("x-amz-")}
        if not needed <= set(names) or names != sorted(names):
            return "a header is not signed"
        if h["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return "the digest of the body is another one"
        if h.get("x-amz-security-token") not in TOKENS or not h["x-amz-date"].startswith(date):
            return "wrong token or date"
        url = urllib.parse.urlsplit(self.path)
        request = "\n".join([self.command, urllib.parse.quote(url.path, safe="/-_.~"), url.query,
                             "".join("%s:%s\n" % (n, " ".join(h[n].split())) for n in names), ";".join(names),
                             h["x-amz-content-sha256"]])
        text = "\n".join([scheme, h["x-amz-date"], "/".join([date, region, service, end]),
                          hashlib.sha256(request.encode()).hexdigest()])
        key = ("AWS4" + KEYS[access]).encode()
        for part in (date, region, service, end):
            key = sign(key, part)
        if not hmac.compare_digest(hmac.new(key, text.encode(), hashlib.sha256).hexdigest(), parts["Signature"]):
            return "the signature does not match"
        return None

    def handle_object(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        why = self.verified(body)
        if why:
            return self.refuse(403, why)
        path = root + self.path
        name = os.path.basename(path)
        for kind in ("race-", "fail-%s-" % self.command):
            file = os.path.join(root, kind + name)
            if self.command == "PUT" and os.path.exists(file):
                if kind == "race-":
                    os.rename(file, path)
                else:
                    status = int(open(file).read())
                    os.unlink(file)
                    return self.refuse(status, "slow down")
        try:
            old = open(path, "rb").read()
        except OSError:
            old = None
        etag = old is not None and '"%s"' % hashlib.md5(old).hexdigest()
        if self.command == "GET":
            return self.refuse(404, "no such key") if old is None else self.answer(200, old, etag)
        if (self.headers.get("If-None-Match") == "*" and old is not None) or self.headers.get("If-Match", etag) != etag:
            return self.refuse(412, "precondition failed")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as f:
            f.write(body)
        os.rename(path + ".new", path)
        return self.answer(200, b"", '"%s"' % hashlib.md5(body).hexdigest())

    do_GET = do_PUT = handle_object

    def log_message(self, format, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
