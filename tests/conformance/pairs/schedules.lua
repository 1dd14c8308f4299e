-- SPDX-License-Identifier: Apache-2.0
schedule("night", { range = "2:00-4:00", ["repeat"] = 1 })
exec "clean" { command = { "/bin/true" }, schedule = "night", loglevel = "debug" }
file "/srv/audited" { audit = { "content" }, alias = "watched" }
purge "host" { keep = { "localhost" }, limit = 3 }
