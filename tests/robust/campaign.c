/* SPDX-License-Identifier: Apache-2.0 */
/* campaign - applies a manifest again and again, each time with one disturbance: a system call of rhost or
 * of a worker that fails or transfers half, a process that is killed at a system call, an allocation that
 * gets no memory. Usage: campaign RHOST PLUGIN-DIR MEMORY-FAULT-LIBRARY STAND-IN SECONDS [SEED [POINT
 * [SHARD]]]
 *
 * What is applied are files, and packages, repositories, units and crontabs: for these, STAND-IN takes the
 * place of the programs that change a machine (see machine.h).
 *
 * With SECONDS 0 every point is tried, otherwise a choice that takes about that long; with POINT those that
 * have this text in their names, and with SHARD, such as 1/2 or 2/2, only that part of them. CAMPAIGN_DONE
 * names a file that keeps the names of those that were tried, so that another campaign goes on with the
 * others. After each:
 * - a managed file has its old or its new content and mode, whole;
 * - the exit status is true: 2 only when all was done, 1 only when nothing was, never 0, and no signal;
 * - what the output says was changed was changed, and nothing in the output is garbage;
 * - the next run gets the lock, converges, delivers the pending notifications, and leaves no temporaries. */
#include "config.h"

#include "memory-fault.h"
#include "names.h"
#include "scenario.h"
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 300, MAX_PROCESSES = 256, MAX_TOLD = 25, NO_MEMORY = 70, CANNOT_RUN = 127 };

enum what { ERROR, HALF, KILL, MEMORY };

struct point {
    enum what what;
    int detail; /* an errno, or an enum intervention */
    int process;
    unsigned number, image, of_kind;
    long nr;
    uint64_t allocation;
    uint64_t order;
};

struct campaign {
    struct scenario s;
    struct memory_fault *memory;
    const char *fault_library, *memory_path;
    struct point *points;
    size_t n, cap;
    bool spared[MAX_PROCESSES]; /* the process runs another program, or is being loaded */
    pid_t pids[MAX_PROCESSES];
    const struct point *at; /* NULL: only list the points */
    bool reached;
    size_t tried, missed, violations, again;
    struct names recovered; /* trees from which a run converged */
    struct names done;      /* points that earlier campaigns tried */
    FILE *keep;             /* where those of this one are noted; NULL: nowhere */
    unsigned shard, shards;
};

static void
add(struct campaign *c, struct point p)
{
    if (c->n == c->cap && !(c->points = realloc(c->points, (c->cap = c->cap * 2 + 1024) * sizeof p)))
        give_up("allocate", "the points");
    c->points[c->n++] = p;
}

/* Finding the points, and disturbing the run at one. */

static void
list_call(struct campaign *c, const struct call *call)
{
    static const int errors[] = { EIO, ENOSPC, EINTR, ENOMEM };
    static const int kills[] = { KILL_CALLER, KILL_FIRST, KILL_ALL };
    struct point p = { .process = call->process,
                       .number = call->number,
                       .image = call->image,
                       .of_kind = call->of_kind,
                       .nr = call->nr };

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        p.what = ERROR;
        p.detail = errors[i];
        if (errors[i] != ENOSPC || trace_can_lack_space(call->nr))
            add(c, p);
    }
    for (size_t i = 0; i < sizeof kills / sizeof kills[0]; i++) {
        p.what = KILL;
        p.detail = kills[i];
        if (kills[i] != KILL_CALLER || call->process != 0)
            add(c, p);
    }
    p.what = HALF;
    p.detail = 0;
    if (trace_can_shorten(call))
        add(c, p);
}

/* What another program starts belongs to it, also before it executes one. */
static void
meet(struct campaign *c, const struct call *call)
{
    char path[64], *text, *name;
    int parent = 0;

    c->pids[call->process] = call->pid;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)call->pid);
    text = read_whole(path, NULL);
    name = text ? strrchr(text, ')') : NULL;
    if (name && sscanf(name, ") %*c %d", &parent) == 1)
        for (int i = 0; i < MAX_PROCESSES; i++)
            c->spared[call->process] |= c->pids[i] == parent && c->spared[i];
    free(text);
}

