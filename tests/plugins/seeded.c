/* SPDX-License-Identifier: Apache-2.0 */
/* seeded - a good provider of small files of settings, which has one fault when FAULT_SEED names one: the
 * table of tests/plugins/seeded.bash says which check finds each. FAULT_STORE is a pattern of the files that
 * it lists. */
#include "seeded.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 4096, LEAK = 8 << 20 };

/* Faults of what it declares are put in when it is loaded: see declare(). */
static struct rhost_attr attrs[] = {
    { .name = "path",
      .type = "Pattern[/\\A\\/[^\\n]+\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether it should be there." },
    { .name = "value", .type = "Optional[Pattern[/\\A\\w{0,80}\\z/]]", .desc = "A word." },
    { .name = "note", .type = "Optional[Pattern[/\\A[^\\n]{0,80}\\z/]]", .desc = "One line." },
    { .name = "token",
      .type = "Optional[Sensitive[Pattern[/\\A\\w{0,80}\\z/]]]",
      .desc = "Nobody's business." },
    { .name = "kind",
      .type = "Optional[Pattern[/\\A\\w{0,80}\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "A word that stays." },
};
static const char *const kept[] = { "value", "note", "token", "kind" };

static const struct rhost_action actions[] = { { .name = "poke", .desc = "Does nothing." } };

int
seeded_has(const char *fault)
{
    const char *seed = getenv("FAULT_SEED");

    return seed && strcmp(seed, fault) == 0;
}

/* A file beside this one. */
static const char *
beside(rhost_ctx *ctx, const char *path, const char *name)
{
    return rhost_fmt(ctx, "%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
}

/* --- Reading. --------------------------------------------------------------------------------- */

/* What should not be kept: a path with what was wanted last, and what was read first. */
static struct {
    char path[LONGEST];
    const char *value; /* of the call before */
    char removed[LONGEST];
    char text[LONGEST + 1];
} memory;

static int
read_text(rhost_ctx *ctx, const char *path, char text[LONGEST + 1])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, LONGEST);

    if (fd < 0 && seeded_has("takes what it cannot read for absent"))
        return 0;
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG))
        return 0;
    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    text[n] = '\0';
    return 1;
}

static int
emit(rhost_ctx *ctx, const char *path)
{
    rhost_value *resource = ctx->host->new_hash(ctx);
    char text[LONGEST + 1] = "", *rest = text, *line;
    int there = read_text(ctx, path, text);
    static char counted[24];
    static unsigned count;

    if (there == 0
        && ((seeded_has("finds what is absent") && strstr(path, "/nothing"))
            || (seeded_has("finds what it has removed") && strcmp(memory.removed, path) == 0)))
        there = 1;
    if (there <= 0)
        return there;
    if (seeded_has("does not look again")) {
        if (strcmp(memory.path, path) == 0) {
            strcpy(text, memory.text);
        } else if (!*memory.path && strlen(path) < sizeof memory.path) {
            strcpy(memory.path, path);
            strcpy(memory.text, text);
        }
    }
    rhost_put_str(resource, "path", path);
    rhost_put_str(resource, "ensure", "present");
    while ((line = strsep(&rest, "\n")) && rest)
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
            size_t len = strlen(kept[i]);

            if (strncmp(line, kept[i], len) == 0 && line[len] == '=')
                rhost_put_str(resource, kept[i], line + len + 1);
        }
    if (seeded_has("keeps a borrowed pointer") && memory.value && strcmp(memory.path, path) == 0)
        rhost_put_str(resource, "value", memory.value);
    if (seeded_has("reads something else each time")) {
        snprintf(counted, sizeof counted, "%u", count++);
        rhost_put_str(resource, "note", counted);
    }
    return ctx->host->emit(ctx, resource);
}

static void *volatile leaked;

static int32_t
seeded_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char *store = getenv("FAULT_STORE");
    glob_t found = { 0 };
    int result = 0, failed;

    if (seeded_has("leaks 8 MB a call"))
        leaked = malloc(LEAK);
    if (seeded_has("aborts without memory") || seeded_has("exits without memory")) {
        leaked = malloc(1);
        if (!leaked && seeded_has("exits without memory"))
            exit(2);
        if (!leaked)
            abort();
        free(leaked);
    }
    if (seeded_has("trusts malloc"))
        *(volatile char *)(leaked = malloc(1)) = 0;
    if (seeded_has("trusts a second malloc") && !(leaked = malloc(2)))
        *(volatile char *)(leaked = malloc(1)) = 0;
    for (size_t i = 0; i < rhost_count(names) && result >= 0; i++)
        result = emit(ctx, rhost_str(rhost_at(names, i, NULL), "path"));
    if (names)
        return result < 0 ? -1 : 0;
    if (store && (failed = glob(store, GLOB_ERR, NULL, &found)) && failed != GLOB_NOMATCH)
        return rhost_fail(ctx, "cannot list '%s': %s", store,
                          failed == GLOB_NOSPACE ? "out of memory" : "a directory cannot be read");
    for (size_t i = 0; i < found.gl_pathc && result >= 0; i++) {
        if (seeded_has("list misses names with quotes") && strpbrk(found.gl_pathv[i], "'\" "))
            continue;
        if (seeded_has("list misses a resource") && i == 0)
            continue;
        result = emit(ctx, found.gl_pathv[i]);
        if (seeded_has("lists a resource twice") && i == 0 && result >= 0)
            result = emit(ctx, found.gl_pathv[i]);
    }
    globfree(&found);
    return result < 0 ? -1 : 0;
}

