-- SPDX-License-Identifier: Apache-2.0
declare("exec", "stop") { command = { "/bin/true", "stop" } }
exec "move" { command = { "/bin/true", "move" } }
trigger("exec", "stop"):to("run")
trigger("exec", "move"):to("run", "run")
edit("exec", "stop") { timeout = 7 }
file "/srv/first" { content = "first", insert_before = "exec[move]" }
