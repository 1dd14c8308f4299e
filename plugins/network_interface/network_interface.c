/* SPDX-License-Identifier: Apache-2.0 */
/* network_interface - keep the configuration of network interfaces, in files of systemd-networkd.
 *
 * What the file says is checked as a whole before it is written. Where networkd runs, it then reads its
 * files, and the resource is done when the addresses and routes are on the interface. */

#include "apply.h"
#include "canonical.h"
#include "config.h"
#include "order.h"
#include "running.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <limits.h>

#define FOLDER "/etc/systemd/network"
#define TEXTS "Optional[Variant[String[1], Array[String[1]]]]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_@:-][A-Za-z0-9_.@:-]{0,199}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The interface, and the name of its file, NAME.network." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file should be there." },
    { .name = "match",
      .type = "Optional[Pattern[/\\A[^\\n\\r\"'\\\\\\\\]*\\z/]]",
      .desc = "The names of the interfaces that it is for, with blanks between them; without it: the name." },
    { .name = "dhcp",
      .type = "Optional[Variant[Boolean, Enum[no, yes, ipv4, ipv6]]]",
      .desc = "Whether the interface gets addresses by DHCP." },
    { .name = "addresses",
      .type = TEXTS,
      .behaviour = RHOST_UNORDERED,
      .desc = "Its IPv4 and IPv6 addresses, each with the length of its prefix." },
    { .name = "gateway",
      .type = TEXTS,
      .behaviour = RHOST_UNORDERED,
      .desc = "The default gateway, or one for IPv4 and one for IPv6." },
    { .name = "dns", .type = TEXTS, .desc = "The addresses of DNS servers." },
    { .name = "domains",
      .type = TEXTS,
      .desc = "Domains in which names are searched; with '~': domains whose names these servers know." },
    { .name = "routes",
      .type = "Optional[Array[Struct[{Optional[destination] => String[1], Optional[gateway] => String[1], "
              "Optional[metric] => Integer[0, 4294967295], Optional[onlink] => Boolean}]]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Further routes: destination, gateway, metric, onlink." },
    { .name = "mtu",
      .type = "Optional[Variant[Integer[68, 65536], Enum[auto]]]",
      .desc = "The largest packet in bytes; auto: what the system sets." },
    { .name = "apply",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether networkd is to apply it now; false: the file alone." },
    { .name = "directory",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" FOLDER "\"",
      .desc = "The directory of the file." },
};

static const char *const relations[] = {
    "autorequire directory[$directory]",
    "autorequire directory[$directory/..]",
    "autorequire file[$directory/$name.network]",
    "autobefore service[systemd-networkd]",
    "edits content[$directory/$name.network] if $match",
    NULL,
};

static int32_t
interface_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    int failed = 0;

    for (size_t i = 0; canonical_keys[i]; i++) {
        const char *path, *why = canonical_attribute(ctx, resource, canonical_keys[i], &path);

        if (why)
            failed = rhost_fail_attr(ctx, path, "%s", why);
    }
    if (rhost_has(resource, "name") && !rhost_has(resource, "match") && !rhost_wants_absence(resource))
        rhost_put_str(resource, "match", rhost_str(resource, "name"));
    rhost_tidy_path(ctx, resource, "directory");
    return failed;
}

static int32_t
interface_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    return canonical_check(ctx, resource, resource);
}

static const char *
path_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    return rhost_fmt(ctx, "%s/%s.network", rhost_str_or(should, "directory", FOLDER),
                     rhost_str(name, "name"));
}

/* A link is another's: to /dev/null it masks a file of the system. */
static int
check_link(rhost_ctx *ctx, const char *path)
{
    char target[PATH_MAX];

    if (rhost_path_readlink(ctx, path, target, sizeof target) <= 0)
        return 0;
    if (strcmp(target, "/dev/null") == 0)
        return rhost_fail(ctx, "'%s' is masked, by a link to /dev/null: remove that first", path);
    return rhost_fail(ctx, "'%s' is a link to '%s', which rhost does not replace", path, target);
}

/* What the file will say: what is wanted over what it says now. */
static const rhost_value *
merged(rhost_ctx *ctx, const rhost_value *current, const rhost_value *should)
{
    rhost_value *all = ctx->host->new_hash(ctx);

    for (size_t i = 0; canonical_keys[i]; i++) {
        const char *key = canonical_keys[i];
        const rhost_value *v = rhost_has(should, key) ? rhost_get(should, key) : rhost_get(current, key);

        if (v)
            rhost_put_copy(all, key, v);
    }
    return all;
}

