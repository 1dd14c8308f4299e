/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_module - keep modules of the kernel loaded, unloaded or blacklisted, now and at the next boot.
 *
 * The running kernel is asked through /sys/module and changed by modprobe(8). The boot is a line of a file in
 * modules-load.d; options and the blacklist are lines of a file in modprobe.d. */

#include "entry.h"
#include "order.h"
#include "running.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#define LOAD_FILE "/etc/modules-load.d/rhost.conf"
#define MODPROBE_FILE "/etc/modprobe.d/zz-rhost.conf" /* the last value of an option counts */
#define TYPE_NAME "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_-]*\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = TYPE_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the module, with '-' or '_'." },
    { .name = "state",
      .type = "Enum[loaded, unloaded, blacklisted]",
      .default_value = "\"loaded\"",
      .desc = "Whether it is loaded; blacklisted: it is not, and no device has it loaded." },
    { .name = "boot",
      .type = "Optional[Boolean]",
      .desc = "Whether it is loaded at each boot; without it: with state: loaded." },
    { .name = "options",
      .type = "Optional[Hash[Pattern[/\\A[A-Za-z0-9_.-]+\\z/], Variant[Boolean, Integer, "
              "Pattern[/\\A[^\"\\\\\\r\\n]*\\z/]]]]",
      .desc = "The options that modprobe_file gives it, which it gets when it is loaded the next time." },
    { .name = "apply",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether it is loaded or unloaded now; false: the files alone." },
    { .name = "load_file",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" LOAD_FILE "\"",
      .desc = "The file of modules-load.d(5) for what is loaded at boot." },
    { .name = "modprobe_file",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" MODPROBE_FILE "\"",
      .desc = "The file of modprobe.d(5) for options and the blacklist." },
};

static const char *const relations[] = {
    "autorequire file[$load_file]",
    "autorequire file[$modprobe_file]",
    "autorequire directory[$load_file/..]",
    "autorequire directory[$modprobe_file/..]",
    "edits content[$load_file] if $state",
    "edits content[$modprobe_file] if $state",
    NULL,
};

/* What there is of one module. */
struct found {
    int state;                   /* enum running_state; RUNNING_NOT where the kernel is not looked at */
    int listed, blacklisted;     /* by the files of the resource */
    const char *lister, *denier; /* another file that does the same */
    rhost_value *options;
    size_t n_options; /* statements */
};

static const char *
load_file_of(const rhost_value *should)
{
    return rhost_str_or(should, "load_file", LOAD_FILE);
}

static const char *
modprobe_file_of(const rhost_value *should)
{
    return rhost_str_or(should, "modprobe_file", MODPROBE_FILE);
}

/* In an image the kernel is that of another machine. */
static int
is_applied(const rhost_value *should)
{
    return rhost_bool(should, "apply", 1) && !rhost_in_chroot();
}

static int
is_wanted(const rhost_value *should, const char *state)
{
    return strcmp(rhost_str_or(should, "state", ""), state) == 0;
}

/* Values as files have them: text. */
static void
tidy_options(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *options = rhost_get(resource, "options");
    rhost_value *texts = ctx->host->new_hash(ctx);
    int differs = 0;
    const char *key;

    for (size_t i = 0; i < rhost_count(options); i++) {
        const rhost_value *value = rhost_at(options, i, &key);
        int32_t kind = value->host->kind(value);

        differs |= kind != RHOST_STRING;
        if (kind == RHOST_BOOLEAN)
            rhost_put_str(texts, key, value->host->boolean(value, 0) ? "1" : "0");
        else if (kind == RHOST_INTEGER)
            rhost_put_fmt(texts, key, "%lld", (long long)value->host->integer(value, 0));
        else
            rhost_put_copy(texts, key, value);
    }
    if (differs)
        rhost_put_copy(resource, "options", texts);
}

