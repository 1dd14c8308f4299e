-- SPDX-License-Identifier: Apache-2.0
directory "/srv/app" { mode = "0750" }
file { "/srv/app/one.txt", "/srv/app/two.txt" } {
  content = "hello\n",
  require = "directory[/srv/app]",
  tag = { "app", "texts" },
}
link("/srv/app/latest") { target = "one.txt", noop = true }
resource("exec", "index the texts") {
  command = { "/bin/true", "--all" },
  returns = { 0, 3 },
  environment = { LANG = "C", TERM = "dumb" },
}
