/* SPDX-License-Identifier: Apache-2.0 */
/* queue - print queues, each a line of a table. An example with a bit of everything, for the guide.
 *
 * A line is "name device hours password", with spaces between, and "-" where there is no password. */
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "table", .type = "Pattern[/\\A\\/\\S+\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The file that has the queues." },
    { .name = "name", .type = "Pattern[/\\A[a-z0-9_]{1,40}\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the queue." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether there should be such a queue." },
    { .name = "device", .type = "Pattern[/\\A\\/\\S{1,200}\\z/]", .desc = "Where it prints." },
    { .name = "keep", .type = "Pattern[/\\A[1-9]\\d{0,3}[hd]\\z/]", .initial = "\"24h\"",
      .desc = "For how long jobs are kept: hours, 36h, or days, 2d." },
    { .name = "password", .type = "Optional[Sensitive[Pattern[/\\A[^\\s-]\\S{5,99}\\z/]]]",
      .desc = "What who prints has to know." },
    { .name = "jobs", .type = "Integer[0]", .behaviour = RHOST_READ_ONLY,
      .desc = "How many jobs wait, in the directory TABLE.jobs/NAME." },
    { .name = "spooler", .type = "Array[String[1], 1, 20]", .behaviour = RHOST_PARAMETER,
      .default_value = "[\"true\"]", .desc = "The command that has the table read anew." },
};

/* "frob:/etc/queues" is not how it is written: the table comes first, then the name. */
static const char *const title_patterns[] = { "\\A(?<table>\\/\\S*):(?<name>[^:]*)\\z", NULL };

static const char *const relations[] = { "autorequire file[$table]", "autorequire file[$device]", NULL };

static const struct rhost_action actions[] = {
    { .name = "reload", .desc = "Have the spooler read the table anew." },
};

/* What is kept from open to close: the table that was read last. */
struct kept {
    char *path, *text;
    struct stat stat;
};

static int32_t
queue_suits(rhost_ctx *ctx)
{
    if (access("/dev", X_OK) < 0) {
        rhost_fail_errno(ctx, "cannot look into '/dev'");
        return 0;
    }
    return 1;
}

static int32_t
queue_open(rhost_ctx *ctx)
{
    struct kept *kept = calloc(1, sizeof *kept);

    if (!kept)
        return rhost_fail(ctx, "there is no memory");
    *ctx->host->state(ctx) = kept;
    return 0;
}

static void
forget(struct kept *kept)
{
    free(kept->path);
    free(kept->text);
    kept->path = kept->text = NULL;
}

static void
queue_close(rhost_ctx *ctx)
{
    struct kept *kept = *ctx->host->state(ctx);

    forget(kept);
    free(kept);
}

/* The table, read once for as long as it is the same; "" when there is none, NULL after saying why. */
static const char *
table_text(rhost_ctx *ctx, const char *path)
{
    struct kept *kept = *ctx->host->state(ctx);
    struct stat st;
    size_t n;
    FILE *f;

    if (stat(path, &st) < 0 && errno == ENOENT)
        return "";
    if (kept->path && strcmp(kept->path, path) == 0 && kept->stat.st_ino == st.st_ino
        && kept->stat.st_size == st.st_size && kept->stat.st_mtim.tv_nsec == st.st_mtim.tv_nsec)
        return kept->text;
    forget(kept);
    f = fopen(path, "re");
    if (!f || fstat(fileno(f), &kept->stat) < 0) {
        rhost_fail_errno(ctx, "cannot open '%s'", path);
        if (f)
            fclose(f);
        return NULL;
    }
    kept->path = strdup(path);
    kept->text = calloc(1, (size_t)kept->stat.st_size + 1);
    n = kept->text ? fread(kept->text, 1, (size_t)kept->stat.st_size, f) : 0;
    fclose(f);
    if (!kept->path || !kept->text || strlen(kept->text) != n) {
        rhost_fail(ctx, "cannot read '%s' as text", path);
        forget(kept);
        return NULL;
    }
    return kept->text;
}

