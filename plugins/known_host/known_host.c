/* SPDX-License-Identifier: Apache-2.0 */
/* known_host - keep the public keys by which ssh recognizes a host, for all users or for one.
 *
 * A host has a line for each key. Lines of others stay, and so do the other names in a line. The hosts of a
 * file that change in one batch are one reading and one rewrite of it. */

#include "declared.h"
#include "record.h"

#include "../ssh_authorized_key/place.h"

#include <rhost/dry-run.h>

#include <pwd.h>
#include <stdlib.h>

#define FOR_ALL "/etc/ssh/ssh_known_hosts"
#define FILE_NAME "known_hosts"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A(\\|1\\|[A-Za-z0-9+\\/=]+\\|[A-Za-z0-9+\\/=]+|[^\\s,#@|\"][^\\s,|\"]*)\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The host as ssh looks for it: a name, an address, [NAME]:PORT, or a pattern." },
    { .name = "marker",
      .type = "Pattern[/\\A(cert-authority|revoked)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "cert-authority: the keys sign those of hosts; revoked: they are never accepted." },
    { .name = "user",
      .type = "Pattern[/\\A[^\\s:\\/]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "Whose known_hosts it is; empty: that of all users." },
    { .name = "target",
      .type = "Pattern[/\\A(\\/.*)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "Another file; empty for the usual one." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the host is known." },
    { .name = "keys",
      .type = "Optional[Array[String[1], 1]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "All keys of the host, each as \"TYPE KEY\", or as ssh-keyscan prints it." },
    { .name = "hash",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether new lines hide the name of the host." },
};

static const char *const title_patterns[] = {
    "\\A(?<user>[^\\s:\\/\\[|@]+): @(?<marker>[a-z-]+) (?<name>\\S+)\\z",
    "\\A@(?<marker>[a-z-]+) (?<name>\\S+)\\z",
    "\\A(?<user>[^\\s:\\/\\[|@]+): (?<name>\\S+)\\z",
    "\\A(?<name>\\S+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire user[$user]",
    "autorequire file[$target]",
    "autorequire directory[$target/..]",
    "edits content[$target]",
    NULL,
};

static int32_t
known_host_open(rhost_ctx *ctx)
{
    *ctx->host->state(ctx) = NULL;
    return 0;
}

/* The lines that were read last. */
static void
known_host_close(rhost_ctx *ctx)
{
    rhost_lines_free(*ctx->host->state(ctx));
    *ctx->host->state(ctx) = NULL;
}

/* The lines of the place, which are kept until others are asked for. */
static struct rhost_lines *
lines_of(rhost_ctx *ctx, struct place *p)
{
    void **lines = ctx->host->state(ctx);

    rhost_lines_free(*lines);
    *lines = place_read(ctx, p);
    return *lines;
}

/* Where the host is known, as place_find(). The file of all users is root's. */
static int
find(rhost_ctx *ctx, const rhost_value *name, struct place *p)
{
    const char *user = rhost_str_or(name, "user", ""), *target = rhost_str_or(name, "target", "");

    return *user ? place_find(ctx, user, FILE_NAME, target, p)
                 : place_find(ctx, "root", FILE_NAME, *target ? target : FOR_ALL, p);
}

static int32_t
known_host_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *user = rhost_str_or(name, "user", "");
    rhost_value *found = ctx->host->new_hash(ctx), *keys = found->host->put_array(found, "keys");
    struct rhost_lines *l;
    struct place p;
    int rc = find(ctx, name, &p);

    if (rc > 0 && rhost_looks_ahead(ctx, should) && rhost_foresee_account(ctx, "user", 0, user) < 0)
        return -1;
    if (rc)
        return rc < 0 ? -1 : RHOST_ABSENT; /* a user that this run creates */
    l = lines_of(ctx, &p);
    place_close(&p);
    if (!l)
        return -1;
    if (record_keys(ctx, l, rhost_str_or(name, "marker", ""), rhost_str(name, "name"), keys) == 0)
        return l->exists || p.own ? RHOST_ABSENT : rhost_absent_at(ctx, should, p.path);
    if (rhost_count(keys))
        rhost_put_copy(current, "keys", keys);
    return 0;
}

/* A key that several lines have is as good as one. */
struct host_name {
    const char *marker, *name;
};

static int
by_name(const void *a, const void *b)
{
    const struct host_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->marker, y->marker);
}