static enum intervention
enter(void *data, const struct call *call, int *error)
{
    struct campaign *c = data;
    const struct point *p = c->at;

    if (!p) {
        if (call->process < MAX_PROCESSES && !c->pids[call->process])
            meet(c, call);
        if (call->process < MAX_PROCESSES && !c->spared[call->process] && trace_can_fail(call->nr))
            list_call(c, call);
        return LET;
    }
    /* Calls are counted by kind: those that wait are not as many each time, and must not move others. */
    if (p->process != call->process || p->nr != call->nr || p->image != call->image
        || p->of_kind > call->of_kind)
        return LET;
    if (p->what == HALF && !trace_can_shorten(call))
        return LET;
    c->reached = true;
    *error = p->detail;
    return p->what == ERROR ? FAIL : p->what == HALF ? SHORTEN : (enum intervention)p->detail;
}

/* A command that a resource runs is not what is tried here, nor is the loader, which ends a program that it
 * has no memory for by a signal. The last that it does is to let go of its list of libraries. */
static void
leave(void *data, const struct call *call)
{
    struct campaign *c = data;
    char link[64], path[4096];
    ssize_t n;

    if (call->process >= MAX_PROCESSES || call->result != 0)
        return;
    if (call->nr == SYS_execve)
        c->spared[call->process] = true;
    if (call->nr != SYS_munmap || !c->spared[call->process])
        return;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)call->pid);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    c->spared[call->process] = !strstr(path, "/rhost");
}

static int
run_traced(struct campaign *c, const struct point *p, bool *timed_out)
{
    const struct trace_hooks hooks = { c, p ? &p->nr : NULL, enter, p ? NULL : leave };
    struct trace_end end;

    memset(c->spared, 0, sizeof c->spared);
    memset(c->pids, 0, sizeof c->pids);
    c->at = p;
    c->reached = false;
    if (trace_run(c->s.argv, c->s.output, &hooks, SECONDS, &end) < 0)
        give_up("trace", c->s.rhost);
    *timed_out = end.timed_out;
    return end.status;
}

static int
run_without_memory(struct campaign *c, const struct point *p, bool *timed_out)
{
    struct trace_end end;

    memset(c->memory, 0, sizeof *c->memory);
    c->memory->process = p ? (uint32_t)p->process : MEMORY_FAULT_PROCESSES;
    c->memory->at = p ? p->allocation : 0;
    (void)setenv("LD_PRELOAD", c->fault_library, 1);
    (void)setenv(MEMORY_FAULT_FILE, c->memory_path, 1);
    if (trace_run(c->s.argv, c->s.output, NULL, SECONDS, &end) < 0)
        give_up("start", c->s.rhost);
    (void)unsetenv("LD_PRELOAD");
    (void)unsetenv(MEMORY_FAULT_FILE);
    c->reached = p && c->memory->counts[p->process] >= p->allocation;
    *timed_out = end.timed_out;
    return end.status;
}

/* What must hold. */

static const char *
name_of(const struct campaign *c, const struct point *p, char *text, size_t size)
{
    static const char *const kills[] = {
        [KILL_CALLER] = "kill the caller", [KILL_FIRST] = "kill the host", [KILL_ALL] = "kill all"
    };
    const char *call = p->nr >= 0 ? trace_name(p->nr) : "";

    if (p->what == MEMORY)
        snprintf(text, size, "no memory for allocation %llu of process %d", (unsigned long long)p->allocation,
                 p->process);
    else
        snprintf(text, size, "%s at call %u (%s) of process %d",
                 p->what == ERROR  ? strerrorname_np(p->detail)
                 : p->what == HALF ? "half"
                                   : kills[p->detail],
                 p->number, call ? call : "?", p->process);
    snprintf(text + strlen(text), size - strlen(text), ", %s, %s%s", c->s.isolation,
             c->s.cold ? "first run" : "warm", c->s.stand_in ? ", machine" : "");
    return text;
}

static void
complain(struct campaign *c, const struct point *p, int status, const char *what)
{
    char text[200];

    if (++c->violations > MAX_TOLD)
        return;
    printf("violation: %s: %s (status %#x)\n", name_of(c, p, text, sizeof text), what, (unsigned)status);
}

