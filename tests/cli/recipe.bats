#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Recipes: what they can say, and what is said about their mistakes.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

recipe() {
    cat >site.lua
}

refused() {
    run rhost validate site.lua
    status_is 1
}

@test "a recipe is applied like a manifest, and the second time nothing is to be done" {
    recipe <<END
for i, name in ipairs { "one", "two" } do
  file("$work/" .. name) { content = name .. " " .. i .. "\n", mode = "0640" }
end
END
    run rhost apply --detailed-exitcodes site.lua
    status_is 2
    says 'site.lua:2'
    [ "$(cat two)" = 'two 2' ]
    [ "$(mode_of one)" = 640 ]
    run rhost apply --detailed-exitcodes site.lua
    status_is 0
}

@test "several files, recipes and manifests, are one catalog" {
    recipe <<END
exec "later" { command = { "/bin/true" }, require = "file[$work/first]" }
END
    printf 'resources:\n  - file: %s/first\n    content: x\n' "$work" >more.yaml
    run rhost graph site.lua more.yaml
    status_is 0
    says "file[$work/first]"
}

@test "a manifest includes a recipe, and a recipe a manifest" {
    mkdir parts
    cat >site.yaml <<'END'
resources:
  - include: parts/one.lua
END
    cat >parts/one.lua <<END
file "$work/one" { content = "1" }
include("two.yaml")
END
    cat >parts/two.yaml <<END
resources:
  - file: $work/two
    content: "\${1 + 1}."
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat one two)" = 12. ]
}

@test "a role that a recipe includes lands on the levels of roles" {
    mkdir roles
    printf 'default: {web: {port: 80}}\nresources:\n  - file: %s/role\n    content: "r"\n' "$work" >roles/web.yaml
    recipe <<END
include("roles/web.yaml")
file "$work/port" { content = tostring(node.web.port) }
file "$work/level" { content = tostring(node:read_level("role_default", "web", "port")) }
END
    run rhost apply site.lua
    status_is 0
    [ "$(cat role port level)" = r8080 ]
}

@test "what is there now can be read" {
    printf 'old' >there
    recipe <<END
file "$work/copy" { content = file("$work/there").content .. "+" }
if file("$work/missing").ensure == "absent" then
  file "$work/was-missing" { content = "" }
end
END
    run rhost apply site.lua
    status_is 0
    [ "$(cat copy)" = 'old+' ]
    [ -e was-missing ]
}

@test "texts of a recipe are not looked through for expressions" {
    recipe <<END
file "$work/script" { content = "echo \${HOME} \${node.x}" }
define("note", {
  parameters = { text = "String" },
  resources = function(self) file("$work/" .. self.title) { content = self.text } end,
})
note "defined" { text = "\${HOME}" }
END
    run rhost apply site.lua
    status_is 0
    [ "$(cat script)" = 'echo ${HOME} ${node.x}' ]
    [ "$(cat defined)" = '${HOME}' ]
}

@test "a mistake in an attribute is shown where it stands" {
    recipe <<END
file "$work/x" {
  content = "x",
  mdoe = "0644",
}
file("$work/y") { mode = 644 }
END
    refused
    says "site.lua:3:3: error: unknown attribute 'mdoe' for type 'file'"
    says "did you mean 'mode'?"
    says 'site.lua:5'
    says '2 errors; nothing was changed'
}

@test "a mistake in an attribute is found behind long texts and comments" {
    recipe <<END
--[[ a comment
of lines: mdoe = ]]
file "$work/x" {
  content = [[
mdoe = "]=]" ]],
  owner --[==[ mdoe = ]] ]=] ]==] = 'mdoe = "',
  mdoe = "0644",
}
END
    refused
    says "site.lua:7:3: error: unknown attribute 'mdoe' for type 'file'"
}