/* As the type has it: a user who writes anything else must not fail the list of all. */
static int
may_be_listed(const char *name, size_t len, const char *marker)
{
    if (!len || strlen(name) != len || !rhost_is_utf8(name, len) || strchr("#@\"", *name)
        || strpbrk(name, " \t\r\n\"\v\f") || (*name != '|' && strchr(name, '|')))
        return 0;
    if (*name == '|') {
        const char *second =
            strchr(name + 1, '|') == name + 2 && name[1] == '1' ? strchr(name + 3, '|') : NULL;
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

        if (!second || second == name + 3 || !second[1]
            || strspn(name + 3, letters) != (size_t)(second - name) - 3
            || strspn(second + 1, letters) != strlen(second + 1))
            return 0;
    }
    return strcmp(marker, "") == 0 || strcmp(marker, "cert-authority") == 0 || strcmp(marker, "revoked") == 0;
}

/* Each name of each line, in small letters. ssh takes no heed of "[NAME]:22": it looks for NAME. */
static size_t
collect(rhost_ctx *ctx, const struct rhost_lines *l, struct host_name **names)
{
    size_t n = 0, room = 0;
    struct record r;

    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->at[i].len; k++)
            room += l->at[i].text[k] == ',';
    *names = rhost_alloc(ctx, (room + l->n + 1) * sizeof **names);
    for (size_t i = 0; i < l->n; i++) {
        if (!record_parse(l->at[i].text, l->at[i].len, &r) || !key_is_whole(&r.k))
            continue;
        for (const char *at = r.hosts.at, *end = at + r.hosts.len; at < end; at++) {
            const char *comma = memchr(at, ',', (size_t)(end - at));
            size_t len = (size_t)((comma ? comma : end) - at);
            rhost_value *one = ctx->host->new_hash(ctx);
            const char *marker = rhost_copy(ctx, r.marker.at, r.marker.len);

            if (may_be_listed(rhost_copy(ctx, at, len), len, marker)) {
                rhost_put_bytes(one, "name", at, len);
                if (declared_canonicalize(ctx, one) == 0 && strlen(rhost_str(one, "name")) == len)
                    (*names)[n++] = (struct host_name){ marker, rhost_str(one, "name") };
            }
            at += len;
        }
    }
    if (n)
        qsort(*names, n, sizeof **names, by_name);
    return n;
}

