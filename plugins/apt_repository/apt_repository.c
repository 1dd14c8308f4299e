/* SPDX-License-Identifier: Apache-2.0 */
/* apt_repository - keep the repositories that apt knows, in the deb822 format, and the keys they are signed
 * with. apt itself is not run: types that use it read its lists again (RHOST_FORGETS_WORLD). */

#include "key.h"
#include "others.h"
#include "stanza.h"

#include <rhost/posix.h>

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_ROOT "/etc/apt"
#define WORDS "Variant[Array[Pattern[/\\A\\S+\\z/]], String]"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The name of its file, without .sources." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether apt should know it; absent removes its file, and its key." },
    { .name = "enabled", .type = "Boolean", .initial = "true", .desc = "Whether apt uses it." },
    { .name = "types", .type = "Variant[Array[Enum[deb, deb-src], 1], Enum[deb, deb-src]]",
      .behaviour = RHOST_UNORDERED, .initial = "[\"deb\"]",
      .desc = "What it is used for: deb, packages; deb-src, sources." },
    { .name = "uris", .type = WORDS, .desc = "Where it is." },
    { .name = "suites", .type = WORDS,
      .desc = "Its releases, or a path that ends with '/' where it has none." },
    { .name = "components", .type = WORDS, .behaviour = RHOST_UNORDERED, .initial = "[]",
      .desc = "The parts of it that are used; none with a path." },
    { .name = "architectures", .type = WORDS, .behaviour = RHOST_UNORDERED, .initial = "[]",
      .desc = "The architectures that are used; none: those of this machine." },
    { .name = "signed_by", .type = "Optional[String]",
      .desc = "A file of keys, fingerprints, or the armored key; with `key`, where that is stored." },
    { .name = "key", .type = "Optional[String]",
      .desc = "The key, stored in a file: armored text, or the path of a file to copy." },
    { .name = "fields",
      .type = "Optional[Hash[Pattern[/\\A[A-Za-z][A-Za-z0-9-]*\\z/], Variant[String, Boolean, Integer]]]",
      .desc = "Other fields by name; \"\" takes one out. Those that are not named stay." },
    { .name = "root", .type = RHOST_TYPE_PATH, .behaviour = RHOST_PARAMETER,
      .default_value = "\"" DEFAULT_ROOT "\"", .desc = "The folder of apt's configuration." },
};

static const char *const relations[] = {
    "autorequire file[$key]",
    "autorequire file[$signed_by]",
    "autorequire directory[$root]",
    "autorequire directory[$root/..]",
    NULL,
};

/* Lists of words: the attribute, and the field that has it. */
static const struct list {
    const char *attribute, *field;
} lists[] = {
    { "types", "Types" },           { "uris", "URIs" },
    { "suites", "Suites" },         { "components", "Components" },
    { "architectures", "Architectures" },
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static const char *
field_of(const char *attribute)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(lists[i].attribute, attribute) == 0)
            return lists[i].field;
    return NULL;
}

/* Whether a field has an attribute of its own. */
static const char *
attribute_of(const char *field)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcasecmp(lists[i].field, field) == 0)
            return lists[i].attribute;
    return strcasecmp(field, "Enabled") == 0     ? "enabled"
           : strcasecmp(field, "Signed-By") == 0 ? "signed_by"
                                                 : NULL;
}

static const char *
copy_of(rhost_ctx *ctx, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = rhost_alloc(ctx, size);

    memcpy(copy, text, size);
    return copy;
}

/* The words of a text, as an array. */
static void
put_words(rhost_ctx *ctx, rhost_value *into, const char *attribute, const char *text)
{
    rhost_value *array = into->host->put_array(into, attribute);

    while (*(text += strspn(text, " \t\r\n"))) {
        size_t n = strcspn(text, " \t\r\n");
        char *word = rhost_alloc(ctx, n + 1);

        memcpy(word, text, n);
        rhost_put_str(array, NULL, word);
        text += n;
    }
}