static int32_t
interface_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = path_of(ctx, name, should), *drop_in, *key;
    const struct rhost_lines *l;

    if (check_link(ctx, path) < 0)
        return -1;
    l = rhost_lines_of(ctx, path);
    if (!l)
        return -1;
    if (!l->exists)
        return rhost_absent_at(ctx, should, path);
    config_read(ctx, l, current);
    if (!should || rhost_wants_absence(should))
        return 0;
    if (order_drop_in(ctx, path, should, &drop_in, &key) < 0)
        return -1;
    if (drop_in)
        rhost_warning(ctx, "'%s' sets '%s' as well: what it says counts", drop_in, key);
    return canonical_check(ctx, merged(ctx, current, should), should);
}

/* Whether two lists have the same elements; what is no list is for the host to compare. */
static int
is_same(const rhost_value *is, const rhost_value *should)
{
    size_t n = rhost_count(should), k;

    if (!is || n != rhost_count(is))
        return 0;
    for (size_t i = 0; i < n; i++) {
        for (k = 0; k < n && !is->host->equal(rhost_at(should, i, NULL), rhost_at(is, k, NULL)); k++)
            continue;
        if (k == n)
            return 0;
    }
    return 1;
}

/* What the file says may not be what the interface has: somebody has changed that, or networkd has another
 * file. */
static int32_t
interface_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *path = path_of(ctx, change->name, change->should), *what;
    const rhost_value *config = merged(ctx, change->is, change->should);
    int which = strcmp(attribute, "match") == 0       ? RUNNING_FRESHNESS
                : strcmp(attribute, "addresses") == 0 ? RUNNING_ADDRESSES
                : strcmp(attribute, "gateway") == 0   ? RUNNING_GATEWAY
                : strcmp(attribute, "routes") == 0    ? RUNNING_ROUTES
                                                      : 0;

    if (which == RUNNING_FRESHNESS) {
        if (order_first(ctx, path, rhost_str_or(config, "match", ""), &what) < 0)
            return -1;
        if (what)
            return rhost_differs(ctx, "systemd-networkd takes '%s' for it, whose name comes first", what);
    }
    if (!which || !rhost_bool(change->should, "apply", 1) || rhost_in_chroot()
        || (which != RUNNING_FRESHNESS
            && (!rhost_count(rhost_get(change->should, attribute))
                || !is_same(rhost_get(change->is, attribute), rhost_get(change->should, attribute)))))
        return RHOST_DEFAULT_COMPARISON;
    if (apply_lacks(ctx, path, config, which, &what) < 0)
        return -1;
    return what ? rhost_differs(ctx, "%s", what) : RHOST_DEFAULT_COMPARISON;
}