static int
list_file(rhost_ctx *ctx, const char *user, const struct rhost_lines *l)
{
    struct host_name *names;
    size_t n = collect(ctx, l, &names);

    for (size_t i = 0; i < n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        if (i && by_name(&names[i], &names[i - 1]) == 0)
            continue;
        rhost_put_str(one, "name", names[i].name);
        rhost_put_str(one, "marker", names[i].marker);
        rhost_put_str(one, "user", user);
        rhost_put_str(one, "target", "");
        if (!strpbrk(user, " \t:/[|@") && strlen(user) + strlen(names[i].name) < RHOST_MESSAGE_MAX - 40)
            rhost_put_fmt(one, "title", "%s%s%s%s%s%s", user, *user ? ": " : "", *names[i].marker ? "@" : "",
                          names[i].marker, *names[i].marker ? " " : "", names[i].name);
        (void)record_keys(ctx, l, names[i].marker, names[i].name, one->host->put_array(one, "keys"));
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

static int
list_place(rhost_ctx *ctx, const char *user, struct place *p)
{
    int no_memory = 0;
    struct rhost_lines *l;

    p->no_memory = &no_memory;
    p->warn = 1; /* one user must not keep the hosts of all others from being seen */
    l = lines_of(ctx, p);
    place_close(p);
    return l ? list_file(ctx, user, l) : no_memory ? -1 : 0;
}

static int32_t
known_host_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct passwd *pw;
    int32_t result = 0;
    struct place p;
    struct stat st;

    (void)names;
    if (place_find(ctx, "root", FILE_NAME, FOR_ALL, &p) == 0)
        result = list_place(ctx, "", &p);
    setpwent();
    while (result == 0 && (pw = getpwent())) {
        const char *user = rhost_strdup(ctx, pw->pw_name);
        const char *path = rhost_fmt(ctx, "%s/.ssh/" FILE_NAME, pw->pw_dir);

        if (*pw->pw_dir != '/'
            || (rhost_path_stat(ctx, path, 0, &st) < 0 && (errno == ENOENT || errno == ENOTDIR)))
            continue; /* most have none */
        if (place_find(ctx, user, FILE_NAME, "", &p) == 0)
            result = list_place(ctx, user, &p);
    }
    endpwent();
    return result;
}

/* What rhost_lines_set_kept() has to keep: one file at a time. */
struct keeping {
    const struct rhost_change *const *changes;
    struct place place;
};

static int
same_place(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    const struct keeping *keeping = data;
    const rhost_value *a = keeping->changes[i]->name, *b = keeping->changes[k]->name;

    (void)ctx;
    return strcmp(rhost_str_or(a, "user", ""), rhost_str_or(b, "user", "")) == 0
           && strcmp(rhost_str_or(a, "target", ""), rhost_str_or(b, "target", "")) == 0;
}

static struct rhost_lines *
read_lines(rhost_ctx *ctx, void *data, size_t i)
{
    struct keeping *keeping = data;
    const rhost_value *name = keeping->changes[i]->name;
    int rc;

    place_close(&keeping->place);
    rc = find(ctx, name, &keeping->place);
    if (rc > 0)
        rhost_fail_attr(ctx, "user", "unknown user '%s'", rhost_str_or(name, "user", ""));
    return rc == 0 ? lines_of(ctx, &keeping->place) : NULL;
}

static int32_t
write_lines(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l)
{
    (void)i;
    return place_write(ctx, &((struct keeping *)data)->place, l);
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const rhost_value *keys = rhost_gone(change) ? NULL : rhost_value_of(change, "keys");

    if (!rhost_gone(change) && !rhost_count(keys))
        return "a host that is not known yet needs 'keys'";
    return record_edit(ctx, l, rhost_str_or(change->name, "marker", ""), rhost_str(change->name, "name"),
                       keys, rhost_bool(change->should, "hash", 0));
}

static int32_t
known_host_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct keeping keeping = { .changes = changes, .place = { .dir = -1 } };
    const struct rhost_lines_keeper keeper = {
        .struct_size = sizeof keeper,
        .data = &keeping,
        .same = same_place,
        .read = read_lines,
        .edit = edit,
        .write = write_lines,
    };
    int32_t result = rhost_lines_set_kept(ctx, changes, n, &keeper);

    place_close(&keeping.place);
    return result;
}

static const char *const needs[] = { "user[$user] unless $target",
                                     "write[$target]",
                                     "write[~$user/.ssh] unless $target",
                                     "write[" FOR_ALL "] unless $user",
                                     "read[~*/.ssh/" FILE_NAME "]",
                                     "capability[setgid setuid]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider known_host_provider = {
    RHOST_PROVIDER("known_host", "Keep the public keys by which ssh recognizes a host."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .needs = needs,
    .open = known_host_open,
    .close = known_host_close,
    .canonicalize = declared_canonicalize,
    .load = known_host_load,
    .get = known_host_get,
    .set = known_host_set,
};

RHOST_PLUGIN(known_host, "1.0", &known_host_provider)