/* The value of a field with a list: its words with a blank between them. */
static const char *
joined(rhost_ctx *ctx, const rhost_value *array)
{
    size_t size = 1, len = 0;
    char *text;

    for (size_t i = 0; i < rhost_count(array); i++)
        size += strlen(rhost_str_at(array, i)) + 1;
    text = rhost_alloc(ctx, size);
    for (size_t i = 0; i < rhost_count(array); i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", rhost_str_at(array, i));
    return text;
}

static int
is_armored(const char *text)
{
    return strstr(text, "-----BEGIN PGP") != NULL;
}

/* Without what is around it: newlines, and blanks where it is no key. */
static const char *
tidy_signed_by(rhost_ctx *ctx, const char *text)
{
    size_t n;
    char *tidy;

    text += strspn(text, " \t\r\n");
    n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    tidy = rhost_alloc(ctx, n + 1);
    memcpy(tidy, text, n);
    if (!is_armored(tidy)) /* several files or fingerprints */
        for (char *c = tidy; *c; c++)
            if (*c == '\n' || *c == '\t')
                *c = ' ';
    return tidy;
}

static int
is_uri(const char *text)
{
    size_t scheme = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+.-");

    return scheme && text[scheme] == ':' && text[scheme + 1];
}

/* What is wrong with what is said of where it is, and *attribute; NULL: nothing. */
static const char *
complaint(rhost_ctx *ctx, const rhost_value *resource, const char **attribute)
{
    const rhost_value *uris = rhost_get(resource, "uris"), *suites = rhost_get(resource, "suites");
    const rhost_value *components = rhost_get(resource, "components");
    size_t paths = 0, size;
    const char *word;
    char *text;

    *attribute = "uris";
    for (size_t i = 0; i < rhost_count(uris); i++) {
        word = rhost_str_at(uris, i);
        if (is_uri(word))
            continue;
        size = strlen(word) + 100;
        text = rhost_alloc(ctx, size);
        snprintf(text, size, "'%s' is no URI, as https://deb.example.org/debian%s", word,
                 *word == '/' ? " or file:/srv/debian" : "");
        return text;
    }
    if (uris && !rhost_count(uris))
        return "there is none";
    *attribute = "suites";
    if (suites && !rhost_count(suites))
        return "there is none";
    for (size_t i = 0; i < rhost_count(suites); i++) {
        word = rhost_str_at(suites, i);
        paths += word[strlen(word) - 1] == '/';
    }
    if (paths && paths != rhost_count(suites))
        return "some are paths, which end with '/', and some are none: they need different repositories";
    *attribute = "components";
    if (paths && rhost_count(components))
        return "there are none where the suite is a path, which ends with '/'";
    if (suites && components && !paths && !rhost_count(components))
        return "the suite needs some, as main; a suite without any is a path, which ends with '/'";
    return NULL;
}

/* Values of other fields as text. */
static int
tidy_fields(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *fields = rhost_get(resource, "fields"), *v;
    size_t n = rhost_count(fields);
    const char **names = rhost_alloc(ctx, (n + 1) * sizeof *names), **texts;
    rhost_value *hash;
    char number[32];

    texts = rhost_alloc(ctx, (n + 1) * sizeof *texts);
    if (!fields || fields->host->kind(fields) != RHOST_HASH)
        return 0;
    for (size_t i = 0; i < n; i++) {
        v = rhost_at(fields, i, &names[i]);
        if (attribute_of(names[i]))
            return rhost_fail_attr(ctx, "fields", "'%s' has an attribute of its own, '%s'", names[i],
                                   attribute_of(names[i]));
        texts[i] = v->host->string(v, NULL);
        if (!texts[i] && v->host->kind(v) == RHOST_BOOLEAN) {
            texts[i] = v->host->boolean(v, 0) ? "yes" : "no";
        } else if (!texts[i]) {
            snprintf(number, sizeof number, "%lld", (long long)v->host->integer(v, 0));
            texts[i] = copy_of(ctx, number);
        }
    }
    for (size_t i = 0; i < n; i++) { /* the hash will be another one */
        names[i] = copy_of(ctx, names[i]);
        texts[i] = copy_of(ctx, texts[i]);
    }
    hash = resource->host->put_hash(resource, "fields");
    for (size_t i = 0; i < n; i++)
        rhost_put_str(hash, names[i], texts[i]);
    return 0;
}

/* What can be said of a key before its file is read. */
static int
check_key(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *signed_by = rhost_str(resource, "signed_by"), *key, *suffix, *why;
    size_t len;

    key = rhost_bytes(resource, "key", &len);
    if (!key || !len || *key == '/')
        why = NULL; /* none is stored, or it is the path of a file */
    else
        why = key_complaint(key, len, &suffix);
    if (why)
        return rhost_fail_attr(ctx, "key", "%s", why);
    if (signed_by && is_armored(signed_by)
        && (why = key_complaint(signed_by, strlen(signed_by), &suffix)))
        return rhost_fail_attr(ctx, "signed_by", "%s", why);
    if (key && len && signed_by && (*signed_by != '/' || strpbrk(signed_by, " \n")))
        return rhost_fail_attr(ctx, "signed_by", "with 'key' it is the file in which that is stored");
    return 0;
}

static int32_t
apt_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *signed_by = rhost_str(resource, "signed_by"), *name = rhost_str(resource, "name"), *why;
    const char *attribute;
    size_t len = name ? strlen(name) : 0;

    for (size_t n = len; n > 8 && strcmp(name + n - 8, ".sources") == 0; n = strlen(name)) {
        rhost_put_bytes(resource, "name", name, n - 8);
        name = rhost_str(resource, "name");
    }
    for (size_t i = 0; i < LISTS; i++) {
        const char *text = rhost_str(resource, lists[i].attribute);

        if (text)
            put_words(ctx, resource, lists[i].attribute, copy_of(ctx, text));
    }
    if (signed_by && strcmp(signed_by, tidy_signed_by(ctx, signed_by)) != 0)
        rhost_put_str(resource, "signed_by", tidy_signed_by(ctx, signed_by));
    rhost_tidy_path(ctx, resource, "root");
    if (tidy_fields(ctx, resource) < 0 || check_key(ctx, resource) < 0)
        return -1;
    why = complaint(ctx, resource, &attribute);
    return why ? rhost_fail_attr(ctx, attribute, "%s", why) : 0;
}

