/* SPDX-License-Identifier: Apache-2.0 */
/* hostile - a plugin that declares that it writes one file, and then tries something else. */

#include "hostile-all.h"

#include <rhost/exec.h>
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = RHOST_TYPE_PATH, .behaviour = RHOST_NAMEVAR, .desc = "What it may write." },
    { .name = "attempt", .type = "String[1]", .behaviour = RHOST_PARAMETER, .desc = "What it tries." },
    { .name = "at",
      .type = "String",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"\"",
      .desc = "Where." },
    { .name = "value", .type = "Optional[String]", .desc = "Something." },
};

/* At once, when the shared object is loaded. */
static int loaded = -1;

static void __attribute__((constructor)) begin(void)
{
    loaded = open("/etc/rhost-hostile", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    loaded = loaded >= 0 ? 0 : errno;
}

static int
opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    return fd < 0 ? -1 : close(fd);
}

static int
read_at(const char *at)
{
    return opens(at, O_RDONLY);
}

static int
write_at(const char *at)
{
    return opens(at, O_WRONLY | O_CREAT);
}

static int
remove_at(const char *at)
{
    return unlink(at);
}

static int
make_setuid(const char *at)
{
    return chmod(at, 04755);
}

static int
take_over(const char *at)
{
    return chown(at, 65534, 65534);
}

static int
connect_to(int family, const void *address, socklen_t size)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

    if (fd < 0)
        return -1;
    rc = connect(fd, address, size);
    (void)close(fd);
    return rc < 0 && errno != ECONNREFUSED ? -1 : 0; /* refused by who is not there: it got that far */
}

static int
connect_out(const char *at)
{
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons(9),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    (void)at;
    return connect_to(AF_INET, &address, sizeof address);
}

static int
connect_unix(const char *at)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", at);
    return connect_to(AF_UNIX, &address, sizeof address);
}

static int
trace_parent(const char *at)
{
    (void)at;
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0 ? -1 : 0;
}

static int
signal_parent(const char *at)
{
    (void)at;
    return kill(getppid(), SIGCONT);
}

static int
read_memory(const char *at)
{
    char path[40];

    (void)at;
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    return opens(path, O_RDWR);
}

static int
execute(const char *at)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        (void)execl(at, at, "-c", ":", NULL);
        _exit(errno);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    return errno ? -1 : 0;
}

static int
mount_something(const char *at)
{
    return mount("none", at, "tmpfs", 0, NULL);
}

static int
leave_namespace(const char *at)
{
    int fd = open(at, O_RDONLY | O_CLOEXEC), rc;

    if (fd < 0)
        return -1;
    rc = (int)syscall(SYS_setns, fd, 0);
    (void)close(fd);
    return rc;
}

static int
get_loaded(const char *at)
{
    (void)at;
    errno = loaded;
    return loaded ? -1 : 0;
}

static const struct {
    const char *name;
    int (*fn)(const char *at);
} attempts[] = {
    { "read", read_at },          { "write", write_at },     { "remove", remove_at },
    { "setuid", make_setuid },    { "chown", take_over },    { "tcp", connect_out },
    { "unix", connect_unix },     { "trace", trace_parent }, { "signal", signal_parent },
    { "memory", read_memory },    { "execute", execute },    { "mount", mount_something },
    { "setns", leave_namespace }, { "load", get_loaded },
};

/* By the host, which is asked to start it. */
static int32_t
run_with(rhost_ctx *ctx, const char *program, const char *const *env)
{
    const char *const argv[] = { program, NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .flags = RHOST_EXEC_READS
    };
    struct rhost_output output = { .struct_size = sizeof output };

    return rhost_run(ctx, &command, &output) < 0 ? -1 : 0;
}

static int32_t
run(rhost_ctx *ctx, const char *program)
{
    return run_with(ctx, program, NULL);
}

/* The program is declared, and not what it would load. */
static const char *const preload[] = { "LD_PRELOAD=/nowhere/own.so", NULL };

static int32_t
hostile_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *attempt = rhost_str_or(should, "attempt", ""), *at = rhost_str_or(should, "at", "");

    if (strcmp(attempt, "run") == 0) {
        if (run(ctx, at) < 0)
            return -1;
        rhost_put_str(current, "value", "worked");
        return 0;
    }
    if (strcmp(attempt, "everything") == 0) {
        rhost_put_str(current, "value",
                      hostile_try_all(at, rhost_str(name, "path")) < 0 ? strerror(errno) : "done");
        return 0;
    }
    if (strcmp(attempt, "preload") == 0) {
        rhost_put_str(current, "value", "worked");
        return run_with(ctx, "true", preload);
    }
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(attempts[i].name, attempt) == 0) {
            errno = 0;
            rhost_put_str(current, "value", attempts[i].fn(at) == 0 ? "worked" : strerror(errno));
            return 0;
        }
    return rhost_fail(ctx, "unknown attempt '%s'", attempt);
}

static int32_t
hostile_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    (void)change;
    return 0;
}

static const char *const needs[] = { "write[$path]", "run[true]", NULL };

static const struct rhost_provider hostile_provider = {
    RHOST_PROVIDER("hostile", "Tries what it does not declare."),
    RHOST_ATTRS(attrs),
    .load = hostile_load,
    .update = hostile_update,
    .needs = needs,
};

/* As a lookup, which may only look. */
static const struct rhost_attr everything_parameters[] = {
    { .name = "where", .type = "String[1]", .desc = "What there is to attack." },
};
static const struct rhost_attr read_parameters[] = {
    { .name = "path", .type = RHOST_TYPE_PATH, .desc = "What it may read." },
    { .name = "at", .type = RHOST_TYPE_PATH, .desc = "What it reads." },
};

static int32_t
find_everything(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    const char *report = hostile_report(rhost_str(parameters, "where"));

    if (!report)
        return rhost_fail(ctx, "there is nothing to attack");
    rhost_put_str(answer, "value", report);
    return 0;
}

static int32_t
find_read(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    errno = 0;
    rhost_put_str(answer, "value", read_at(rhost_str(parameters, "at")) == 0 ? "worked" : strerror(errno));
    return run(ctx, "true");
}

static int32_t
read_loaded(rhost_ctx *ctx, rhost_value *answer)
{
    (void)ctx;
    rhost_put_str(answer, "value", loaded ? strerror(loaded) : "worked");
    return 0;
}

static const char *const nothing[] = { NULL };
static const char *const reading[] = { "read[$path]", "run[true]", NULL };

static const struct rhost_lookup everything = {
    RHOST_LOOKUP("hostile_everything", "Tries everything."),
    RHOST_ATTRS(everything_parameters),
    .type = "String",
    .find = find_everything,
    .needs = nothing,
};
static const struct rhost_lookup reads = {
    RHOST_LOOKUP("hostile_read", "Reads something else."),
    RHOST_ATTRS(read_parameters),
    .type = "String",
    .find = find_read,
    .needs = reading,
};
static const struct rhost_fact fact = {
    RHOST_FACT("hostile_load", "What became of the attempt when it was loaded."),
    .type = "String",
    .read = read_loaded,
    .needs = nothing,
};

static const struct rhost_provider *const providers[] = { &hostile_provider, NULL };
static const struct rhost_lookup *const lookups[] = { &everything, &reads, NULL };
static const struct rhost_fact *const facts[] = { &fact, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(hostile, "1.0", providers, lookups, facts)
