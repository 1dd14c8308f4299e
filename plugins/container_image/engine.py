#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An engine for tests: engine.py SOCKET

It answers as Podman and Docker do, of what there is in its memory, and misbehaves for images and containers whose
name says so. An archive is a text with the names of its images. What was asked is in SOCKET.log, where that exists.
"""
import hashlib
import http.server
import json
import os
import re
import socketserver
import sys
import time
import urllib.parse

where = sys.argv[1]
images = {}
containers = {}
networks = {}
volumes = {}


def image_id(name):
    return "sha256:" + hashlib.sha256(name.encode()).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def raw(self, data):
        self.wfile.write(data)
        self.close_connection = True

    def answer(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def missing(self, what):
        self.answer(404, {"message": "no such " + what, "response": 404})

    def misbehaves(self, path):
        if "half" in path:
            self.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"Id": ')
        elif "nojson" in path:
            self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n<html>oh</ht")
        elif "cutjson" in path:
            self.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"Id": ')
        elif "noid" in path:
            self.answer(200, {"Ident": 1})
        elif "list" in path:
            self.answer(200, [1, 2])
        elif "error500" in path:
            self.answer(500, {"message": "the disk\nis full"})
        elif "denied" in path:
            self.answer(403, {"message": "forbidden by policy"})
        elif "close" in path:
            self.close_connection = True
        elif "hang" in path:
            time.sleep(30)
        else:
            return False
        return True

    def image(self, name, rest, method):
        if method == "DELETE":
            users = [c for c in containers.values() if c["Config"]["Image"] == name]
            if users and "force=true" not in rest:
                self.answer(409, {"message": "image is in use by a container"})
            elif images.pop(name, None):
                self.answer(200, [{"Untagged": name}])
            else:
                self.missing("image")
        elif name in images or any(i["Id"] == name for i in images.values()):
            self.answer(200, images.get(name) or [i for i in images.values() if i["Id"] == name][0])
        else:
            self.missing("image")

    def add_image(self, name):
        images[name] = {"Id": image_id(name), "RepoTags": [name],
                        "Config": {"Cmd": ["sleep", "1000"], "Env": ["FROM=image"], "Labels": {"of": "image"}, "User": ""}}

    def create(self, name, body):
        if name in containers:
            self.answer(409, {"message": "the name is in use"})
        elif body["Image"] not in images:
            self.missing("image")
        else:
            image = images[body["Image"]]
            host = body.get("HostConfig", {})
            config = {"Image": body["Image"], "Cmd": body.get("Cmd") or image["Config"]["Cmd"],
                      "Env": image["Config"]["Env"] + ["HOSTNAME=x"] + body.get("Env", []),
                      "Labels": {**image["Config"]["Labels"], **body.get("Labels", {})}, "User": body.get("User", "")}
            networks = {n: {} for n in body.get("NetworkingConfig", {}).get("EndpointsConfig", {})}
            containers[name] = {"Id": hashlib.sha256(os.urandom(8)).hexdigest(), "Name": "/" + name, "Image": image["Id"],
                                "Config": config, "State": {"Running": False, "Status": "created"},
                                "HostConfig": {"Binds": host.get("Binds", []), "PortBindings": host.get("PortBindings", {}),
                                               "RestartPolicy": host.get("RestartPolicy", {"Name": ""}),
                                               "NetworkMode": host.get("NetworkMode", "none")},
                                "NetworkSettings": {"Networks": networks}}
            self.answer(201, {"Id": containers[name]["Id"], "Warnings": []})

    def container(self, name, verb, query, method):
        container = containers.get(name)
        if not container:
            self.missing("container")
        elif method == "DELETE":
            del containers[name]
            self.answer(204)
        elif verb == "json":
            self.answer(200, container)
        elif verb == "rename":
            container["Name"] = "/" + query["name"][0]
            containers[query["name"][0]] = containers.pop(name)
            self.answer(204)
        elif verb in ("start", "restart") and "nostart" in name:
            self.answer(500, {"message": "the program does not exist"})
        else:
            container["State"]["Running"] = verb != "stop"
            container["State"]["Status"] = "exited" if verb == "stop" else "running"
            self.answer(204)

    def network(self, name, method):
        if name not in networks:
            self.missing("network")
        elif method == "DELETE" and any(name in c["NetworkSettings"]["Networks"] for c in containers.values()):
            self.answer(500, {"message": "network is being used"})
        elif method == "DELETE":
            del networks[name]
            self.answer(204)
        else:
            self.answer(200, networks[name])

    def create_network(self, body):
        ranges = body.get("IPAM", {}).get("Config", [{"Subnet": "10.89.0.0/24", "Gateway": "10.89.0.1"}])
        networks[body["Name"]] = {"Id": hashlib.sha256(body["Name"].encode()).hexdigest(), "Name": body["Name"],
                                  "Driver": body.get("Driver", "bridge"), "IPAM": {"Config": ranges},
                                  "Internal": body.get("Internal", False), "Options": body.get("Options", {}),
                                  "Labels": body.get("Labels", {})}
        self.answer(201, {"Id": networks[body["Name"]]["Id"], "Warning": ""})

    def volume(self, name, method):
        if name not in volumes:
            self.missing("volume")
        elif method == "DELETE":
            del volumes[name]
            self.answer(204)
        else:
            self.answer(200, volumes[name])

    def create_volume(self, body):
        volumes[body["Name"]] = {"Name": body["Name"], "Driver": body.get("Driver", "local"),
                                 "Mountpoint": "/var/lib/volumes/" + body["Name"], "Options": body.get("DriverOpts", {}),
                                 "Labels": body.get("Labels", {})}
        self.answer(201, volumes[body["Name"]])

    def do_GET(self):
        n = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(n)
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        if os.path.exists(where + ".log"):
            with open(where + ".log", "a") as log:
                log.write(self.command + " " + self.path + " " + body.decode("utf-8", "replace") + "\n")
        if self.misbehaves(self.path):
            return
        if url.path == "/images/create":
            name = query["fromImage"][0]
            if "unknown" in name:
                self.answer(200, {"status": "Pulling"} | {"error": "manifest unknown"})
            else:
                self.add_image(name)
                parts = b'{"status": "Pulling"}\n{"status": "Complete"} \n\n'
                self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(parts), parts))
        elif url.path == "/images/load":
            for name in body.decode().split():
                self.add_image(name)
            self.answer(200, {"stream": "Loaded"})
        elif url.path == "/containers/create":
            self.create(query["name"][0], json.loads(body))
        elif url.path == "/networks/create":
            self.create_network(json.loads(body))
        elif url.path == "/volumes/create":
            self.create_volume(json.loads(body))
        elif match := re.fullmatch("/networks/([^/]*)", url.path):
            self.network(match[1], self.command)
        elif match := re.fullmatch("/volumes/([^/]*)", url.path):
            self.volume(match[1], self.command)
        elif match := re.fullmatch("/images/(.*?)(/json)?", url.path):
            self.image(match[1], url.query, self.command)
        elif match := re.fullmatch("/containers/([^/]*)(?:/([a-z]*))?", url.path):
            self.container(match[1], match[2], query, self.command)
        else:
            self.missing("page")

    do_POST = do_DELETE = do_GET


class Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        return self.socket.accept()[0], ("client", 0)

    def handle_error(self, request, client_address):
        pass


server = Unix(where, Handler)
print("ready", flush=True)
server.serve_forever()
