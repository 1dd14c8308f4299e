-- SPDX-License-Identifier: Apache-2.0
host "db1" { ip = "10.0.0.1", host_aliases = append { "db", "main" } }
host "db2" { ip = "10.0.0.2", host_aliases = remove { "old" } }
