/* SPDX-License-Identifier: Apache-2.0 */
/* tool - running the package manager: what is common to all of its commands. */

#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { REPORT_EVERY = 10 }; /* seconds; also shows the host that we are alive */

/* Messages are read, so they are to be in English; nobody is there to answer a question. */
static const char *const surroundings[] = {
    "ZYPP_READONLY_HACK=1", /* first, as only commands that read get it: zypper then takes no lock */
    "LC_ALL=C.UTF-8",
    "LANGUAGE=C",
    "DEBIAN_FRONTEND=noninteractive",
    "DEBIAN_PRIORITY=critical",
    "DEBCONF_NONINTERACTIVE_SEEN=true",
    "APT_LISTCHANGES_FRONTEND=none",
    "NEEDRESTART_SUSPEND=1",
    NULL,
};

void
tool_words_(rhost_ctx *ctx, struct words *w, const char *const *words)
{
    for (; *words; words++)
        words_add(ctx, w, *words);
}

static int32_t
run(rhost_ctx *ctx, const struct words *argv, const char *input, int64_t seconds, uint64_t flags,
    struct rhost_output *out)
{
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv->at,
        .env = flags & RHOST_EXEC_READS ? surroundings : surroundings + 1,
        .input = input,
        .input_len = input ? strlen(input) : 0,
        .output_limit = LARGEST_OUTPUT,
        .timeout = (uint32_t)seconds * 1000,
        .flags = flags | (flags & RHOST_EXEC_READS ? 0 : RHOST_EXEC_SHOW_OUTPUT),
    };

    return rhost_run(ctx, &command, out);
}

int32_t
tool_read(rhost_ctx *ctx, const struct words *argv, struct rhost_output *out)
{
    if (run(ctx, argv, NULL, 300, RHOST_EXEC_READS, out) < 0)
        return -1;
    return out->signal ? rhost_fail(ctx, "'%s' was ended by signal %d", argv->at[0], out->signal) : 0;
}

int32_t
tool_try(rhost_ctx *ctx, const struct words *argv, const char *input, struct rhost_output *out)
{
    return run(ctx, argv, input, 300, RHOST_EXEC_READS | RHOST_EXEC_MERGE, out);
}

/* What keeps logind from shutting the machine down as long as the command behind it runs. */
static void
add_inhibitor(rhost_ctx *ctx, struct words *argv)
{
    tool_words(ctx, argv, "systemd-inhibit", "--what=shutdown:sleep", "--who=rhost",
               "--why=Packages are being changed", "--mode=block");
}

/* It would not run the command where it can't reach logind, so it is tried with one that does nothing. */
static int
can_inhibit(rhost_ctx *ctx)
{
    struct words argv = { 0 };
    struct rhost_output out;

    if (access("/run/systemd/system", F_OK) < 0 || !tool_is_there("systemd-inhibit"))
        return 0;
    add_inhibitor(ctx, &argv);
    words_add(ctx, &argv, "true");
    return tool_try(ctx, &argv, NULL, &out) == 0 && out.status == 0;
}

int32_t
tool_act(rhost_ctx *ctx, const struct words *argv, const char *input, int64_t seconds,
         struct rhost_output *out)
{
    struct words all = { 0 };

    if (can_inhibit(ctx))
        add_inhibitor(ctx, &all);
    for (size_t i = 0; i < argv->n; i++)
        words_add(ctx, &all, argv->at[i]);
    return run(ctx, &all, input, seconds, RHOST_EXEC_MERGE | RHOST_EXEC_TAIL, out);
}

char *
tool_text(rhost_ctx *ctx, const char *text)
{
    return rhost_copy(ctx, text, strlen(text));
}

int
tool_is_there(const char *name)
{
    static const char *const places[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                          "/usr/bin",        "/sbin",          "/bin" };
    char path[256];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", places[i], name);
        if (access(path, X_OK) == 0)
            return 1;
    }
    return 0;
}

