/* SPDX-License-Identifier: Apache-2.0 */
/* measure - runs commands in turns and says how long they took and how much memory they had.
 *
 * A plan comes on standard input, one contender to a line, with tabs between its fields:
 *
 *   NAME  ROUNDS  m or -  EXIT  PREPARE  COMMAND
 *
 * COMMAND is split at spaces and executed; PREPARE goes to the shell and is not timed. All
 * contenders have their first round, then all their second: noise hits all alike. With `m` there is
 * one more round at the end, which is not timed, and in which the whole tree of processes is
 * watched.
 *
 * For each contender one line comes out:
 *
 *   NAME  ROUNDS  MIN_MS  MEDIAN_MS  LARGEST_KIB  TREE_KIB  NAME=KIB,NAME=KIB...
 *
 * LARGEST_KIB is the largest process, TREE_KIB the sum over all, each at its highest (0: not
 * watched).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, ROUNDS = 1000, WORDS = 64, PROCESSES = 256 };

struct contender {
    char *name, *prepare, *command;
    char *argv[WORDS];
    int rounds, done, expected;
    int watched, failed;
    double ms[ROUNDS];
    long largest, tree;
    char who[1024];
};

/* One process that was seen, and the most memory that it had. */
struct seen {
    pid_t pid;
    char name[32];
    long kib;
};

static void __attribute__((noreturn)) give_up(const char *what, int why)
{
    (void)fprintf(stderr, "measure: %s: %s\n", what, strerror(why));
    exit(1);
}

static double
now(void)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
        give_up("clock_gettime", errno);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static char *
field(char **rest)
{
    char *f = strsep(rest, "\t");

    if (!f) {
        (void)fputs("measure: a line of the plan has too few fields\n", stderr);
        exit(2);
    }
    return f;
}

static void
read_contender(char *line, struct contender *c)
{
    char *rest = line, *words;
    int n = 0;

    line[strcspn(line, "\n")] = '\0';
    c->name = field(&rest);
    c->rounds = (int)strtol(field(&rest), NULL, 10);
    c->watched = field(&rest)[0] == 'm';
    c->expected = (int)strtol(field(&rest), NULL, 10);
    c->prepare = field(&rest);
    words = c->command = field(&rest);
    if (c->rounds < 1 || c->rounds > ROUNDS)
        c->rounds = 1;
    for (char *w; n < WORDS - 1 && (w = strsep(&words, " "));)
        if (*w)
            c->argv[n++] = w;
}

static void
prepare(const struct contender *c)
{
    if (*c->prepare && system(c->prepare) != 0) {
        (void)fprintf(stderr, "measure: %s: preparing it failed: %s\n", c->name, c->prepare);
        exit(1);
    }
}

static pid_t
start(const struct contender *c)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawnp(&pid, c->argv[0], &actions, NULL, c->argv, environ);
    if (rc != 0)
        give_up(c->argv[0], rc);
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void
finish(struct contender *c, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    if (code == c->expected)
        return;
    c->failed = 1;
    (void)fprintf(stderr, "measure: %s: exit status %d, expected %d\n", c->name, code, c->expected);
}

static void
run_round(struct contender *c)
{
    struct rusage usage;
    double from;
    int status;
    pid_t pid;

    prepare(c);
    from = now();
    pid = start(c);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            give_up("wait4", errno);
    c->ms[c->done++] = now() - from;
    if (usage.ru_maxrss > c->largest)
        c->largest = usage.ru_maxrss;
    finish(c, status);
}

static void
look_at(pid_t pid, struct seen *s)
{
    char path[64], line[256];
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "Name:\t", 6) == 0) {
            line[strcspn(line, "\n")] = '\0';
            if (strncmp(s->name, line + 6, sizeof s->name - 1) != 0)
                s->kib = 0; /* between fork and exec it had its parent's memory */
            (void)snprintf(s->name, sizeof s->name, "%.31s", line + 6);
        }
        if (strncmp(line, "VmHWM:", 6) == 0) {
            long kib = strtol(line + 6, NULL, 10);

            s->kib = kib > s->kib ? kib : s->kib;
        }
    }
    if (f)
        (void)fclose(f);
}

static void look_below(pid_t pid, struct seen *all, int *n);

static void
look(pid_t pid, struct seen *all, int *n)
{
    int i = 0;

    while (i < *n && all[i].pid != pid)
        i++;
    if (i == PROCESSES)
        return;
    if (i == *n)
        all[(*n)++] = (struct seen){ .pid = pid };
    look_at(pid, &all[i]);
    look_below(pid, all, n);
}

static void
look_below(pid_t pid, struct seen *all, int *n)
{
    char path[64];
    FILE *f;
    int child;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    f = fopen(path, "re");
    while (f && fscanf(f, "%d", &child) == 1)
        look(child, all, n);
    if (f)
        (void)fclose(f);
}

static void
watch(struct contender *c)
{
    struct seen all[PROCESSES];
    const struct timespec pause = { .tv_nsec = 2000000 };
    size_t at = 0;
    int n = 0, status;
    pid_t pid;

    prepare(c);
    pid = start(c);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        look(pid, all, &n);
        (void)nanosleep(&pause, NULL);
    }
    finish(c, status);
    for (int i = 0; i < n; i++) {
        c->tree += all[i].kib;
        at += (size_t)snprintf(c->who + at, sizeof c->who - at, "%s%s=%ld", at ? "," : "", all[i].name,
                               all[i].kib);
        if (at >= sizeof c->who - 64)
            break;
    }
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int
main(void)
{
    static struct contender all[MOST];
    char *line = NULL;
    size_t size = 0;
    int n = 0, more = 1, failed = 0;

    for (; n < MOST && getline(&line, &size, stdin) > 0; n++, line = NULL, size = 0)
        read_contender(line, &all[n]);
    free(line); /* the one that met the end */
    while (more) {
        more = 0;
        for (int i = 0; i < n; i++)
            if (all[i].done < all[i].rounds) {
                run_round(&all[i]);
                more |= all[i].done < all[i].rounds;
            }
    }
    for (int i = 0; i < n; i++) {
        struct contender *c = &all[i];

        if (c->watched)
            watch(c);
        qsort(c->ms, (size_t)c->done, sizeof c->ms[0], by_size);
        (void)printf("%s\t%d\t%.3f\t%.3f\t%ld\t%ld\t%s\n", c->name, c->done, c->ms[0], c->ms[c->done / 2],
                     c->largest, c->tree, c->who);
        failed |= c->failed;
    }
    return failed;
}
