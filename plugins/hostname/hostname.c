/* SPDX-License-Identifier: Apache-2.0 */
/* hostname - keep the name of the machine, in its file and in the running kernel.
 *
 * A machine has one name: the resource is its file, and a title that is no path is what the name should be.
 * So two names for one machine are two definitions of one resource, which the host refuses. */

#include <rhost/dry-run.h>
#include <rhost/exec.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

#include <sys/utsname.h>

#define FILE_OF_MACHINE "/etc/hostname"
#define LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define NAME "/\\A(?=.{1,64}\\z)" LABEL "(?:\\." LABEL ")*\\z/"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = "Pattern[/\\A\\//, " NAME "]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The file that has the name; or the name itself, for " FILE_OF_MACHINE "." },
    { .name = "value", .type = "Optional[Pattern[" NAME "]]", .desc = "The name of the machine." },
    { .name = "apply",
      .type = "Boolean",
      .default_value = "true",
      .desc = "Whether the running kernel has the name as well; false: it is not looked at." },
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path] if $value",
    NULL,
};

static int32_t
hostname_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *title = rhost_str(resource, "path"), *value = rhost_str(resource, "value");

    if (title && *title != '/') {
        if (value && strcmp(value, title) != 0)
            return rhost_fail_attr(ctx, "value", "the title says that it is '%s'", title);
        rhost_put_str(resource, "value", rhost_strdup(ctx, title));
        rhost_put_str(resource, "path", FILE_OF_MACHINE);
    }
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

/* The line that has the name, as hostname(5) says: the first that is neither empty nor a comment; l->n: none
 * does. */
static size_t
find_line(const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++) {
        size_t blank = 0;

        while (blank < l->at[i].len && strchr(" \t\r", l->at[i].text[blank]))
            blank++;
        if (blank < l->at[i].len && l->at[i].text[blank] != '#')
            return i;
    }
    return l->n;
}

/* The name on the line `at`, without the blanks around it; NULL: there is no such line. */
static const char *
name_at(rhost_ctx *ctx, const struct rhost_lines *l, size_t at)
{
    size_t from = 0, to;

    if (at == l->n)
        return NULL;
    for (to = l->at[at].len; strchr(" \t\r", l->at[at].text[from]); from++)
        continue; /* there is something else, or it would not be the line */
    while (strchr(" \t\r", l->at[at].text[to - 1]))
        to--;
    return rhost_copy(ctx, l->at[at].text + from, to - from);
}

/* As the type has it: whatever else a file says is unknown. */
static int
is_name(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= 64
           && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.") == len
           && *text != '-' && *text != '.' && text[len - 1] != '-' && text[len - 1] != '.'
           && !strstr(text, "..") && !strstr(text, "-.") && !strstr(text, ".-");
}

/* In an image the kernel is that of another machine. */
static int
is_applied(const rhost_value *should)
{
    return rhost_bool(should, "apply", 1) && !rhost_in_chroot();
}

static int32_t
hostname_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *value, *wanted;
    const struct rhost_lines *l = rhost_lines_of(ctx, path);
    struct utsname system;

    if (!l)
        return -1;
    value = name_at(ctx, l, find_line(l));
    if (!value)
        return rhost_absent_at(ctx, should, path);
    if (is_name(value))
        rhost_put_str(current, "value", value);
    if (uname(&system) < 0)
        return rhost_fail_errno(ctx, "cannot read the name of the running kernel");
    wanted = rhost_str_or(should, "value", value);
    rhost_put_bool(current, "apply",
                   should && !is_applied(should) ? rhost_bool(should, "apply", 1)
                                                 : strcmp(system.nodename, wanted) == 0);
    return 0;
}

static int32_t
hostname_get(rhost_ctx *ctx, const rhost_value *names)
{
    rhost_value *one = ctx->host->new_hash(ctx);
    int32_t result;

    (void)names;
    rhost_put_str(one, "path", FILE_OF_MACHINE);
    result = hostname_load(ctx, one, NULL, one);
    return result == 0 ? ctx->host->emit(ctx, one) : result == RHOST_ABSENT ? 0 : -1;
}

static int32_t
hostname_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct utsname system;

    if (strcmp(attribute, "apply") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (!is_applied(change->should) || rhost_bool(change->is, "apply", 0))
        return 0;
    if (uname(&system) < 0)
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "the running kernel has the name '%s'", system.nodename);
}

/* A confined worker may not set it; the broker starts the program. */
static int32_t
set_running(rhost_ctx *ctx, const char *value)
{
    const char *const argv[] = { "hostname", value, NULL }, *const env[] = { "LC_ALL=C", NULL };
    const struct rhost_command command = { .struct_size = sizeof command, .argv = argv, .env = env };
    struct rhost_output output;
    struct utsname system;

    if (uname(&system) == 0 && strcmp(system.nodename, value) == 0)
        return 0;
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (output.status == 0 && uname(&system) == 0 && strcmp(system.nodename, value) == 0)
        return 0;
    return rhost_fail(ctx, "the kernel does not take the name%s%.*s ('apply: false' writes the file alone)",
                      output.err_len ? ": " : "", (int)strcspn(output.err, "\n"), output.err);
}

/* The running kernel first: what it refuses does not get into the file. */
static int32_t
hostname_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path"), *value = rhost_str_of(change, "value");
    const struct rhost_new_file like = {
        .struct_size = sizeof like, .path = path, .mode = -1, .uid = -1, .gid = -1, .flags = RHOST_FILE_FOLLOW
    };

    if (!value)
        return rhost_fail_attr(ctx, "value", "'%s' has no name, and none is desired", path);
    if (is_applied(change->should) && set_running(ctx, value) < 0)
        return -1;
    for (int attempt = 0; attempt < RHOST_LINES_TRIES; attempt++) {
        struct rhost_lines *l = rhost_lines_of(ctx, path);
        const char *now;
        size_t at;
        int32_t saved;

        if (!l)
            return -1;
        at = find_line(l);
        now = name_at(ctx, l, at);
        if (now && strcmp(now, value) == 0)
            return 0;
        if (now)
            rhost_lines_put(l, at, value, strlen(value));
        else
            rhost_lines_append(l, value);
        saved = rhost_lines_save(ctx, l, &like);
        if (saved != RHOST_FILE_CHANGED)
            return saved;
    }
    return rhost_lines_fail_changed(ctx, path);
}

static const char *const needs[] = { "root if $apply",
                                     "write[$path]",
                                     "read[" FILE_OF_MACHINE "]",
                                     "run[hostname] if $apply",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider hostname_provider = {
    RHOST_PROVIDER("hostname", "Keep the name of the machine."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = hostname_canonicalize,
    .insync = hostname_insync,
    .load = hostname_load,
    .get = hostname_get,
    .create = hostname_write,
    .update = hostname_write,
    .needs = needs,
};

RHOST_PLUGIN(hostname, "1.0", &hostname_provider)
