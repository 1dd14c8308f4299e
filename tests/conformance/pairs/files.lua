-- SPDX-License-Identifier: Apache-2.0
include("parts/role.yaml")
file "/srv/from-template" {
  content = template("parts/note.tmpl", { name = "x", list = { 1, 2 } }),
}
file "/srv/literal" { content = read_file("parts/note.tmpl") }
