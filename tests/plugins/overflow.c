/* SPDX-License-Identifier: Apache-2.0 */
/* overflow - a plugin with a planted flaw: it copies a line of its input into a buffer without looking at its
 * length, and behind the buffer is a pointer to a function. Whoever writes the input can have it call another
 * one.
 *
 * It also tells where its functions are, as a debug message does that prints a pointer: addresses are random.
 */

#include <rhost/posix.h>
#include <rhost/provider.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The file that it writes." },
    { .name = "input",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .desc = "The file that it reads." },
    { .name = "state", .type = "Enum[done, needed]", .default_value = "\"done\"", .desc = "Whether it was." },
};

struct parser {
    char line[32];
    int (*use)(const char *line);
};

/* "PATH TEXT": what the provider does with the path of its own resource. */
static int __attribute__((noinline)) save(const char *line)
{
    const char *space = strchr(line, ' ');
    char path[4096];
    int fd, rc;

    if (!space)
        return -1;
    (void)snprintf(path, sizeof path, "%.*s", (int)(space - line), line);
    fd = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    rc = write(fd, space + 1, strlen(space + 1)) < 0 ? -1 : 0;
    return close(fd) < 0 ? -1 : rc;
}

static int __attribute__((noinline)) count(const char *line)
{
    return (int)strlen(line);
}

/* The flaw. What is behind the line in the input is what it is called with. */
static int
parse(const char *input, size_t n, size_t end)
{
    volatile struct parser p = { .use = count };
    volatile char *to = p.line;

    for (size_t i = 0; i < end; i++)
        to[i] = input[i];
    return p.use(end + 1 < n ? input + end + 1 : "");
}

static int32_t
overflow_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx, (void)name, (void)should;
    rhost_put_str(current, "state", "needed");
    return 0;
}

static int32_t
overflow_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path"), *input = rhost_str(change->should, "input");
    char text[4096] = "";
    int fd = open(input, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    const char *line;

    if (fd >= 0)
        (void)close(fd);
    if (n <= 0) {
        (void)snprintf(text, sizeof text, "%s %p", path, (void *)(intptr_t)count);
        return save(text) < 0 ? rhost_fail_errno(ctx, "cannot write '%s'", path) : 0;
    }
    line = memmem(text, (size_t)n, "\n/", 2); /* an address may have a line feed in it */
    errno = 0;
    return parse(text, (size_t)n, line ? (size_t)(line - text) : (size_t)n) < 0
               ? rhost_fail_errno(ctx, "cannot use '%s'", input)
               : 0;
}

static const char *const needs[] = { "write[$path]", "read[$input]", NULL };

static const struct rhost_provider overflow_provider = {
    RHOST_PROVIDER("overflow", "Has a flaw."),
    RHOST_ATTRS(attrs),
    .load = overflow_load,
    .update = overflow_update,
    .needs = needs,
};

RHOST_PLUGIN(overflow, "1.0", &overflow_provider)
