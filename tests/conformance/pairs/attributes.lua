-- SPDX-License-Identifier: Apache-2.0
node.default.web.port = 80
node.default.web.tls = { cert = "a", key = "b" }
node.override.web.port = 8080
node:rm_override("web", "port")
node["force_default!"].web.tls = { cert = "c" }
node.normal_unless.web.user = "www-data"
node:rm("web", "nothing")
file "/srv/web" {
  content = node.web.port .. " " .. node.web.tls.cert .. " " .. (node.web.tls.key or "none") .. " "
    .. node.web.user,
}