/* What was printed, for somebody who looks into a violation. */
static void
print_output(const struct campaign *c)
{
    char *text = c->violations <= MAX_TOLD ? read_whole(c->s.output, NULL) : NULL;

    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        printf("    | %.300s\n", line);
    free(text);
}

static bool
is_text(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char b = (unsigned char)s[i];
        size_t more = b < 0x80 ? 0 : b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc2 ? 1 : 4;

        if ((b < ' ' && b != '\n' && b != '\t') || b == 0x7f || more == 4 || i + more >= n)
            return false;
        for (i++; more; more--, i++)
            if (((unsigned char)s[i] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

/* Whether the output says that the resource at `path` was changed. */
static bool
is_reported(const struct campaign *c, const char *output, const char *path)
{
    char title[600];
    const char *at;

    snprintf(title, sizeof title, "[%s/%s]  ", c->s.top, path);
    at = strstr(output, title);
    at = at ? strchr(at, '\n') : NULL;
    return at && strncmp(at, "\n  ", 3) == 0 && strncmp(at + 3, "failed", 6) != 0
           && strncmp(at + 3, "skipped", 7) != 0 && strncmp(at + 3, "warning", 7) != 0;
}

/* A transaction of packages without those that failed leaves a status of its own. */
static bool
is_part_of_transaction(const char *path, const char *output)
{
    if (strcmp(path, "files/dpkg/status") != 0)
        return false;
    for (const char *at = output; (at = strstr(at, "package[")); at++) {
        const char *end = strchr(at, '\n');

        if (end && strncmp(end, "\n  failed", 9) == 0)
            return true;
    }
    return false;
}

static bool
is_same(const struct entry *a, const struct entry *b)
{
    return entry_same(a, b) && (!a || S_ISLNK(a->mode) || a->mode == b->mode);
}

static const char *
check_run(const struct campaign *c, int status, const struct tree *now, const char *output, size_t n)
{
    bool all = true, none = true;
    static char text[400];

    if (!is_text(output, n))
        return "the output has bytes that are not text";
    for (int pass = 0; pass < 2; pass++) {
        const struct tree *t = pass ? &c->s.done : &c->s.base;

        for (size_t i = 0; i < t->n; i++) {
            const char *path = t->v[i].path;
            const struct entry *is = tree_find(now, path), *was = tree_find(&c->s.base, path),
                               *new = tree_find(&c->s.done, path);

            if (!scenario_is_managed(path))
                continue;
            all &= is_same(is, new);
            none &= is_same(is, was);
            if (!is_same(is, was) && !is_same(is, new)
                && !(is && S_ISDIR(is->mode) && (is->mode & 07777) == 0700)
                && !is_part_of_transaction(path, output)) {
                snprintf(text, sizeof text, "'%s' is neither old nor new", path);
                return text;
            }
            if (!is_same(was, new) && !is_same(is, new) && is_reported(c, output, path)) {
                snprintf(text, sizeof text, "'%s' is reported as changed, and was not", path);
                return text;
            }
        }
    }
    if (WIFSIGNALED(status))
        return c->at && c->at->what == KILL ? NULL : "ended by a signal";
    switch (WEXITSTATUS(status)) {
    case 0:
        return "exit status 0, and not all was done";
    case 1:
        return none ? NULL : "exit status 1, and something was changed";
    case 2:
        return !all ? "exit status 2, and not all was done" : scenario_check((struct scenario *)&c->s);
    case 4:
    case 6:
        return n ? NULL : "failed without a message";
    case NO_MEMORY:
        return n ? NULL : "out of memory without a message";
    case CANNOT_RUN:
        return none ? NULL : "not started, and something was changed";
    default:
        return "an exit status that means nothing";
    }
}

/* Most points leave a tree that an earlier one left: what the next run makes of it is known. */
static void
check_next(struct campaign *c, const struct point *p, const struct tree *left)
{
    bool is_new = names_add(&c->recovered, tree_hash(left));
    const char *wrong = NULL;
    int status;

    if (!is_new && c->tried % 16)
        return;
    c->again++;
    status = scenario_apply(&c->s);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 2))
        wrong = "the next run failed";
    else
        wrong = scenario_check(&c->s);
    if (!wrong && c->tried % 16 == 0) {
        status = scenario_apply(&c->s);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            wrong = "the run after the next one changes something or fails";
    }
    if (wrong) {
        complain(c, p, status, wrong);
        print_output(c);
    }
}

static void
try(struct campaign *c, const struct point *p)
{
    bool timed_out;
    int status = p->what == MEMORY ? run_without_memory(c, p, &timed_out) : run_traced(c, p, &timed_out);
    size_t n = 0, before = c->violations;
    char *output = read_whole(c->s.output, &n);
    struct tree now;
    const char *wrong;

    c->tried++;
    c->missed += !c->reached;
    c->at = p;
    tree_take(&now, c->s.top);
    wrong = timed_out ? "it hangs" : check_run(c, status, &now, output ? output : "", n);
    if (wrong) {
        complain(c, p, status, wrong);
        print_output(c);
    }
    check_next(c, p, &now);
    tree_clear(&now);
    if (before != c->violations && before < MAX_TOLD) {
        printf("    the disturbed run printed:\n");
        for (char *line = output ? strtok(output, "\n") : NULL; line; line = strtok(NULL, "\n"))
            printf("    > %.300s\n", line);
    }
    free(output);
    tree_lay_out(&c->s.base, c->s.top);
}

static void
find_points(struct campaign *c)
{
    bool timed_out;
    int status = run_traced(c, NULL, &timed_out);

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2) {
        printf("the traced run ends with %#x\n", (unsigned)status);
        exit(2);
    }
    tree_lay_out(&c->s.base, c->s.top);
    status = run_without_memory(c, NULL, &timed_out);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2) {
        printf("the run with allocations counted ends with %#x\n", (unsigned)status);
        exit(2);
    }
    tree_lay_out(&c->s.base, c->s.top);
    for (int i = 0; i < MEMORY_FAULT_PROCESSES; i++)
        for (uint64_t k = 1; k <= c->memory->counts[i]; k++)
            add(c, (struct point){ .what = MEMORY, .process = i, .nr = -1, .allocation = k });
}