static int32_t
module_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");

    if (name && strchr(name, '-')) {
        char *tidy = rhost_strdup(ctx, name);

        entry_tidy_name(tidy);
        rhost_put_str(resource, "name", tidy);
    }
    if (rhost_has(resource, "state") && !rhost_has(resource, "boot"))
        rhost_put_bool(resource, "boot", is_wanted(resource, "loaded"));
    tidy_options(ctx, resource);
    rhost_tidy_path(ctx, resource, "load_file");
    rhost_tidy_path(ctx, resource, "modprobe_file");
    return 0;
}

static int32_t
module_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    return is_wanted(resource, "blacklisted") && rhost_bool(resource, "boot", 0)
               ? rhost_fail_attr(ctx, "boot", "what is blacklisted is not loaded at boot")
               : 0;
}

static int
look(rhost_ctx *ctx, const char *name, const rhost_value *should, struct found *f)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, load_file_of(should));

    *f = (struct found){ .options = ctx->host->new_hash(ctx) };
    if (!l)
        return -1;
    f->listed = entry_has(ctx, l, ENTRY_LOAD, name);
    l = rhost_lines_of(ctx, modprobe_file_of(should));
    if (!l)
        return -1;
    f->blacklisted = entry_has(ctx, l, ENTRY_BLACKLIST, name);
    f->n_options = entry_options(ctx, l, name, f->options);
    if (order_other(ctx, load_file_of(should), ENTRY_LOAD, name, &f->lister) < 0
        || order_other(ctx, modprobe_file_of(should), ENTRY_BLACKLIST, name, &f->denier) < 0)
        return -1;
    f->state = is_applied(should) ? running_state(ctx, name) : RUNNING_NOT;
    return f->state < 0 ? -1 : 0;
}

/* Where the kernel is not looked at, it is as desired. A blacklist is in the way of what loads it at boot,
 * and of `unloaded` only if it is in the file of the resource. */
static const char *
state_of(const rhost_value *should, const struct found *f)
{
    int is_loaded = f->state != RUNNING_NOT || (should && !is_applied(should) && is_wanted(should, "loaded"));

    if (f->state != RUNNING_NOT)
        return "loaded";
    if (f->blacklisted || (f->denier && !is_loaded && !is_wanted(should, "unloaded")))
        return "blacklisted";
    return is_loaded ? "loaded" : "unloaded";
}

static void
report(const rhost_value *should, const struct found *f, rhost_value *current)
{
    rhost_put_str(current, "state", state_of(should, f));
    rhost_put_bool(current, "boot", (f->listed || f->lister) && !f->blacklisted && !f->denier);
    if (f->n_options || rhost_has(should, "options"))
        rhost_put_copy(current, "options", f->options);
}

static int
refuse_built_in(rhost_ctx *ctx, const char *name)
{
    return rhost_fail_attr(ctx, "state", "'%s' is built into the kernel: it cannot be unloaded", name);
}

/* Under noop: modprobe has to know what is to be loaded, or what the run installs may bring it. */
static int
foresee(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct found *f)
{
    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (is_applied(should) && is_wanted(should, "loaded") && f->state == RUNNING_NOT) {
        int known = running_known(ctx, name);

        if (known < 0
            || (!known
                && rhost_fail_missing(ctx, "name", rhost_fmt(ctx, "modprobe finds no module '%s'", name))
                       < 0))
            return -1;
    }
    if (rhost_foresee_parent(ctx, load_file_of(should)) < 0)
        return -1;
    return rhost_foresee_parent(ctx, modprobe_file_of(should));
}

static int32_t
module_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *which = rhost_str(name, "name");
    struct found f;

    if (look(ctx, which, should, &f) < 0)
        return -1;
    if (f.state == RUNNING_BUILT_IN && should && !is_wanted(should, "loaded"))
        return refuse_built_in(ctx, which);
    if (foresee(ctx, which, should, &f) < 0)
        return -1;
    report(should, &f, current);
    return 0;
}