@test "mistakes in Lua have their line" {
    recipe <<END
file "$work/x" { content = "x" }
fiel "$work/y" {}
END
    refused
    says 'site.lua:2'
    says "unknown name 'fiel'"
    says "did you mean 'file'?"

    printf 'local x = 1\nfile "/x" { content = }\n' >site.lua
    refused
    says 'site.lua:2'

    printf 'local x = 1\nlocal y = node.nothing.there\n' >site.lua
    refused
    says 'site.lua:2'
    says 'nothing'
}

@test "a resource of which nothing is said is an error" {
    printf 'file "/x"\nedit("file", "/y")\ntrigger("exec", "z")\n' >site.lua
    refused
    says "site.lua:1: error: missing table after file[/x]"
    says "site.lua:2: error: missing table after edit file[/y]"
    says "site.lua:3: error: missing table after trigger exec[z]"
}

@test "what is called the wrong way says how" {
    printf 'file {}\n' >site.lua
    refused
    says 'a title must be text'

    printf 'file "/x" { "content" }\n' >site.lua
    refused
    says 'attributes must have names'

    printf 'file("/x").content = "y"\n' >site.lua
    refused
    says 'write the desired value in a table'

    printf 'print(file("/etc").contnet)\n' >site.lua
    refused
    says "unknown attribute 'contnet' for type 'file'"
    says "did you mean 'content'?"

    printf 'trigger("exec", "x"):to()\n' >site.lua
    refused
    says 'trigger("service", "mysql"):to("start")'

    printf 'define("x", {})\n' >site.lua
    refused
    says 'resources = function(self)'

    printf 'node.web = 80\n' >site.lua
    refused
    says 'site.lua:1'
    says 'at a level'

    printf 'local rm = node.rm\nrm("web")\n' >site.lua
    refused
    says 'node:rm('
}

@test "a circle of includes is found" {
    printf 'include("b.lua")\n' >site.lua
    printf 'include("site.lua")\n' >b.lua
    refused
    says 'site.lua'
    says 'b.lua'
}

@test "attributes that a recipe writes explain themselves" {
    recipe <<END
node.default.web.port = 80
node.override.web.port = 8080
node:rm_override("web", "port")
END
    run rhost node explain web.port site.lua
    status_is 0
    says 'site.lua:1'
    says 'site.lua:3'
}

@test "instances of a definition say which one was wrong" {
    recipe <<END
define("note", {
  parameters = { text = "String" },
  resources = function(self) file("$work/" .. self.title) { contents = self.text } end,
})
note "a" { text = "x" }
END
    refused
    says "did you mean 'content'?"
    says 'site.lua:5'
    says 'for the instance declared here'
}

@test "a title of a recipe cannot be a secret" {
    printf 'hunter2hunter2\n' >pw
    for what in 'file(s) { content = "x" }' 'file("/tmp/" .. s) { content = "x" }' 'file { s, "/x" } {}' \
        'edit("file", s) { content = "x" }' 'resource("file", s) {}' 'file(s)' 'local x = file(s).content'; do
        recipe <<END
local s = secret_file("pw")
$what
END
        refused
        says "site.lua:2"
        says "a title appears in messages and cannot be secret"
        says_not hunter2
    done
}

@test "what a recipe begins again and again without end is counted" {
    for what in 'file("/x")' 'edit("file", "/x")' 'append {"x"}' 'resource("t" .. i, "/x")'; do
        recipe <<END
local i = 0
while true do i = i + 1 local x = $what end
END
        run timeout 100 "${RHOST:-$abs_top_builddir/rhost}" validate site.lua
        status_is 1
        says 'needs too much memory'
    done
}

@test "positions in lists of attributes are counted from 1, or from the end" {
    recipe <<'END'
node.default.l = list { "a", "b", "c" }
node.default.l[1] = "A"
node:set("default", "l", -1, "C")
print(join(node.default.l[2] .. node:read("l", -1) .. node.l[1] and node.l, ","))
print(pcall(function() node.default.l[math.mininteger] = 1 end))
print(pcall(function() node.default.l[0] = 1 end))
END
    run rhost validate site.lua
    status_is 0
    says 'A,b,C'
    says 'the position is outside of the list'
    says 'positions in a list start at 1, or at -1 from its end'
}