static const char *
path_of(rhost_ctx *ctx, const char *root, const char *folder, const char *name, const char *suffix)
{
    size_t size = strlen(root) + strlen(folder) + strlen(name) + strlen(suffix) + 4;
    char *path = rhost_alloc(ctx, size);

    snprintf(path, size, "%s/%s/%s%s", strcmp(root, "/") == 0 ? "" : root, folder, name, suffix);
    return path;
}

static const char *
sources_of(rhost_ctx *ctx, const char *root, const char *name)
{
    return path_of(ctx, root, "sources.list.d", name, ".sources");
}

static int
is_yes(const char *text)
{
    static const char *const words[] = { "no", "false", "without", "off", "disable", "0" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return 0;
    return 1;
}

/* The lists that make no sense are left out: unknown, so that they are a difference. */
static void
report(rhost_ctx *ctx, const struct rhost_lines *l, rhost_value *into)
{
    rhost_value *sound = ctx->host->new_hash(ctx), *fields;
    struct stanza_field field;
    const char *attribute;

    for (size_t i = 0; i < LISTS; i++)
        put_words(ctx, sound, lists[i].attribute,
                  stanza_find(ctx, l, lists[i].field, &field) ? field.value : "");
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(lists[i].attribute, "architectures") == 0
            || (rhost_count(rhost_get(sound, "types")) && !complaint(ctx, sound, &attribute)))
            rhost_put_copy(into, lists[i].attribute, rhost_get(sound, lists[i].attribute));
    rhost_put_bool(into, "enabled", !stanza_find(ctx, l, "Enabled", &field) || is_yes(field.value));
    rhost_put_str(into, "signed_by",
                  stanza_find(ctx, l, "Signed-By", &field) ? tidy_signed_by(ctx, field.value) : "");
    fields = into->host->put_hash(into, "fields");
    for (size_t i = 0; stanza_next(ctx, l, i, &field); i = field.line + field.n_lines)
        if (!attribute_of(field.name) && rhost_is_utf8(field.value, strlen(field.value)))
            rhost_put_str(fields, field.name, field.value);
}