static double
now(void)
{
    struct timespec ts = { 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int
by_order(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return (p->order > q->order) - (p->order < q->order);
}

/* In an order that depends on the seed and on the name alone, since the list is not the same each time: a
 * machine that is slower tries the beginning of what another one tries. Of four points only one is about
 * memory, for as long as there are others: there are far more of those, and most are alike. */
static void
shuffle(struct campaign *c, uint64_t seed)
{
    struct point *mixed = calloc(c->n, sizeof *mixed);
    size_t of_memory = 0, of_calls = 0, n = 0;
    char text[200];

    if (!mixed)
        give_up("allocate", "the points");
    for (size_t i = 0; i < c->n; i++) {
        name_of(c, &c->points[i], text, sizeof text);
        c->points[i].order = names_hash(names_hash(seed, text, strlen(text)), "end", 3);
    }
    qsort(c->points, c->n, sizeof *c->points, by_order);
    for (size_t i = 0; n < c->n; i++) {
        size_t *next = i % 4 == 3 ? &of_memory : &of_calls;

        if (i % 4 == 3)
            while (of_memory < c->n && c->points[of_memory].what != MEMORY)
                of_memory++;
        else
            while (of_calls < c->n && c->points[of_calls].what == MEMORY)
                of_calls++;
        if (*next < c->n)
            mixed[n++] = c->points[(*next)++];
    }
    memcpy(c->points, mixed, n * sizeof *mixed);
    free(mixed);
}

/* Whether this campaign is to try the point, going by its name: the list is not the same each time. */
static bool
is_chosen(struct campaign *c, const struct point *p, const char *only)
{
    char text[200];
    uint64_t hash;

    name_of(c, p, text, sizeof text);
    hash = names_hash(NAMES_HASH_BEGIN, text, strlen(text));
    return (!only || strstr(text, only)) && hash % c->shards == c->shard && !names_have(&c->done, hash);
}

static void
note_done(struct campaign *c, const struct point *p)
{
    char text[200];

    if (c->keep && (fprintf(c->keep, "%s\n", name_of(c, p, text, sizeof text)) < 0 || fflush(c->keep) != 0))
        give_up("write", getenv("CAMPAIGN_DONE"));
}

static void
open_done(struct campaign *c)
{
    const char *path = getenv("CAMPAIGN_DONE");
    char line[200];

    if (!path)
        return;
    c->keep = fopen(path, "a+e");
    if (!c->keep || fseek(c->keep, 0, SEEK_SET) < 0)
        give_up("open", path);
    while (fgets(line, sizeof line, c->keep))
        (void)names_add(&c->done, names_hash(NAMES_HASH_BEGIN, line, strcspn(line, "\n")));
}

static void
one(struct campaign *c, char **argv, const char *stand_in, const char *isolation, bool cold, double seconds,
    uint64_t seed)
{
    const char *only = argv[6] ? argv[7] : NULL;
    double end;
    size_t before = c->violations, tried = c->tried, missed = c->missed, again = c->again;

    scenario_open(&c->s, argv[1], argv[2], stand_in, isolation, cold);
    names_clear(&c->recovered);
    c->n = 0;
    find_points(c);
    shuffle(c, seed);
    end = now() + seconds;
    for (size_t i = 0; i < c->n && (seconds <= 0 || now() < end); i++)
        if (is_chosen(c, &c->points[i], only)) {
            try(c, &c->points[i]);
            note_done(c, &c->points[i]);
        }
    printf("%-8s %-7s %-10s %6zu points, %6zu tried, %zu not reached, %zu trees recovered, %zu violations\n",
           stand_in ? "machine" : "files", isolation, cold ? "first run" : "warm", c->n, c->tried - tried,
           c->missed - missed, c->again - again, c->violations - before);
    scenario_close(&c->s);
}

static void
share_memory(struct campaign *c)
{
    static char path[] = "/tmp/rhost-campaign.XXXXXX";
    int fd = mkstemp(path);

    if (fd < 0 || ftruncate(fd, sizeof *c->memory) < 0)
        give_up("make", path);
    c->memory = mmap(NULL, sizeof *c->memory, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (c->memory == MAP_FAILED)
        give_up("map", path);
    (void)close(fd);
    c->memory_path = path;
}

int
main(int argc, char **argv)
{
    /* They share the time. */
    static const struct {
        const char *isolation;
        bool cold;
    } kinds[] = { { "worker", false }, { "worker", true }, { "none", false }, { "none", true } };
    struct campaign c = { 0 };
    double seconds;
    uint64_t seed;

    if (argc < 6 || argc > 9
        || (argc > 8
            && (sscanf(argv[8], "%u/%u", &c.shard, &c.shards) != 2 || !c.shard || c.shard > c.shards))) {
        fprintf(stderr, "usage: campaign RHOST PLUGIN-DIR MEMORY-FAULT-LIBRARY STAND-IN SECONDS [SEED [POINT "
                        "[SHARD]]]\n");
        return 2;
    }
    c.shard -= argc > 8;
    c.shards += argc <= 8;
    if (!trace_is_supported()) {
        printf("skipped: the tracer does not know this machine\n");
        return 77;
    }
    seconds = strtod(argv[5], NULL) / (2 * sizeof kinds / sizeof kinds[0]);
    seed = argv[6] ? strtoull(argv[6], NULL, 10) | 1 : 20261122;
    c.fault_library = argv[3];
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    (void)setenv("MALLOC_PERTURB_", "165", 1); /* what is not written is garbage, and no text */
    share_memory(&c);
    open_done(&c);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        one(&c, argv, NULL, kinds[i].isolation, kinds[i].cold, seconds, seed);
        one(&c, argv, argv[4], kinds[i].isolation, kinds[i].cold, seconds, seed);
    }
    (void)unlink(c.memory_path);
    printf("seed %llu: %zu points tried, %zu not reached, %zu violations\n", (unsigned long long)seed,
           c.tried, c.missed, c.violations);
    return c.violations > 0;
}