/* --- Writing. --------------------------------------------------------------------------------- */

static void *
wait_for_ever(void *nothing)
{
    for (;;)
        (void)pause();
    return nothing;
}

static void
misbehave(const char *path)
{
    pthread_t thread;

    (void)path;
    if (seeded_has("leaves a thread") && pthread_create(&thread, NULL, wait_for_ever, NULL) == 0)
        (void)pthread_detach(thread);
    if (seeded_has("leaves an alarm"))
        (void)alarm(1000);
    if (seeded_has("changes PATH"))
        (void)setenv("PATH", "/nowhere", 1);
    if (seeded_has("leaves a signal handler"))
        (void)signal(SIGUSR1, SIG_IGN);
    if (seeded_has("leaves a descriptor"))
        (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (seeded_has("leaves a child") && fork() == 0)
        (void)wait_for_ever(NULL);
    if (seeded_has("changes the umask"))
        (void)umask(077);
    if (seeded_has("changes the locale"))
        (void)setlocale(LC_ALL, strcmp(setlocale(LC_ALL, NULL), "C") == 0 ? "C.UTF-8" : "C");
    if (seeded_has("prints"))
        (void)printf("hello\n");
}

static void
leave_secrets(rhost_ctx *ctx, const char *path, const char *token)
{
    if (!token)
        return;
    if (seeded_has("secret in a temporary file"))
        seeded_write(beside(ctx, path, ".scratch"), token, 0600);
    if (seeded_has("secret in a log file"))
        seeded_write(beside(ctx, path, "log"), rhost_fmt(ctx, "the token is %s\n", token), 0644);
    if (seeded_has("secret in base64 in a log file"))
        seeded_write(beside(ctx, path, "log"), "Authorization: Basic dXNlcjprMzNwMXQ1M2NyM3Q=\n", 0644);
    if (seeded_has("secret outside of the directory") && getenv("FAULT_OUTSIDE"))
        seeded_write(getenv("FAULT_OUTSIDE"), token, 0600);
    if (seeded_has("secret in a file that is soon removed") && getenv("FAULT_OUTSIDE")) {
        seeded_write(getenv("FAULT_OUTSIDE"), token, 0644);
        (void)unlink(getenv("FAULT_OUTSIDE"));
    }
    if (seeded_has("secret in a message"))
        rhost_info(ctx, "the token is %s", token);
}

static void
write_one(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    char text[LONGEST];
    int len = 0;

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *v = seeded_has("resets what is not named") ? rhost_str(change->should, kept[i])
                                                               : rhost_str_of(change, kept[i]);

        if (seeded_has("never changes a note") && change->is && strcmp(kept[i], "note") == 0)
            v = rhost_str(change->is, "note");
        if (v && strcmp(kept[i], "kind") == 0 && seeded_has("keeps its kind when it is created again"))
            v = "small";
        if (v)
            len += snprintf(text + len, sizeof text - (size_t)len, "%s=%s\n", kept[i], v);
    }
    text[len] = '\0';
    if (!seeded_work(ctx, change))
        return;
    misbehave(path);
    leave_secrets(ctx, path, rhost_str(change->should, "token"));
    if (seeded_has("keeps a borrowed pointer") && strlen(path) < sizeof memory.path) {
        strcpy(memory.path, path);
        memory.value = rhost_str(change->should, "value");
    }
    if (seeded_has("changes its neighbour") && change->is && strstr(path, "/one"))
        seeded_write(beside(ctx, path, "two"), "value=mine\nkind=small\n", 0600);
    if (seeded_has("is made and changes its neighbour") && change->is
        && strcmp(rhost_str_or(change->is, "value", ""), "old") == 0)
        seeded_write(beside(ctx, path, "two"), "value=other\nnote=mine\nkind=small\n", 0600);
    if (seeded_has("changes what is in no manifest") && change->is && strstr(path, "/one"))
        seeded_write(beside(ctx, path, "bystander"), "value=mine\n", 0600);
    if (seeded_has("does not look again") && strcmp(memory.path, path) == 0)
        strcpy(memory.text, text);
    if (!seeded_has("reports what it did not do"))
        (void)seeded_save(ctx, path, text);
    seeded_use(ctx, path);
}

