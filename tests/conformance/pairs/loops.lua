-- SPDX-License-Identifier: Apache-2.0
node.default.sites = {
  alpha = { port = 8001, on = true },
  beta = { port = 8002, on = false },
  gamma = { port = 8003, on = true },
}
node.default.names = { "one", "two" }
for name, site in pairs(node.sites) do
  if site.on then
    file("/srv/" .. name) { content = "port " .. site.port .. "\n" }
  end
end
for _, name in ipairs(node.names) do
  file("/srv/list/" .. name) { content = upper(name) }
end
if node.sites.beta.on then
  file "/srv/never" {}
end