/* The process that a file names, as long as it lives; 0: none. */
static pid_t
named_in(const char *file)
{
    FILE *f = fopen(file, "re");
    long pid = 0;

    if (f && fscanf(f, "%ld", &pid) != 1)
        pid = 0;
    if (f)
        (void)fclose(f);
    if (pid > 0 && kill((pid_t)pid, 0) < 0) {
        char path[64];

        /* A process that is confined may not even ask so, of one that there is not as well. */
        snprintf(path, sizeof path, "/proc/%ld", pid);
        if (errno != EPERM || access(path, F_OK) < 0)
            pid = 0;
    }
    return pid > 0 ? (pid_t)pid : 0;
}

/* pacman's lock is that its file exists, and says nothing of who made it: a process of that name, or -1. */
static pid_t
running(const char *name)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    pid_t found = -1;

    while (dir && found < 0 && (entry = readdir(dir))) {
        char path[300], comm[32] = "";
        FILE *f;

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        f = fopen(path, "re");
        if (f && fgets(comm, sizeof comm, f) && strncmp(comm, name, strlen(name)) == 0
            && comm[strlen(name)] == '\n')
            found = (pid_t)strtol(entry->d_name, NULL, 10);
        if (f)
            (void)fclose(f);
    }
    if (dir)
        (void)closedir(dir);
    return found;
}

/* Who holds a lock on this file: its process, 0 when nobody does or nobody could tell. */
static pid_t
holder(const char *file)
{
    const char *end = strrchr(file, '.');
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd, locked;

    if (end && strcmp(end, ".pid") == 0)
        return named_in(file);
    if (end && strcmp(end, ".lck") == 0)
        return access(file, F_OK) == 0 ? running("pacman") : 0;
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* not made yet, or not for us to read: the package manager will say so */
    locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    (void)close(fd);
    return !locked ? 0 : lock.l_pid > 0 ? lock.l_pid : -1;
}

static const char *
who(rhost_ctx *ctx, pid_t pid, const char *file)
{
    char path[64], name[64] = "";
    FILE *f;

    if (pid <= 0 && strstr(file, ".lck"))
        return "an unknown process (no pacman can be seen: when nothing uses it, an interrupted run left the "
               "file, and you can remove it)";
    if (pid <= 0)
        return "a process outside of this container";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    f = fopen(path, "re");
    if (f) {
        if (!fgets(name, sizeof name, f))
            *name = '\0';
        (void)fclose(f);
    }
    name[strcspn(name, "\n")] = '\0';
    return rhost_fmt(ctx, "process %ld%s%s%s", (long)pid, *name ? " (" : "", name, *name ? ")" : "");
}

int
tool_wait(rhost_ctx *ctx, const char *const *files, int64_t seconds, const char **why)
{
    const struct timespec nap = { .tv_nsec = 200000000 };
    const char *locked = NULL, *by = NULL;
    struct timespec start, now;
    int64_t reported = -1, waited;

    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (size_t i = 0; files[i];) {
        pid_t pid = holder(files[i]);

        if (!pid) {
            i++;
            continue;
        }
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        waited = now.tv_sec - start.tv_sec;
        if (!by || locked != files[i])
            by = who(ctx, pid, files[i]);
        locked = files[i];
        if (waited >= seconds) {
            *why = rhost_fmt(
                ctx, "the package manager is in use: '%s' is held by %s%s", locked, by,
                seconds ? rhost_fmt(ctx, ", and was so for %lld s (lock_timeout)", (long long)seconds) : "");
            return -1;
        }
        if (reported < 0)
            rhost_warning(ctx, "the package manager is in use: '%s' is held by %s; waiting up to %lld s",
                          locked, by, (long long)seconds);
        else if (waited >= reported + REPORT_EVERY)
            rhost_info(ctx, "still waiting for %s, which holds '%s'", by, locked);
        if (reported < 0 || waited >= reported + REPORT_EVERY)
            reported = waited;
        (void)nanosleep(&nap, NULL);
    }
    return 0;
}