static int32_t
seeded_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *path = rhost_str(changes[i]->name, "path");
        int32_t doing = !changes[i]->should ? RHOST_DELETING
                        : changes[i]->is    ? RHOST_UPDATING
                                            : RHOST_CREATING;
        uint64_t scope;

        if (rhost_noop(ctx) && seeded_has("says under noop that all stays")) {
            (void)ctx->host->unchanged(ctx, changes[i]->title, NULL);
            continue;
        }
        scope = rhost_begin(ctx, doing, changes[i]->title);
        if (rhost_noop(ctx) && seeded_has("writes under noop"))
            seeded_write(beside(ctx, path, "noop"), "", 0600);
        if (rhost_noop(ctx) || (i && seeded_has("does only the first of a batch"))) {
            rhost_end(ctx, scope);
            continue;
        }
        if (!rhost_gone(changes[i]))
            write_one(ctx, changes[i]);
        else if (strcmp(memory.path, path) == 0)
            *memory.path = '\0';
        if (rhost_gone(changes[i])
            && seeded_has(changes[i]->should ? "keeps what is to be absent" : "keeps what must go"))
            ;
        else if (rhost_gone(changes[i]) && unlink(path) < 0)
            (void)rhost_fail_errno(ctx, "cannot remove '%s'", path);
        if (rhost_gone(changes[i]) && strlen(path) < sizeof memory.removed)
            strcpy(memory.removed, path);
        if (rhost_gone(changes[i]) && seeded_has("rewrites its neighbour in place when it goes")
            && strstr(path, "/there"))
            seeded_write(beside(ctx, path, "two"), "value=new\nkind=small\n", 0600);
        if (rhost_gone(changes[i]) && seeded_has("removes its neighbour"))
            (void)unlink(beside(ctx, path, "one"));
        if (i + 1 < n || !i || !seeded_has("leaves a block open in a batch"))
            rhost_end(ctx, scope);
    }
    return 0;
}

static int32_t
seeded_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    const char *path = rhost_str(change->name, "path");

    (void)action;
    if (seeded_has("acts on its neighbour") && !rhost_noop(ctx) && strstr(path, "/one"))
        seeded_write(beside(ctx, path, "two"), "value=mine\nkind=small\n", 0600);
    return seeded_has("action answers 7") ? 7 : 0;
}

static int32_t
seeded_suits(rhost_ctx *ctx)
{
    const char *store = getenv("FAULT_STORE");
    glob_t found = { 0 };

    if (store && seeded_has("suits writes") && glob(store, 0, NULL, &found) == 0)
        seeded_write(beside(ctx, found.gl_pathv[0], "suits"), "", 0600);
    globfree(&found);
    return 1;
}

static int32_t
never_canonical(rhost_ctx *ctx, rhost_value *resource)
{
    const char *note = rhost_str(resource, "note");

    if (note && strlen(note) < 70)
        rhost_put_str(resource, "note", rhost_fmt(ctx, "%s again", note));
    return 0;
}

static struct rhost_provider seeded = {
    RHOST_PROVIDER("seeded", "Keep small files of settings."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP,
    .suits = seeded_suits,
    .get = seeded_get,
    .set = seeded_set,
    .act = seeded_act,
};

#ifdef SEEDED_EXPORTS
RHOST_EXPORT int seeded_helper(void);

int
seeded_helper(void)
{
    return 0;
}
#endif

enum { ENSURE = 1, VALUE, NOTE };

/* The attributes are in the order of the table above. */
__attribute__((constructor)) static void
declare(void)
{
    clock_t until = clock() + CLOCKS_PER_SEC / 4;

    seeded_declare(&seeded, &attrs[VALUE], &attrs[NOTE]);
    if (seeded_has("takes any value"))
        attrs[VALUE].type = "Optional[String]";
    if (seeded_has("has no description"))
        attrs[NOTE].desc = NULL;
    if (seeded_has("has a default of another type"))
        attrs[ENSURE].default_value = "7";
    if (seeded_has("canonicalizes anew each time"))
        seeded.canonicalize = never_canonical;
    if (seeded_has("promises noop and writes nothing")) {
        seeded.set = NULL;
        seeded.act = NULL;
        seeded.actions = NULL;
        seeded.n_actions = 0;
    }
    while (seeded_has("computes while it is loaded") && clock() < until)
        ;
}

RHOST_PLUGIN(seeded, "1.0", &seeded)
