-- SPDX-License-Identifier: Apache-2.0
-- What has to be saved is known by those who declare it; a loop is clearer here than YAML.
local root = node.root
local keep = node.backup.keep

directory(root .. "/backup") { mode = "0700" }

for _, name in ipairs(node.database.databases) do
  directory(root .. "/backup/" .. name) { mode = "0700" }
  file(root .. "/bin/backup-" .. name) {
    mode = "0700",
    content = template("../templates/backup.sh.tmpl", { name = name, keep = keep }),
    require = "directory[" .. root .. "/backup/" .. name .. "]",
  }
  for generation = 1, keep do
    directory(string.format("%s/backup/%s/%02d", root, name, generation)) { mode = "0700" }
  end
end

-- Who looks after the machine is told.
for login, admin in pairs(node.admins) do
  file(root .. "/home/" .. login .. "/.forward") {
    mode = "0600",
    content = login .. "@" .. node.organization .. "\n",
  }
  file(root .. "/home/" .. login .. "/profile.json") {
    mode = "0600",
    content = json { login = login, name = admin.name, shell = admin.shell } .. "\n",
  }
end
