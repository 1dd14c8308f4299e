/* SPDX-License-Identifier: Apache-2.0 */
/* sudo_rule - keep rules of sudo, each in a file of sudoers.d. visudo checks a file before it takes its
 * place. */

#include "rule.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#define FOLDER "/etc/sudoers.d"
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

enum { LARGEST = 1 << 20, MODE = 0440 };

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1, 255]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the file: letters, digits, _ and -. sudo reads none with a dot or a ~." },
    { .name = "directory",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"" FOLDER "\"",
      .desc = "The directory that it is in." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the rule should exist." },
    { .name = "users",
      .type = "Array[String[1], 1]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Who may run the commands: alice, %wheel for a group, #1000, ALL." },
    { .name = "commands",
      .type = "Array[String[1], 1]",
      .desc = "What they may run, with the absolute path: /usr/bin/systemctl restart nginx, ALL." },
    { .name = "hosts",
      .type = "Array[String[1], 1]",
      .behaviour = RHOST_UNORDERED,
      .default_value = "[\"ALL\"]",
      .desc = "The machines that it is about." },
    { .name = "run_as",
      .type = "Array[String[1]]",
      .behaviour = RHOST_UNORDERED,
      .default_value = "[]",
      .desc = "As which users; without any, as root." },
    { .name = "run_as_groups",
      .type = "Array[String[1]]",
      .behaviour = RHOST_UNORDERED,
      .default_value = "[]",
      .desc = "With which groups." },
    { .name = "tags",
      .type = "Array[Enum[" RULE_TAGS "]]",
      .behaviour = RHOST_UNORDERED,
      .default_value = "[]",
      .desc = "What is otherwise than by default: NOPASSWD, NOEXEC, SETENV." },
};

/* "/etc/sudoers.d/deploy" states both; any other title is the name. */
static const char *const title_patterns[] = {
    "\\A(?<directory>\\/.*)\\/(?<name>[^\\/]+)\\z",
    "\\A(?<name>[^\\/]+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire package[sudo]",
    "autorequire directory[$directory]",
    "owns path[$directory/$name]",
    "owns content[$directory/$name]",
    NULL,
};

static int32_t
sudo_rule_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const lists[] = { "users", "hosts", "run_as", "run_as_groups", "commands" };
    const char *name = rhost_str(resource, "name");
    int failed = 0;

    if (name && name[strspn(name, NAME_CHARS)])
        failed =
            rhost_fail_attr(ctx, "name",
                            "a name has letters, digits, '_' and '-': sudo ignores a file with '.' or '~' in "
                            "its name");
    rhost_tidy_path(ctx, resource, "directory");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const rhost_value *list = rhost_get(resource, lists[k]);

        for (size_t i = 0; i < rhost_count(list); i++) {
            const char *why = rule_check(ctx, lists[k], rhost_str_at(list, i));

            if (why)
                failed = rhost_fail_attr(ctx, rhost_fmt(ctx, "%s[%zu]", lists[k], i), "%s", why);
        }
    }
    return failed;
}

/* The tag that is the opposite of one of the list and in it as well, or NULL. */
static const char *
contradiction(rhost_ctx *ctx, const rhost_value *tags)
{
    for (size_t i = 0; i < rhost_count(tags); i++)
        for (size_t k = 0; k < rhost_count(tags); k++)
            if (strcmp(rhost_fmt(ctx, "NO%s", rhost_str_at(tags, i)), rhost_str_at(tags, k)) == 0)
                return rhost_str_at(tags, i);
    return NULL;
}

static int32_t
sudo_rule_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *tag = contradiction(ctx, rhost_get(resource, "tags"));

    return tag ? rhost_fail_attr(ctx, "tags", "'%s' and 'NO%s' exclude each other", tag, tag) : 0;
}

/* What a new rule needs; of one that exists, an undo states only what it brings back. */
static int
check_new(rhost_ctx *ctx, const rhost_value *should)
{
    int failed = 0;

    if (!should || rhost_wants_absence(should))
        return 0;
    if (!rhost_has(should, "users"))
        failed =
            rhost_fail_attr(ctx, "users", "'users' is required for a new rule: who may run the commands");
    if (!rhost_has(should, "commands"))
        failed = rhost_fail_attr(ctx, "commands", "'commands' is required for a new rule: what they may run");
    return failed;
}

static const char *
path_of(rhost_ctx *ctx, const rhost_value *name)
{
    const char *directory = rhost_str_or(name, "directory", FOLDER);

    return rhost_fmt(ctx, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory,
                     rhost_str_or(name, "name", ""));
}