static int
is_all_text(const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!rhost_is_utf8(l->at[i].text, l->at[i].len))
            return 0;
    return 1;
}

/* Why this file can't be kept by a resource; NULL: it can. */
static const char *
trouble(rhost_ctx *ctx, const struct rhost_lines *l)
{
    size_t at, size = strlen(l->path) + 160;
    int n = stanza_count(l, &at);
    char *text = rhost_alloc(ctx, size);

    if (n < 0)
        snprintf(text, size, "line %zu of '%s' is not of the deb822 format", at + 1, l->path);
    else if (n > 1)
        snprintf(text, size,
                 "'%s' has %d stanzas, and a resource has one: give each a file of its own", l->path, n);
    else if (!is_all_text(l))
        snprintf(text, size, "'%s' is not written in UTF-8", l->path);
    else
        return NULL;
    return text;
}

/* Where the key is stored that a resource gives. */
static const char *
key_path(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct key *key)
{
    const char *signed_by = rhost_str(should, "signed_by");

    return signed_by && *signed_by == '/'
               ? signed_by
               : path_of(ctx, rhost_str_or(should, "root", DEFAULT_ROOT), "keyrings", name, key->suffix);
}

/* How the key differs from what is wanted, in words; NULL: it does not. */
static const char *
key_differs(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct rhost_lines *l)
{
    struct stanza_field field;
    struct key key;
    const char *path, *why;
    size_t size;
    char *text;

    why = key_of(ctx, rhost_get(should, "key"), &key);
    if (why)
        return why;
    path = key_path(ctx, name, should, &key);
    why = key_difference(ctx, path, &key);
    if (why || (stanza_find(ctx, l, "Signed-By", &field) && strcmp(field.value, path) == 0))
        return why;
    size = strlen(path) + 40;
    text = rhost_alloc(ctx, size);
    snprintf(text, size, "it is not signed by '%s'", path);
    return text;
}

static int
gives_key(const rhost_value *should)
{
    size_t len = 0;

    return rhost_bytes(should, "key", &len) && len;
}

static int32_t
apt_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *title = rhost_str(name, "name"), *why;
    int gone = strcmp(rhost_str_or(should, "ensure", ""), "absent") == 0;
    const struct rhost_lines *l = rhost_lines_of(
        ctx, sources_of(ctx, rhost_str_or(should, "root", DEFAULT_ROOT), title));

    if (!l)
        return -1;
    if (!l->exists)
        return RHOST_ABSENT;
    why = trouble(ctx, l);
    if (why && should && !gone)
        return rhost_fail(ctx, "%s", why);
    if (!why)
        report(ctx, l, current);
    if (!why && !gone && gives_key(should)) {
        if (key_differs(ctx, title, should, l))
            rhost_put_str(current, "key", "");
        else
            rhost_put_copy(current, "key", rhost_get(should, "key"));
    }
    return 0;
}

/* Fields that are not named don't count. */
static int32_t
insync_fields(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *fields = rhost_get(change->should, "fields"), *is = rhost_get(change->is, "fields");

    for (size_t i = 0; i < rhost_count(fields); i++) {
        const char *name, *wanted, *value = "";

        (void)rhost_at(fields, i, &name);
        wanted = rhost_str_at(fields, i);
        for (size_t k = 0; k < rhost_count(is); k++) {
            const char *key;

            (void)rhost_at(is, k, &key);
            if (strcasecmp(key, name) == 0)
                value = rhost_str_at(is, k);
        }
        if (strcmp(value, wanted) != 0)
            return rhost_differs(ctx, "%s is '%s' instead of '%s'", name, value, wanted);
    }
    return 0;
}