/* Where the line of this queue begins, or NULL. */
static const char *
find_queue(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, name, len) == 0 && text[len] == ' ')
            return text;
    return NULL;
}

static int64_t
count_jobs(const char *table, const char *name, rhost_ctx *ctx)
{
    DIR *dir = opendir(rhost_fmt(ctx, "%s.jobs/%s", table, name));
    int64_t n = 0;

    if (!dir)
        return 0;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir))
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static int32_t
queue_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *table = rhost_str(name, "table"), *queue = rhost_str(name, "name");
    const char *text = table_text(ctx, table);
    const char *line = text ? find_queue(text, queue) : NULL;
    char device[201], password[101];
    int hours;

    (void)should;
    if (!text)
        return -1;
    if (!line)
        return RHOST_ABSENT;
    if (sscanf(line, "%*s %200s %d %100[^\n]", device, &hours, password) != 3)
        return rhost_fail(ctx, "cannot understand the line of '%s' in '%s'", queue, table);
    rhost_put_str(current, "device", device);
    rhost_put_fmt(current, "keep", "%dh", hours);
    if (strcmp(password, "-") != 0)
        rhost_put_str(current, "password", password);
    if (rhost_wants(ctx, "jobs")) /* a directory is read for it: not when nobody looks */
        rhost_put_int(current, "jobs", count_jobs(table, queue, ctx));
    return 0;
}

/* "2d" and "48h" are the same, as are "/dev//lp0" and "/dev/lp0". */
static int32_t
queue_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *keep = rhost_str(resource, "keep");
    char *unit;
    long n = keep ? strtol(keep, &unit, 10) : 0;

    if (keep && *unit == 'd')
        rhost_put_fmt(resource, "keep", "%ldh", n * 24);
    rhost_tidy_path(ctx, resource, "table");
    rhost_tidy_path(ctx, resource, "device");
    return 0;
}

/* A device by another name is the same device. */
static int32_t
queue_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "device"), *should = rhost_str(change->should, "device");
    struct stat a, b;

    if (strcmp(attribute, "device") != 0 || !is || !should)
        return RHOST_DEFAULT_COMPARISON;
    if (stat(is, &a) < 0 || stat(should, &b) < 0)
        return RHOST_DEFAULT_COMPARISON;
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return 0;
    return rhost_differs(ctx, "it prints on %s, which is not %s", is, should);
}

/* What the manifest wants elsewhere may make a queue useless. It fails alone, in a scope of its own. */
static int
is_refused(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *device = rhost_str_of(change, "device");
    const rhost_value *file = rhost_gone(change) ? NULL : rhost_declared(ctx, "file", device);
    uint64_t scope;

    if (!file || strcmp(rhost_str_or(file, "ensure", "present"), "absent") != 0)
        return 0;
    scope = rhost_begin(ctx, RHOST_FAILING, change->title);
    rhost_fail_attr(ctx, "device", "'%s' is to be removed by file[%s]", device, device);
    rhost_end(ctx, scope);
    return 1;
}

/* The line of a queue as it is to be. What nobody asked for is what it was. */
static void
put_queue(FILE *out, const struct rhost_change *change)
{
    const char *password = rhost_str_of(change, "password");

    fprintf(out, "%s %s %ld %s\n", rhost_str(change->name, "name"), rhost_str_of(change, "device"),
            strtol(rhost_str_of(change, "keep"), NULL, 10), password ? password : "-");
}

static int32_t
write_table(rhost_ctx *ctx, const char *path, const char *text)
{
    const struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = path,
        .content = text,
        .content_len = strlen(text),
        .mode = -1,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_SECRET,
    };

    return rhost_replace_file(ctx, &file);
}

