/* SPDX-License-Identifier: Apache-2.0 */
/* fake-fixture - what the tests of <rhost/fake-host.h> have in common. */
#ifndef TEST_FAKE_FIXTURE_H
#define TEST_FAKE_FIXTURE_H

#include <rhost/overlap.h> /* before the fake host, which then has them */
#include <rhost/path.h>
#include <rhost/private.h>

#include <rhost/fake-host.h>

#include <assert.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifdef NDEBUG
#error the checks of this test are assertions
#endif

static struct rhost_fake fake;
static rhost_ctx *const ctx = &fake.ctx;
static const struct rhost_host *const host = &fake.host;

/* Whether misuse ends the test by abort(). */
static int
aborts(void (*misuse)(void))
{
    pid_t pid = fork();
    int status = 0;

    assert(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = { 0, 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        misuse();
        _exit(0);
    }
    assert(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* What was said since the last time is this. */
static void
said(const char *text)
{
    if (strcmp(fake.said, text) != 0)
        (void)fprintf(stderr, "said:\n%sexpected:\n%s", fake.said, text);
    assert(strcmp(fake.said, text) == 0);
    assert(fake.said_len == strlen(text));
    rhost_fake_forget(&fake);
    assert(fake.said_len == 0 && !*fake.said && fake.failures == 0);
}

#endif