/* All files of the directory, as they are. */
static int32_t
interface_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char **list;
    ssize_t n = rhost_path_list(ctx, FOLDER, RHOST_PATH_FOLLOW, &list);

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '" FOLDER "'");
    for (ssize_t i = 0; i < n; i++) {
        const char *path = rhost_fmt(ctx, FOLDER "/%s", list[i]);
        size_t len = strlen(list[i]);
        const struct rhost_lines *l;
        rhost_value *one;
        struct stat st;

        if (len < 9 || len > 208 || strcmp(list[i] + len - 8, ".network") != 0 || list[i][0] == '.'
            || strspn(list[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@:-") != len
            || (rhost_path_stat(ctx, path, 0, &st) == 0 && !S_ISREG(st.st_mode)))
            continue;
        l = rhost_lines_of(ctx, path);
        if (!l)
            return -1;
        if (!l->exists)
            continue;
        one = ctx->host->new_hash(ctx);
        rhost_put_bytes(one, "name", list[i], len - 8);
        rhost_put_str(one, "ensure", "present");
        config_read(ctx, l, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* --- Writing. ------------------------------------------------------------------------------------ */

/* Another file must not take the interface, and none may say otherwise in an attribute that changes. */
static int
check_others(rhost_ctx *ctx, const struct rhost_change *change, const char *path, const rhost_value *config)
{
    rhost_value *differs = ctx->host->new_hash(ctx);
    const char *other, *key;

    if (order_first(ctx, path, rhost_str_or(config, "match", ""), &other) < 0)
        return -1;
    if (other)
        return rhost_fail_attr(
            ctx, "match",
            "systemd-networkd takes '%s' for it, whose name comes first: remove that file, or "
            "choose a name that sorts before it and give 'match'",
            other);
    for (size_t i = 0; canonical_keys[i]; i++) {
        const rhost_value *wanted = rhost_get(change->should, canonical_keys[i]);
        const rhost_value *is = change->is ? rhost_get(change->is, canonical_keys[i]) : NULL;

        if (rhost_has(change->should, canonical_keys[i]) && (!is || !ctx->host->equal(wanted, is)))
            rhost_put_copy(differs, canonical_keys[i], wanted);
    }
    if (order_drop_in(ctx, path, differs, &other, &key) < 0)
        return -1;
    return other ? rhost_fail(ctx, "'%s' sets '%s' as well, and would count: remove that line first", other,
                              key)
                 : 0;
}

/* Edits the file, and keeps what it was. 1: it was written; 0: it says all that is wanted. */
static int
write_file(rhost_ctx *ctx, const struct rhost_change *change, struct apply *a)
{
    const struct rhost_new_file like = {
        .struct_size = sizeof like, .path = a->path, .mode = change->is ? -1 : 0644, .uid = -1, .gid = -1
    };

    for (int attempt = 0; attempt < RHOST_LINES_TRIES; attempt++) {
        struct rhost_lines *l = rhost_lines_of(ctx, a->path);
        rhost_value *config = ctx->host->new_hash(ctx);
        int32_t saved;

        if (!l)
            return -1;
        a->old = l->exists ? rhost_copy(ctx, l->text, l->text_len) : NULL;
        a->old_len = l->text_len;
        config_write(ctx, l, change->should);
        if (!l->edited && !l->failed)
            return 0;
        config_read(ctx, l, config);
        if (!l->failed && !config_has_match(ctx, l))
            return rhost_fail_attr(ctx, "match",
                                   "a file that matches no interface has no effect: '*' is each one");
        if (!l->failed && canonical_check(ctx, config, change->should) < 0)
            return -1;
        saved = rhost_lines_save(ctx, l, &like);
        if (saved != RHOST_FILE_CHANGED)
            return saved < 0 ? -1 : 1;
    }
    return rhost_lines_fail_changed(ctx, a->path);
}

static int32_t
interface_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct apply a = { .path = path_of(ctx, change->name, change->should),
                       .config = merged(ctx, change->is, change->should) };
    int written;

    if (check_link(ctx, a.path) < 0 || check_others(ctx, change, a.path, a.config) < 0
        || apply_open(ctx, change->should, &a) < 0)
        return -1;
    written = write_file(ctx, change, &a);
    return written < 0 ? -1 : apply_file(ctx, &a, written);
}

static int32_t
interface_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct apply a = { .path = path_of(ctx, change->name, change->should) };
    const struct rhost_lines *l;

    if (check_link(ctx, a.path) < 0 || apply_open(ctx, change->should, &a) < 0)
        return -1;
    l = rhost_lines_of(ctx, a.path);
    if (!l)
        return -1;
    a.old = rhost_copy(ctx, l->text, l->text_len);
    a.old_len = l->text_len;
    a.old_stat = l->stat;
    if (rhost_path_unlink(ctx, a.path, 0) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove '%s'", a.path);
    rhost_touched(ctx, a.path);
    return apply_removal(ctx, &a);
}

static const char *const needs[] = { "root if $apply",
                                     "write[$directory]",
                                     "read[/etc/systemd/network]",
                                     "read[/run/systemd/network]",
                                     "read[/sys/class/net] if $apply",
                                     "read[/run/systemd/netif] if $apply",
                                     "run[systemctl] if $apply",
                                     "run[networkctl] if $apply",
                                     "run[ip] if $apply",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider network_interface_provider = {
    RHOST_PROVIDER("network_interface", "Keep the configuration of network interfaces, of systemd-networkd."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .canonicalize = interface_canonicalize,
    .validate = interface_validate,
    .insync = interface_insync,
    .load = interface_load,
    .get = interface_get,
    .create = interface_write,
    .update = interface_write,
    .remove = interface_remove,
};

RHOST_PLUGIN(network_interface, "1.0", &network_interface_provider)