/* The table with these changes made. Each line is looked up among them, and not they in it. */
static void
edit_table(rhost_ctx *ctx, FILE *out, const char *text, const struct rhost_change *const *changes, size_t n)
{
    char *written = rhost_alloc(ctx, n);
    rhost_value *places = ctx->host->new_hash(ctx);

    for (size_t i = 0; i < n; i++)
        rhost_put_int(places, rhost_str(changes[i]->name, "name"), (int64_t)i);
    while (*text) {
        size_t len = strcspn(text, "\n");
        int64_t i = rhost_int(places, rhost_copy(ctx, text, strcspn(text, " \n")), -1);

        if (i < 0)
            fprintf(out, "%.*s\n", (int)len, text);
        else if (!rhost_gone(changes[i]))
            put_queue(out, changes[i]);
        if (i >= 0)
            written[i] = 1;
        text += len + (text[len] == '\n');
    }
    for (size_t i = 0; i < n; i++)
        if (!written[i] && !rhost_gone(changes[i]))
            put_queue(out, changes[i]);
}

/* All changes of one table, with one writing. They have one scope: when the writing fails, all of them do,
 * and other tables go on. */
static void
set_table(rhost_ctx *ctx, const char *table, const struct rhost_change *const *changes, size_t n)
{
    const char **titles = rhost_alloc(ctx, n * sizeof *titles);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *before;
    uint64_t scope;
    int failed;

    for (size_t i = 0; i < n; i++)
        titles[i] = changes[i]->title;
    scope = ctx->host->scope_begin(ctx, RHOST_PROCESSING, titles, n, NULL, NULL, NULL);
    before = table_text(ctx, table);
    if (out && before)
        edit_table(ctx, out, before, changes, n);
    failed = !out || ferror(out);
    if ((out && fclose(out) != 0) || failed || !text)
        rhost_fail(ctx, "there is no memory");
    else if (before)
        (void)write_table(ctx, table, text);
    free(text);
    ctx->host->scope_end(ctx, scope);
}

static int32_t
queue_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    const struct rhost_change **of_table = rhost_alloc(ctx, n * sizeof *of_table);
    char *done = rhost_alloc(ctx, n);

    for (size_t i = 0; i < n; i++)
        done[i] = (char)is_refused(ctx, changes[i]);
    for (size_t i = 0; i < n; i++) {
        const char *table = rhost_str(changes[i]->name, "table");
        size_t k = 0;

        for (size_t j = i; j < n; j++)
            if (!done[j] && strcmp(rhost_str(changes[j]->name, "table"), table) == 0) {
                of_table[k++] = changes[j];
                done[j] = 1;
            }
        if (k > 0)
            set_table(ctx, table, of_table, k);
    }
    return 0;
}

/* The spooler is told when somebody notifies the queue, or `action: reload` asks for it. */
static int32_t
queue_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    const rhost_value *words = rhost_get(change->should, "spooler");
    const char *argv[22] = { NULL };
    struct rhost_command command = { .struct_size = sizeof command, .argv = argv, .timeout = 10000 };
    struct rhost_output output;

    (void)action; /* there is one */
    for (size_t i = 0; i < rhost_count(words); i++)
        argv[i] = rhost_str_at(words, i);
    argv[rhost_count(words)] = rhost_str(change->name, "name");
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(ctx, "'%s' ended with status %d: %s", argv[0], output.status, output.err);
    return 0;
}

static const struct rhost_provider queue_provider = {
    RHOST_PROVIDER("queue", "Keep print queues."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .title_patterns = title_patterns,
    .relations = relations,
    .refresh_action = "reload",
    .suits = queue_suits,
    .open = queue_open,
    .close = queue_close,
    .canonicalize = queue_canonicalize,
    .insync = queue_insync,
    .load = queue_load,
    .set = queue_set,
    .act = queue_act,
};

RHOST_PLUGIN(queue, "1.0", &queue_provider)