/* The file as text; NULL with errno. One with a NUL is no text: EILSEQ. */
static const char *
read_file(rhost_ctx *ctx, const char *path, struct stat *st)
{
    size_t len;
    const char *text = rhost_path_read(ctx, path, 0, LARGEST, &len, st);

    if (text && strlen(text) != len) {
        errno = EILSEQ;
        return NULL;
    }
    return text;
}

/* sudo ignores a directory that others than root can change; and what is put there would be theirs to
 * replace. */
static int
check_directory(rhost_ctx *ctx, const char *directory)
{
    struct stat st;

    if (geteuid() != 0 || rhost_path_stat(ctx, directory, RHOST_PATH_FOLLOW, &st) < 0)
        return 0; /* what is missing is named when it is needed */
    if (st.st_uid != 0)
        return rhost_fail(ctx, "sudo ignores '%s', which belongs to user %lu: it must belong to root",
                          directory, (unsigned long)st.st_uid);
    if (st.st_mode & 02)
        return rhost_fail(ctx, "sudo ignores '%s', to which everybody can write: its mode is %04o", directory,
                          (unsigned)st.st_mode & 07777);
    if ((st.st_mode & 020) && st.st_gid != 0)
        return rhost_fail(ctx, "sudo ignores '%s', to which group %lu can write: its mode is %04o", directory,
                          (unsigned long)st.st_gid, (unsigned)st.st_mode & 07777);
    if (rhost_path_trusted(ctx, rhost_fmt(ctx, "%s/.", directory)) < 0)
        return rhost_fail_path(ctx, "cannot use '%s'", directory);
    return 0;
}

static int
visudo_exists(void)
{
    static const char *const places[] = { "/usr/sbin/visudo", "/usr/local/sbin/visudo", "/sbin/visudo",
                                          "/usr/bin/visudo", "/usr/local/bin/visudo" };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], F_OK) == 0)
            return 1;
    return 0;
}

/* Under noop: what writing would refuse. */
static int
foresee(rhost_ctx *ctx, const rhost_value *should, const char *directory)
{
    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (!visudo_exists() && rhost_fail_missing(ctx, NULL, "visudo is not installed (package sudo)") < 0)
        return -1;
    return rhost_will_exist(ctx, "directory", directory) ? 0 : check_directory(ctx, directory);
}

/* Whether the rule that is there says all that is stated. */
static int
says_all(const rhost_value *should, const rhost_value *current)
{
    static const char *const stated[] = { "users", "hosts", "run_as", "run_as_groups", "tags", "commands" };

    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        const rhost_value *wanted = rhost_get(should, stated[i]), *is = rhost_get(current, stated[i]);

        if (wanted && !(is && wanted->host->equal(wanted, is)))
            return 0;
    }
    return 1;
}

static int
fail_other(rhost_ctx *ctx, const char *path)
{
    return rhost_fail(
        ctx,
        "'%s' has something else than one rule: it is not replaced. Give this rule another name, or "
        "remove the file",
        path);
}

/* The reason why the file cannot be read, from errno. */
static int
fail_unread(rhost_ctx *ctx, const char *path)
{
    if (errno == EFBIG)
        return rhost_fail(ctx, "cannot read '%s': it is larger than %d KiB", path, LARGEST >> 10);
    if (errno == EINVAL)
        return rhost_fail(ctx, "cannot read '%s': it is not a regular file", path);
    if (errno == EILSEQ)
        return rhost_fail(ctx, "cannot read '%s': it has a NUL", path);
    if (errno == ELOOP && !rhost_path_unsafe(ctx))
        return rhost_fail(ctx, "cannot read '%s': it is a symbolic link", path);
    return rhost_fail_path(ctx, "cannot read '%s'", path);
}

static int32_t
sudo_rule_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = path_of(ctx, name), *text;
    const char *directory = rhost_str_or(name, "directory", FOLDER);
    struct stat st;

    text = read_file(ctx, path, &st);
    if (!text && (errno == ENOENT || errno == ENOTDIR))
        return foresee(ctx, should, directory) < 0 || check_new(ctx, should) < 0
                   ? -1
                   : rhost_absent_at(ctx, should, path);
    if (!text && should && rhost_wants_absence(should) && errno != EACCES && !rhost_path_unsafe(ctx))
        return 0; /* whatever it is: removing it says more */
    if (!text)
        return fail_unread(ctx, path);
    if (rule_read(ctx, text, current) < 0 && should && !rhost_wants_absence(should))
        return fail_other(ctx, path);
    return says_all(should, current) ? 0 : foresee(ctx, should, directory);
}

