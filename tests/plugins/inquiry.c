/* SPDX-License-Identifier: Apache-2.0 */
/* inquiry - good lookups and facts, which have one fault when FAULT_SEED names one: the table of
 * tests/plugins/inquiry.bash says which check finds each. */
#include <rhost/keep.h>
#include <rhost/provider.h>

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 4096, LEAK = 8 << 20 };

/* Faults of what it declares are put in when it is loaded: see declare(). */
static struct rhost_attr inquiry_parameters[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "A file of lines KEY=VALUE." },
    { .name = "key", .type = "String[1]", .desc = "Which line." },
    { .name = "times", .type = "Integer[1, 3]", .desc = "How often.", .default_value = "1" },
};
static const struct rhost_attr token_parameters[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "A file of lines KEY=VALUE." },
};

static const char *reading[] = { "read[$path]", NULL };
static const char *const no_needs[] = { NULL };

static int
has(const char *fault)
{
    const char *seed = getenv("FAULT_SEED");

    return seed && strcmp(seed, fault) == 0;
}

static void *
wait_for_ever(void *nothing)
{
    (void)nothing;
    for (;;)
        (void)pause();
    return NULL;
}

/* What is left in the process. */
static void
misbehave(void)
{
    static void *kept; /* so that it is no leak for who looks for those */
    pthread_t thread;

    if (has("leaves a descriptor"))
        (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (has("leaves a child") && fork() == 0)
        (void)wait_for_ever(NULL);
    if (has("leaves a thread"))
        (void)pthread_create(&thread, NULL, wait_for_ever, NULL);
    if (has("leaves an alarm"))
        (void)alarm(3600);
    if (has("leaves a signal handler"))
        (void)signal(SIGUSR1, SIG_IGN);
    if (has("changes the umask"))
        (void)umask(077);
    if (has("changes the directory"))
        (void)!chdir("/tmp");
    if (has("changes the locale"))
        (void)setlocale(LC_ALL, "C");
    if (has("changes PATH"))
        (void)setenv("PATH", "/bin", 1);
    if (has("prints"))
        (void)!write(1, "hello", 5);
    if (has("leaks 8 MB a call")) {
        void **block = calloc(1, LEAK);

        if (block)
            *block = kept;
        kept = block;
    }
}

/* The value of a key, in memory of the call; NULL: none, or after a failure, which is *failed. */
static const char *
value_of(rhost_ctx *ctx, const char *path, const char *key, int *failed)
{
    char text[LONGEST + 1], *rest = text, *line;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, LONGEST);
    size_t len = strlen(key);

    *failed = n < 0;
    if (n < 0)
        rhost_fail_errno(ctx, "cannot read '%s'", path);
    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return NULL;
    text[n] = '\0';
    while ((line = strsep(&rest, "\n")))
        if (strncmp(line, key, len) == 0 && line[len] == '=')
            return rhost_strdup(ctx, line + len + 1);
    return NULL;
}

/* Memory of its own, as a library would take it. */
static int32_t
trust(rhost_ctx *ctx)
{
    volatile char *first = malloc(100), *second = malloc(100);

    if (!first && !has("trusts malloc")) {
        free((void *)second);
        return rhost_fail(ctx, "no memory");
    }
    if (!second && !has("trusts a second malloc")) {
        free((void *)first);
        return rhost_fail(ctx, "no memory");
    }
    *first = 'x';
    *second = 'x';
    free((void *)first);
    free((void *)second);
    return 0;
}

static int32_t
find_inquiry(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    static const char *before;
    static unsigned calls;
    const char *path = rhost_str(parameters, "path"), *key = rhost_str(parameters, "key"), *value;
    char short_key[8];
    int failed;

    misbehave();
    if (trust(ctx) < 0)
        return -1;
    if (has("keeps a borrowed pointer")) {
        rhost_debug(ctx, "before: %c", before ? *before : '-');
        before = key;
    }
    if (has("copies a long key into a short buffer"))
        strcpy(short_key, key);
    if (has("asks a number for its text"))
        (void)rhost_str_or(parameters, "times", "");
    if (has("writes while it is asked"))
        (void)close(open(rhost_fmt(ctx, "%s.read", path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    value = value_of(ctx, path, key, &failed);
    if (failed)
        return has("fails without a reason") ? 3 : -1;
    if (!value && has("finds what is absent"))
        value = "";
    if (!value)
        return RHOST_ABSENT;
    if (has("leaves a block open"))
        (void)ctx->host->scope_begin(ctx, RHOST_PROCESSING, NULL, 0, NULL, NULL, "Looking");
    if (has("answers another key"))
        value = rhost_fmt(ctx, "%s of another", value);
    if (has("answers something else each time") && rhost_int(parameters, "times", 1) == 3)
        value = rhost_fmt(ctx, "%s %u", value, calls++);
    if (has("answers a number instead of a text"))
        rhost_put_int(answer, "value", 7);
    else
        rhost_put_str(answer, "value", value);
    return 0;
}

static int32_t
find_token(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    const char *path = rhost_str(parameters, "path"), *value;
    int failed, fd;

    value = value_of(ctx, path, "token", &failed);
    if (failed)
        return -1;
    if (!value)
        return RHOST_ABSENT;
    rhost_put_str(answer, "value", value);
    if (has("secret in a message"))
        rhost_info(ctx, "the token is %s", value);
    if (has("secret in a cache elsewhere") && getenv("FAULT_OUTSIDE")) {
        FILE *f = fopen(getenv("FAULT_OUTSIDE"), "we");

        if (f && (fchmod(fileno(f), 0600) < 0 || fputs(value, f) < 0))
            perror(path);
        if (f)
            (void)fclose(f);
    }
    if (has("secret in a cache")) {
        fd = open(rhost_fmt(ctx, "%s.cache", path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0 && write(fd, value, strlen(value)) < 0)
            perror(path);
        if (fd >= 0)
            (void)close(fd);
    }
    return 0;
}

static int32_t
read_site(rhost_ctx *ctx, rhost_value *answer)
{
    (void)ctx;
    if (has("is a slow fact"))
        (void)nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 200000000 }, NULL);
    rhost_put_str(answer, "value", "berlin");
    return 0;
}

static const struct rhost_lookup inquiry = {
    RHOST_LOOKUP("inquiry", "A value in a file."),
    RHOST_ATTRS(inquiry_parameters),
    .type = "String",
    .find = find_inquiry,
    .needs = (const char *const *)reading,
};
static const struct rhost_lookup token = {
    RHOST_LOOKUP("inquiry_token", "The token in a file."),
    RHOST_ATTRS(token_parameters),
    .type = "Sensitive[String]",
    .find = find_token,
    .needs = (const char *const *)reading,
};
static const struct rhost_fact site = {
    RHOST_FACT("inquiry_site", "Where it is."),
    .type = "String",
    .read = read_site,
    .needs = no_needs,
};

__attribute__((constructor)) static void
declare(void)
{
    if (has("has no description"))
        inquiry_parameters[1].desc = NULL;
    if (has("has a type that is none"))
        inquiry_parameters[1].type = "Strnig";
    if (has("declares less than it needs"))
        reading[0] = NULL;
}

static const struct rhost_lookup *const lookups[] = { &inquiry, &token, NULL };
static const struct rhost_fact *const facts[] = { &site, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(inquiry, "1.0", NULL, lookups, facts)
