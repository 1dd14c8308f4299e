-- SPDX-License-Identifier: Apache-2.0
file "/srv/secret" { content = secret("geheim-geheim") }
file "/srv/named" { content = "offen-offen", sensitive = { "content" } }