/* What keeps sudo from heeding the file. */
static int32_t
sudo_rule_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *path = path_of(ctx, change->name);
    struct stat st;

    if (strcmp(attribute, "ensure") != 0 || !change->is || rhost_gone(change)
        || rhost_path_stat(ctx, path, 0, &st) < 0)
        return RHOST_DEFAULT_COMPARISON;
    if ((st.st_mode & 07777) != MODE)
        return rhost_differs(ctx, "'%s' has mode %04o, and sudo wants 0440", path,
                             (unsigned)st.st_mode & 07777);
    if (geteuid() == 0 && (st.st_uid != 0 || st.st_gid != 0))
        return rhost_differs(ctx, "'%s' does not belong to root", path);
    return RHOST_DEFAULT_COMPARISON;
}

static int32_t
sudo_rule_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char **files = NULL;
    ssize_t n = rhost_path_list(ctx, FOLDER, RHOST_PATH_FOLLOW, &files);

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", FOLDER);
    for (ssize_t i = 0; i < n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);
        const char *text;
        struct stat st;

        if (files[i][strspn(files[i], NAME_CHARS)])
            continue; /* sudo does not read it, or it is none of this type */
        text = read_file(ctx, rhost_fmt(ctx, "%s/%s", FOLDER, files[i]), &st);
        rhost_put_str(one, "title", files[i]);
        rhost_put_str(one, "name", files[i]);
        rhost_put_str(one, "directory", FOLDER);
        rhost_put_str(one, "ensure", "present");
        if (text && rule_read(ctx, text, one) == 0 && ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* The file as it is now, which the new one replaces; NULL with the reason given. */
static const char *
read_again(rhost_ctx *ctx, const char *path, struct rhost_file_seen *seen)
{
    struct stat st;
    const char *text = read_file(ctx, path, &st);

    if (!text) {
        (void)fail_unread(ctx, path);
        return NULL;
    }
    if (rule_read(ctx, text, ctx->host->new_hash(ctx)) < 0) {
        (void)fail_other(ctx, path);
        return NULL;
    }
    *seen = (struct rhost_file_seen){
        .struct_size = sizeof *seen,
        .exists = 1,
        .dev = (uint64_t)st.st_dev,
        .ino = (uint64_t)st.st_ino,
        .size = st.st_size,
        .mtime_sec = st.st_mtim.tv_sec,
        .mtime_nsec = st.st_mtim.tv_nsec,
        .ctime_sec = st.st_ctim.tv_sec,
        .ctime_nsec = st.st_ctim.tv_nsec,
    };
    return text;
}

static int32_t
sudo_rule_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    static const char *const validate[] = { "visudo", "-cf", "%", NULL };
    struct rhost_file_seen seen = { .struct_size = sizeof seen };
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = path_of(ctx, change->name),
        .mode = MODE,
        .uid = geteuid() == 0 ? 0 : -1,
        .gid = geteuid() == 0 ? 0 : -1,
        .flags = RHOST_FILE_ONLY_CHANGE,
        .validate = validate,
        .seen = &seen,
    };
    const char *before = NULL;
    int32_t result;

    if (check_directory(ctx, rhost_str_or(change->name, "directory", FOLDER)) < 0)
        return -1;
    if (!visudo_exists())
        return rhost_fail(
            ctx,
            "visudo is not installed (package sudo): a rule that is not checked could lock everybody out");
    if (change->is) {
        before = read_again(ctx, file.path, &seen);
        if (!before)
            return -1;
    }
    file.content = rule_write(ctx, change, before);
    file.content_len = strlen(file.content);
    result = rhost_replace_file(ctx, &file);
    if (result == RHOST_FILE_CHANGED && !change->is) {
        errno = EEXIST;
        return rhost_fail_errno(ctx, "cannot create '%s'", file.path);
    }
    if (result == RHOST_FILE_CHANGED)
        return rhost_fail(ctx, "'%s' was changed meanwhile by somebody else: it is not replaced", file.path);
    return result;
}

static int32_t
sudo_rule_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = path_of(ctx, change->name);

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = { "write[$directory/]", "read[" FOLDER "]", "run[visudo]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider sudo_rule_provider = {
    RHOST_PROVIDER("sudo_rule", "Keep rules of sudo."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = sudo_rule_canonicalize,
    .validate = sudo_rule_validate,
    .insync = sudo_rule_insync,
    .load = sudo_rule_load,
    .get = sudo_rule_get,
    .create = sudo_rule_write,
    .update = sudo_rule_write,
    .remove = sudo_rule_remove,
    .needs = needs,
};

RHOST_PLUGIN(sudo_rule, "1.0", &sudo_rule_provider)