static int32_t
module_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *path, *key;
    struct found f;

    if (strcmp(attribute, "boot") == 0 && rhost_bool(change->should, "boot", 0)
        && !rhost_bool(change->is, "boot", 0)) {
        if (look(ctx, rhost_str(change->name, "name"), change->should, &f) < 0)
            return -1;
        if ((f.listed || f.lister) && (f.blacklisted || f.denier))
            return rhost_differs(ctx, "'%s' blacklists it, so that it is not loaded at boot",
                                 f.blacklisted ? modprobe_file_of(change->should) : f.denier);
    }
    if (strcmp(attribute, "options") == 0) {
        if (order_overridden(ctx, modprobe_file_of(change->should), rhost_str(change->name, "name"),
                             rhost_get(change->should, "options"), &path, &key)
            < 0)
            return -1;
        if (path)
            return rhost_differs(ctx, "'%s' comes later and gives '%s' another value", path, key);
    }
    return RHOST_DEFAULT_COMPARISON;
}

struct collecting {
    const char **names;
    size_t n, room;
};

static int
collect(rhost_ctx *ctx, const char *name, void *data)
{
    struct collecting *all = data;

    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return 0;
    if (all->n == all->room) {
        const char **more = rhost_alloc(ctx, (all->room = 2 * all->room + 64) * sizeof *more);

        if (all->n)
            memcpy(more, all->names, all->n * sizeof *more);
        all->names = more;
    }
    all->names[all->n++] = rhost_strdup(ctx, name);
    return 0;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What is loaded, and what is blacklisted. */
static int32_t
module_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct collecting all = { 0 };
    const char **loaded;
    ssize_t n = rhost_in_chroot() ? 0 : running_list(ctx, &loaded);

    (void)names;
    if (n < 0)
        return -1;
    for (ssize_t i = 0; i < n; i++)
        (void)collect(ctx, loaded[i], &all);
    if (order_each(ctx, ENTRY_BLACKLIST, collect, &all) < 0)
        return -1;
    if (all.n)
        qsort(all.names, all.n, sizeof *all.names, by_text);
    for (size_t i = 0; i < all.n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);
        struct found f;

        if (i && strcmp(all.names[i], all.names[i - 1]) == 0)
            continue;
        if (look(ctx, all.names[i], NULL, &f) < 0)
            return -1;
        if (f.state == RUNNING_BUILT_IN)
            continue;
        rhost_put_str(one, "name", all.names[i]);
        report(NULL, &f, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* --- Writing. ------------------------------------------------------------------------------- */

/* What one file is to say about the module. */
struct edit {
    const char *name;
    int load, blacklist;        /* -1: as it is */
    const rhost_value *options; /* NULL: as they are */
};

static void
say(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const struct edit *e, int wanted)
{
    if (wanted > 0 && !entry_has(ctx, l, kind, e->name))
        entry_put(ctx, l, kind, e->name, NULL);
    else if (!wanted)
        entry_remove(ctx, l, kind, e->name);
}

static void
edit_modprobe(rhost_ctx *ctx, struct rhost_lines *l, const struct edit *e)
{
    rhost_value *now = ctx->host->new_hash(ctx);

    say(ctx, l, ENTRY_BLACKLIST, e, e->blacklist);
    if (!e->options)
        return;
    if (rhost_count(e->options) == 0)
        entry_remove(ctx, l, ENTRY_OPTIONS, e->name);
    else if (entry_options(ctx, l, e->name, now) == 0 || !ctx->host->equal(now, e->options))
        entry_put(ctx, l, ENTRY_OPTIONS, e->name, e->options);
}

/* Reads the file, edits and writes it; again when something else has changed it meanwhile. */
static int32_t
write_file(rhost_ctx *ctx, const char *path, const struct edit *e, int for_load)
{
    const struct rhost_new_file like = {
        .struct_size = sizeof like, .path = path, .mode = -1, .uid = -1, .gid = -1, .flags = RHOST_FILE_FOLLOW
    };

    for (int attempt = 0; attempt < RHOST_LINES_TRIES; attempt++) {
        struct rhost_lines *l = rhost_lines_of(ctx, path);
        int32_t saved;

        if (!l)
            return -1;
        if (for_load)
            say(ctx, l, ENTRY_LOAD, e, e->load);
        else
            edit_modprobe(ctx, l, e);
        saved = l->edited || l->failed ? rhost_lines_save(ctx, l, &like) : 0;
        if (saved != RHOST_FILE_CHANGED)
            return saved;
    }
    return rhost_lines_fail_changed(ctx, path);
}

/* Another file would have the next boot do something else. */
static int32_t
check_others(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct found *f)
{
    const char *path, *key;
    int boot = rhost_bool(should, "boot", 0);

    if (f->denier && boot)
        return rhost_fail_attr(ctx, "boot",
                               "'%s' blacklists it: remove that line, or manage it with 'modprobe_file: %s'",
                               f->denier, f->denier);
    if (f->lister && !boot && !f->denier && !is_wanted(should, "blacklisted"))
        return rhost_fail_attr(ctx, "boot",
                               "'%s' has it loaded: remove that line, or manage it with 'load_file: %s'",
                               f->lister, f->lister);
    if (order_overridden(ctx, modprobe_file_of(should), name, rhost_get(should, "options"), &path, &key) < 0)
        return -1;
    return path ? rhost_fail_attr(
               ctx, "options",
               "'%s' comes later and gives '%s' another value: remove that, or manage it with "
               "'modprobe_file: %s'",
               path, key, path)
                : 0;
}

/* The running kernel first: what it refuses does not get into the files. */
static int32_t
module_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const rhost_value *should = change->should;
    int load = is_wanted(should, "loaded"), boot = rhost_bool(should, "boot", 0);
    struct edit e = { .name = name };
    struct found f;

    if (look(ctx, name, should, &f) < 0 || check_others(ctx, name, should, &f) < 0)
        return -1;
    if (rhost_has(should, "options"))
        e.options = rhost_get(should, "options");
    if (load && is_applied(should) && f.state == RUNNING_NOT && running_load(ctx, name, e.options) < 0)
        return -1;
    if (!load && f.state == RUNNING_BUILT_IN)
        return refuse_built_in(ctx, name);
    if (!load && f.state == RUNNING_LOADED && running_unload(ctx, name) < 0)
        return -1;
    if (load && e.options && f.state == RUNNING_LOADED && !ctx->host->equal(f.options, e.options))
        rhost_notice(ctx, "'%s' is loaded already: it gets its options when it is loaded the next time",
                     name);
    e.load = boot && (f.listed || !f.lister);
    if (is_wanted(should, "blacklisted"))
        e.blacklist = f.blacklisted || !f.denier;
    else if (load && !boot && is_applied(should)) /* what loads it by its name goes past a blacklist */
        e.blacklist = -1;
    return write_file(ctx, modprobe_file_of(should), &e, 0) < 0
               ? -1
               : write_file(ctx, load_file_of(should), &e, 1);
}

static const char *const needs[] = { "root if $apply",
                                     "write[$load_file]",
                                     "write[$modprobe_file]",
                                     "read[/etc/modules]",
                                     "read[/etc/modules-load.d]",
                                     "read[/run/modules-load.d]",
                                     "read[/etc/modprobe.d]",
                                     "read[/run/modprobe.d]",
                                     "read[/sys/module] if $apply",
                                     "run[modprobe] if $apply",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider kernel_module_provider = {
    RHOST_PROVIDER("kernel_module", "Keep modules of the kernel, now and for the next boot."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .needs = needs,
    .canonicalize = module_canonicalize,
    .validate = module_validate,
    .insync = module_insync,
    .load = module_load,
    .get = module_get,
    .update = module_update,
};

RHOST_PLUGIN(kernel_module, "1.0", &kernel_module_provider)
