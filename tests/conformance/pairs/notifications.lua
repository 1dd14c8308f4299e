-- SPDX-License-Identifier: Apache-2.0
file "/srv/a" { content = "a", notifies = { "run", "exec[reindex]" } }
file "/srv/b" {
  content = "b",
  notifies = { { "run", "exec[reindex]", "immediately" }, { "run", "exec[second]", "delayed" } },
}
file "/srv/c" { content = "c", notify = "exec[reindex]", before = "exec[second]" }
exec "reindex" { command = { "/bin/true" }, action = "nothing" }
exec "second" {
  command = { "/bin/true" },
  subscribe = "file[/srv/a]",
  only_if = { "/bin/true" },
  not_if = "test -e /nowhere",
  retries = 2,
  retry_delay = 1,
  ignore_failure = true,
}