static int32_t
apt_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *name = rhost_str(change->name, "name"), *why;
    const struct rhost_lines *l;

    if (strcmp(attribute, "fields") == 0)
        return insync_fields(ctx, change);
    if (strcmp(attribute, "key") == 0 && !gives_key(change->should))
        return 0;
    if (strcmp(attribute, "key") != 0 || !change->is)
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, sources_of(ctx, rhost_str_or(change->should, "root", DEFAULT_ROOT), name));
    if (!l)
        return -1;
    why = key_differs(ctx, name, change->should, l);
    return why ? rhost_differs(ctx, "%s", why) : 0;
}

static int
emit(rhost_ctx *ctx, const char *name)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, sources_of(ctx, DEFAULT_ROOT, name));
    const char *why = l ? trouble(ctx, l) : NULL;
    rhost_value *resource = ctx->host->new_hash(ctx);

    if (!l)
        return -1;
    if (why || !l->exists)
        return why ? rhost_info(ctx, "leaving '%s' out: %s", name, why), 0 : 0;
    rhost_put_str(resource, "name", name);
    report(ctx, l, resource);
    return ctx->host->emit(ctx, resource);
}

/* All files that one resource could have made. */
static int32_t
apt_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct dirent **files;
    int n = scandir(DEFAULT_ROOT "/sources.list.d", &files, NULL, alphasort), failed = 0;

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0
                               : rhost_fail_errno(ctx, "cannot read '" DEFAULT_ROOT "/sources.list.d'");
    for (int i = 0; i < n; i++) {
        char *name = files[i]->d_name;
        size_t len = strlen(name);
        size_t ours = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "abcdefghijklmnopqrstuvwxyz_.-");

        if (!failed && len > 8 && ours == len && !strchr(".-", *name)
            && strcmp(name + len - 8, ".sources") == 0) {
            name[len - 8] = '\0';
            failed = emit(ctx, name) < 0;
        }
        free(files[i]);
    }
    free(files);
    return failed ? -1 : 0;
}

/* Removes the keys that were stored for this name, but for `kept`, and those that others use. */
static int
remove_keys(rhost_ctx *ctx, const char *root, const char *name, const char *kept)
{
    static const char *const suffixes[] = { ".asc", ".gpg" };
    const char *sources = sources_of(ctx, root, name);

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *path = path_of(ctx, root, "keyrings", name, suffixes[i]);

        if (access(path, F_OK) < 0 || (kept && strstr(kept, path)))
            continue;
        if (others_mention(ctx, root, sources, path)) {
            rhost_info(ctx, "keeping '%s', which another repository uses", path);
            continue;
        }
        if (unlink(path) < 0 && errno != ENOENT)
            return rhost_fail_errno(ctx, "cannot remove '%s'", path);
        rhost_touched(ctx, path);
    }
    return 0;
}

/* Writes a field where its attribute is wanted, and what is there is not the same. */
static void
bring_list(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change,
           const struct list *list)
{
    const rhost_value *wanted = rhost_get(change->should, list->attribute);
    const rhost_value *is = rhost_get(change->is, list->attribute);

    if (!rhost_has(change->should, list->attribute) || (is && is->host->equal(is, wanted)))
        return;
    stanza_put(ctx, l, field_of(list->attribute), rhost_count(wanted) ? joined(ctx, wanted) : NULL);
}

static void
bring_signed_by(rhost_ctx *ctx, struct rhost_lines *l, const char *wanted)
{
    struct stanza_field field;
    size_t size = strlen(wanted) + 2;
    char *value = rhost_alloc(ctx, size);

    if (stanza_find(ctx, l, "Signed-By", &field) && strcmp(tidy_signed_by(ctx, field.value), wanted) == 0)
        return;
    snprintf(value, size, "%s%s", is_armored(wanted) ? "\n" : "", wanted);
    stanza_put(ctx, l, "Signed-By", *wanted ? value : NULL);
}

static void
bring_fields(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const rhost_value *fields = rhost_get(change->should, "fields");
    struct stanza_field field;

    for (size_t i = 0; i < rhost_count(fields); i++) {
        const char *name, *wanted = rhost_str_at(fields, i);

        (void)rhost_at(fields, i, &name);
        if (strcmp(stanza_find(ctx, l, name, &field) ? field.value : "", wanted) != 0)
            stanza_put(ctx, l, name, *wanted ? wanted : NULL);
    }
}

