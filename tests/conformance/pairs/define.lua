-- SPDX-License-Identifier: Apache-2.0
define("vhost", {
  desc = "A site.",
  parameters = {
    port = "Integer[1, 65535]",
    root = { type = "String[1]", default = "/srv/www", desc = "Where its files are." },
  },
  resources = function(self)
    local dir = self.root .. "/" .. self.title
    directory(dir) {}
    file(dir .. "/conf") {
      content = "listen " .. self.port .. "\n",
      require = "directory[" .. dir .. "]",
    }
  end,
})
vhost "example.org" { port = 8080 }
vhost { "example.net", "example.com" } { port = 80, root = "/srv/other" }
