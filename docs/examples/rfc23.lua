-- SPDX-License-Identifier: Apache-2.0
-- Every example of RFC 23, in its order, with what it says comes out.
--
--   rhost validate docs/examples/rfc23.lua

local function show(what, value)
  print(what .. "  =>  " .. json(value))
end

-- "What's wrong?": an assignment merges with what the role says.
node.default.foo.bar.baz = 12
node.role_default.foo.bar.baz = 52
node.default.foo.bar = { thing = "stuff" }
show("motivation: node.foo.bar", node.foo.bar)
node:rm("foo")

-- Delete a default value when only defaults exist.
local function structure(level)
  node[level].foo = {
    bar = { baz = 52, thing = "stuff" },
    bat = { things = { 5, 6 } },
  }
end
structure("default")
node.role_default.foo.bar.thing = "otherstuff"
node.force_default.foo.bar.thing = "allthestuff"
show("rm_default 1: returns", node:rm_default("foo", "bar"))
show("rm_default 1: combined_default.foo", node.attributes.combined_default.foo)
node:rm("foo")

-- Delete a default value when higher precedences exist.
structure("default")
node.role_default.foo.bar.thing = "otherstuff"
node.force_default.foo.bar.thing = "allthestuff"
node.override.foo.bar.baz = 99
show("rm_default 2: returns", node:rm_default("foo", "bar"))
show("rm_default 2: combined_override.foo", node.attributes.combined_override.foo)
show("rm_default 2: node.foo", node.foo)
node:rm("foo")

-- Delete an override when lower precedences exist.
structure("override")
node.default.foo.bar.baz = 11
node.force_default.foo.bar.baz = 55
node.force_override.foo.bar.baz = 99
show("rm_override: returns", node:rm_override("foo", "bar"))
show("rm_override: combined_default.foo", node.attributes.combined_default.foo)
node:rm("foo")

-- Deletes of keys that do not exist return nil.
print("rm_default of nothing  =>  " .. tostring(node:rm_default("no", "such", "thing")))

-- Global removal.
structure("default")
node.override.foo.bar.baz = 999
show("rm: returns", node:rm("foo", "bar"))
show("rm: node.foo", node.foo)
print("rm of nothing  =>  " .. tostring(node:rm("no", "such", "thing")))
node:rm("foo")

-- node['foo'].delete('bar') "will throw an exception pointing you to the new API".
structure("default")
local ok, message = pcall(function() node.foo.bar = nil end)
print("writing through the merged view  =>  " .. message)
node:rm("foo")

-- Full assignment, example 1: just one component.
node.default.foo.bar = { a = "b" }
node["default!"].foo.bar = { c = "d" }
show("full assignment 1: node.foo", node.foo)
node:rm("foo")

-- Example 2: several components, one "after" us.
node.default.foo.bar = { a = "b" }
node.role_default.foo.bar = { c = "d" }
node["default!"].foo.bar = { d = "e" }
show("full assignment 2: node.foo", node.foo)
node:rm("foo")

-- Example 3: several components, all "before" us.
node.default.foo.bar = { a = "b" }
node.role_default.foo.bar = { c = "d" }
node["force_default!"].foo.bar = { d = "e" }
show("full assignment 3: node.foo", node.foo)
node:rm("foo")

-- Example 4: with several precedences.
structure("default")
node.role_default.foo.bar.baz = 55
node.force_default.foo.bar.baz = 66
node.normal.foo.bar.baz = 88
node.override.foo.bar.baz = 99
node["default!"].foo.bar = {}
show("full assignment 4: combined_default.foo", node.attributes.combined_default.foo)
show("full assignment 4: normal.foo", node.attributes.normal.foo)
show("full assignment 4: combined_override.foo", node.attributes.combined_override.foo)
show("full assignment 4: node.foo.bar", node.foo.bar)
node["force_default!"].foo.bar = {}
show("then force_default!: combined_default.foo", node.attributes.combined_default.foo)
show("then force_default!: normal.foo", node.attributes.normal.foo)
show("then force_default!: combined_override.foo", node.attributes.combined_override.foo)
show("then force_default!: node.foo.bar", node.foo.bar)