/* What has to be there for apt to take it, once it is made. */
static int
is_complete(rhost_ctx *ctx, const struct rhost_change *change)
{
    rhost_value *all = ctx->host->new_hash(ctx);
    const char *attribute, *why;

    for (size_t i = 0; i < LISTS; i++)
        rhost_put_copy(all, lists[i].attribute, rhost_value_of(change, lists[i].attribute));
    if (!rhost_get(all, "components"))
        put_words(ctx, all, "components", "");
    why = complaint(ctx, all, &attribute);
    return why ? rhost_fail_attr(ctx, attribute, "%s", why) : 0;
}

/* The key first: a repository without its key is one that apt refuses. */
static int
bring_key(rhost_ctx *ctx, const char *name, const rhost_value *should, const char **path)
{
    struct key key;
    const char *why = key_of(ctx, rhost_get(should, "key"), &key);
    size_t len;

    if (why)
        return rhost_fail_attr(ctx, "key", "%s", why);
    *path = key_path(ctx, name, should, &key);
    len = strlen(*path);
    if (len < 5 || strcmp(*path + len - 4, key.suffix) != 0)
        return rhost_fail_attr(ctx, "signed_by",
                               "apt reads this key only from a file that ends with '%s', which '%s' "
                               "does not", key.suffix, *path);
    return key_difference(ctx, *path, &key) ? key_store(ctx, *path, &key) : 0;
}

static int32_t
apt_bring(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const char *root = rhost_str_or(change->should, "root", DEFAULT_ROOT);
    const char *signed_by = rhost_str(change->should, "signed_by");
    const struct rhost_new_file like = {
        .struct_size = sizeof like, .mode = change->is ? -1 : 0644, .uid = -1, .gid = -1,
        .flags = RHOST_FILE_FOLLOW,
    };
    struct stanza_field field;
    struct rhost_lines *l;

    if (is_complete(ctx, change) < 0
        || (gives_key(change->should) && bring_key(ctx, name, change->should, &signed_by) < 0))
        return -1;
    l = rhost_lines_of(ctx, sources_of(ctx, root, name));
    if (!l)
        return -1;
    others_warn(ctx, root, rhost_value_of(change, "types"), rhost_value_of(change, "uris"),
                rhost_value_of(change, "suites"));
    if (rhost_has(change->should, "enabled")
        && rhost_bool(change->should, "enabled", 1)
               != (!stanza_find(ctx, l, "Enabled", &field) || is_yes(field.value)))
        stanza_put(ctx, l, "Enabled", rhost_bool(change->should, "enabled", 1) ? "yes" : "no");
    for (size_t i = 0; i < LISTS; i++)
        bring_list(ctx, l, change, &lists[i]);
    if (!stanza_find(ctx, l, "Types", &field))
        stanza_put(ctx, l, "Types", "deb");
    if (signed_by)
        bring_signed_by(ctx, l, signed_by);
    bring_fields(ctx, l, change);
    if (l->edited && rhost_lines_save(ctx, l, &like) < 0)
        return -1;
    return signed_by ? remove_keys(ctx, root, name, signed_by) : 0;
}

static int32_t
apt_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const char *root = rhost_str_or(change->should, "root", rhost_str_or(change->is, "root", DEFAULT_ROOT));
    const char *path = sources_of(ctx, root, name);

    if (unlink(path) < 0 && errno != ENOENT)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return remove_keys(ctx, root, name, NULL);
}

static const struct rhost_provider apt_provider = {
    RHOST_PROVIDER("apt_repository", "Keep the repositories that apt knows, and their keys."),
    RHOST_ATTRS(attrs),
    .features     = RHOST_FORGETS_WORLD,
    .relations    = relations,
    .open         = rhost_lines_open,
    .close        = rhost_lines_close,
    .canonicalize = apt_canonicalize,
    .insync       = apt_insync,
    .load         = apt_load,
    .get          = apt_get,
    .create       = apt_bring,
    .update       = apt_bring,
    .remove       = apt_remove,
};

RHOST_PLUGIN(apt_repository, "1.0", &apt_provider)
