/* SPDX-License-Identifier: Apache-2.0 */
/* systemd_unit - keep unit files of systemd, and drop-ins of them, with the content that they should have.
 *
 * What is to be written is looked at by systemd-analyze first, in a folder apart; systemd reads its files
 * anew once for a whole batch. Starting and enabling is for the type `service`. */

#include "check.h"
#include "foresee.h"
#include "settings.h"
#include "verify.h"

#include "../service-systemd/bus.h"
#include "../service-systemd/systemctl.h"

#include <rhost/file.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

#define FOLDER "/etc/systemd/system"
#define SETTING "Variant[Boolean, Integer, Pattern[/\\A[^\\n]*\\z/]]"

enum { LARGEST = 1024 * 1024 }; /* of a unit file; systemd's own limit */

static const struct rhost_attr attrs[] = {
    { .name = "unit",
      .type = NAMES_TYPE,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The unit, with its type: foo.service, foo@.service, foo.timer." },
    { .name = "dropin",
      .type = "Pattern[/\\A([^\\/.\\s][^\\/\\s]*)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The name of a drop-in of the unit; empty: the unit file itself is meant." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file should be there." },
    { .name = "content", .type = "Optional[String]", .desc = "Its text." },
    { .name = "settings",
      .type = "Optional[Hash[Pattern[/\\A[^\\[\\]\\n]+\\z/], Hash[Pattern[/\\A[A-Za-z0-9-]+\\z/], "
              "Variant[" SETTING ", Array[" SETTING "]]]]]",
      .desc = "Its sections and what is set in each, instead of content; an array for a setting "
              "that occurs several times." },
    { .name = "verify",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether systemd-analyze has to find no fault with it before it is put in place." },
    { .name = "directory",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" FOLDER "\"",
      .desc = "The directory of unit files." },
};

static const char *const title_patterns[] = {
    "^(?<unit>[^\\/]+)\\.d\\/(?<dropin>[^\\/]+)$",
    "^(?<unit>[^\\/]+)(?<dropin>)$",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$directory]",
    "autorequire directory[$directory/..]",
    "autonotify service[$unit]",
    "owns path[$directory/$unit] unless $dropin",
    "owns path[$directory/$unit.d/$dropin] if $dropin",
    "owns content[$directory/$unit] if $content unless $dropin",
    "owns content[$directory/$unit] if $settings unless $dropin",
    NULL,
};

static int32_t
unit_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *unit = rhost_str(resource, "unit"), *dropin = rhost_str(resource, "dropin"), *why;
    char full[NAMES_MAX];

    rhost_tidy_path(ctx, resource, "directory");
    settings_tidy(ctx, resource, "settings");
    if (dropin && *dropin && (strlen(dropin) < 6 || strcmp(dropin + strlen(dropin) - 5, ".conf") != 0))
        rhost_put_fmt(resource, "dropin", "%s.conf", dropin);
    if (!unit)
        return 0;
    why = names_complete(unit, full);
    if (why)
        return rhost_fail_attr(ctx, "unit", "'%s' is not a valid name of a unit: %s", unit, why);
    if (strcmp(full, unit) != 0)
        rhost_put_str(resource, "unit", full);
    return 0;
}

static int32_t
unit_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *content = rhost_str(resource, "content");

    if (content && rhost_has(resource, "settings"))
        return rhost_fail_attr(ctx, "settings", "it has 'content' as well: one of them is enough");
    return rhost_bool(resource, "verify", 1) ? check_unit(ctx, resource) : 0;
}

static const char *
dropin_of(const rhost_value *name)
{
    const char *dropin = rhost_str(name, "dropin");

    return dropin && *dropin ? dropin : NULL;
}

static void
path_of(const rhost_value *name, const rhost_value *should, char path[PATH_MAX])
{
    const char *dropin = dropin_of(name);

    snprintf(path, PATH_MAX, "%s/%s%s%s", rhost_str_or(should, "directory", FOLDER), rhost_str(name, "unit"),
             dropin ? ".d/" : "", dropin ? dropin : "");
}

/* The text of a file, in memory of the call; NULL with errno. */
static char *
read_text(rhost_ctx *ctx, const char *path)
{
    size_t n;
    char *text = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &n, NULL);

    if (text && strlen(text) < n) {
        errno = EILSEQ;
        return NULL;
    }
    return text;
}

static int32_t
unit_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    char path[PATH_MAX], target[PATH_MAX], *text;

    path_of(name, should, path);
    if (rhost_path_readlink(ctx, path, target, sizeof target) > 0) {
        if (strcmp(target, "/dev/null") == 0)
            return rhost_fail(ctx,
                              "'%s' is masked, by a link to /dev/null: a service with 'mask: false' "
                              "unmasks it",
                              path);
        return rhost_fail(ctx, "'%s' is a link to '%s', which rhost does not replace", path, target);
    }
    text = read_text(ctx, path);
    if (!text && (errno == ENOENT || errno == ENOTDIR))
        return foresee_unit(ctx, name, should, NULL) < 0 ? -1 : RHOST_ABSENT;
    if (!text)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    if (rhost_has(should, "settings"))
        settings_parse(ctx, text, current, "settings");
    else if (rhost_is_utf8(text, strlen(text))) /* else it is unknown, and gives way to what is wanted */
        rhost_put_str(current, "content", text);
    return foresee_unit(ctx, name, should, current);
}

/* --- A list of all that are in /etc/systemd/system. ------------------------------------------- */

static int
emit(rhost_ctx *ctx, const char *unit, const char *dropin)
{
    rhost_value *resource = ctx->host->new_hash(ctx);
    char path[PATH_MAX], *text;
    struct stat st;
    int is_file;

    snprintf(path, sizeof path, "%s/%s%s%s", FOLDER, unit, dropin ? ".d/" : "", dropin ? dropin : "");
    is_file = rhost_path_stat(ctx, path, 0, &st) == 0 && S_ISREG(st.st_mode); /* it may be gone meanwhile */
    if (!is_file)
        return 0;
    text = read_text(ctx, path);
    if (!text && errno != EILSEQ && errno != EFBIG)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    rhost_put_str(resource, "unit", unit);
    rhost_put_str(resource, "dropin", dropin ? dropin : "");
    rhost_put_fmt(resource, "title", "%s%s%s", unit, dropin ? ".d/" : "", dropin ? dropin : "");
    rhost_put_str(resource, "ensure", "present");
    if (text && rhost_is_utf8(text, strlen(text))) /* else there is no saying what it is */
        rhost_put_str(resource, "content", text);
    return ctx->host->emit(ctx, resource);
}

static int
emit_dropins(rhost_ctx *ctx, const char *unit)
{
    const char *path = rhost_fmt(ctx, "%s/%s.d", FOLDER, unit), **list;
    ssize_t n = rhost_path_list(ctx, path, RHOST_PATH_FOLLOW, &list);

    if (n < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    for (ssize_t i = 0; i < n; i++) {
        size_t len = strlen(list[i]);

        if (list[i][0] != '.' && len > 5 && !strpbrk(list[i], " \t\r\n")
            && strcmp(list[i] + len - 5, ".conf") == 0 && emit(ctx, unit, list[i]) < 0)
            return -1;
    }
    return 0;
}

/* Whether systemd would load a file of this name. */
static int
is_unit(const char *name)
{
    char full[NAMES_MAX];

    return names_type(name) && !names_complete(name, full);
}

static int32_t
unit_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char **list;
    ssize_t n = rhost_path_list(ctx, FOLDER, RHOST_PATH_FOLLOW, &list);
    int r = 0;

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", FOLDER);
    for (ssize_t i = 0; i < n && r == 0; i++) {
        const char *name = list[i];
        size_t len = strlen(name);

        if (is_unit(name)) {
            r = emit(ctx, name, NULL);
        } else if (len > 2 && strcmp(name + len - 2, ".d") == 0) {
            name = rhost_copy(ctx, name, len - 2);
            r = is_unit(name) ? emit_dropins(ctx, name) : 0;
        }
    }
    return r;
}

/* --- Writing. --------------------------------------------------------------------------------- */

struct item {
    const struct rhost_change *change;
    const char *unit, *dropin, *text; /* text NULL: it goes */
    char path[PATH_MAX];
    int failed;
};

static void
item_fail(rhost_ctx *ctx, struct item *it, const char *why)
{
    if (!it->failed)
        (void)ctx->host->did(ctx, RHOST_FAILING, &it->change->title, 1, NULL, NULL, why);
    it->failed = 1;
}

static void
prepare(rhost_ctx *ctx, struct item *it)
{
    const struct rhost_change *change = it->change;

    it->unit = rhost_str(change->name, "unit");
    it->dropin = dropin_of(change->name);
    path_of(change->name, change->should, it->path);
    if (rhost_gone(change))
        return;
    if (rhost_has(change->should, "settings"))
        it->text = settings_text(ctx, rhost_get(change->should, "settings"));
    else
        it->text = rhost_str_of(change, "content");
    if (!it->text)
        item_fail(ctx, it, "it has neither 'content' nor 'settings' to be made of");
}

/* All of them are put beside each other first: one may refer to another. */
static int
verify_all(rhost_ctx *ctx, struct item *items, size_t n)
{
    struct verify v;
    size_t any = 0;

    for (size_t i = 0; i < n; i++)
        any += items[i].text && rhost_bool(items[i].change->should, "verify", 1);
    if (!any)
        return 0;
    if (verify_open(ctx, &v) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *why = items[i].text && !items[i].failed
                              ? verify_put(ctx, &v, items[i].unit, items[i].dropin, items[i].text)
                              : NULL;

        if (why)
            item_fail(ctx, &items[i], why);
    }
    for (size_t i = 0; i < n; i++) {
        struct item *it = &items[i];
        const char *why;

        if (it->failed || !it->text || !rhost_bool(it->change->should, "verify", 1))
            continue;
        why = verify_run(ctx, &v, it->unit, it->dropin, it->text);
        if (why)
            item_fail(ctx, it,
                      rhost_fmt(ctx,
                                "it is left as it was, as systemd finds fault with it ('verify: false' "
                                "writes it all the same):\n%s",
                                why));
    }
    verify_close(&v);
    return 0;
}

static int
put(rhost_ctx *ctx, const struct item *it)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = it->path,
        .content = it->text,
        .content_len = strlen(it->text),
        .mode = 0644,
        .uid = -1,
        .gid = -1,
    };
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", it->path);
    *strrchr(folder, '/') = '\0';
    if (it->dropin && rhost_path_make_directory(ctx, folder, 0755) < 0)
        return rhost_fail_path(ctx, "cannot create the directory '%s'", folder);
    return rhost_replace_file(ctx, &file);
}

/* Whether systemd reads units from there. */
static int
is_read(const struct item *it)
{
    static const char *const folders[] = { "/etc/systemd/system/", "/run/systemd/system/",
                                           "/usr/local/lib/systemd/system/", "/usr/lib/systemd/system/",
                                           "/lib/systemd/system/" };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(it->path, folders[i], strlen(folders[i])) == 0)
            return 1;
    return 0;
}

static int
is_systemds(const struct item *it)
{
    return is_read(it) && !bus_why_not();
}

/* Before the file of an enabled unit goes, so that no link stays behind that points nowhere. */
static int
disable(rhost_ctx *ctx, sd_bus *bus, const struct item *it)
{
    const char *names[] = { it->unit, NULL };
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int r = bus_files(bus, "DisableUnitFiles", names, 0, -1, &error);

    if (r < 0)
        (void)rhost_fail(ctx, "cannot disable %s: %s", it->unit, bus_reason(ctx, &error, r));
    sd_bus_error_free(&error);
    return r < 0 ? -1 : 0;
}

static int
take_away(rhost_ctx *ctx, sd_bus *bus, const struct item *it)
{
    char folder[PATH_MAX];

    if (bus && !it->dropin && disable(ctx, bus, it) < 0)
        return -1;
    if (!bus && !it->dropin && is_read(it) && systemctl_has_image()) {
        const char *const units[] = { it->unit, NULL };
        const char *why = systemctl_change(ctx, NULL, "disable", units);

        if (why)
            return rhost_fail(ctx, "cannot disable %s: %s", it->unit, why);
    }
    if (rhost_path_unlink(ctx, it->path, 0) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove '%s'", it->path);
    rhost_touched(ctx, it->path);
    snprintf(folder, sizeof folder, "%s", it->path);
    *strrchr(folder, '/') = '\0';
    if (it->dropin && rhost_path_unlink(ctx, folder, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY
        && errno != EEXIST && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove the empty directory '%s'", folder);
    return 0;
}

static int32_t
unit_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct item *items = rhost_alloc(ctx, n * sizeof *items);
    size_t left = 0, systemds = 0;
    sd_bus *bus = NULL;

    for (size_t i = 0; i < n; i++) {
        items[i].change = changes[i];
        prepare(ctx, &items[i]);
    }
    if (verify_all(ctx, items, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        left += !items[i].failed;
        systemds += !items[i].failed && is_systemds(&items[i]);
    }
    if (systemds && !(bus = bus_open(ctx)))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct item *it = &items[i];
        int32_t doing = !it->text ? RHOST_DELETING : changes[i]->is ? RHOST_UPDATING : RHOST_CREATING;
        uint64_t scope;

        if (it->failed)
            continue;
        scope = rhost_begin(ctx, doing, changes[i]->title);
        (void)(it->text ? put(ctx, it) : take_away(ctx, is_systemds(it) ? bus : NULL, it));
        if (--left == 0 && bus)
            (void)bus_reload(ctx, bus); /* if it fails, the last one says so */
        rhost_end(ctx, scope);
    }
    bus_close(bus);
    return 0;
}

static const char *const needs[] = { "write[$directory]",
                                     "write[/tmp]",
                                     "read[/usr/lib/systemd]",
                                     "run[systemctl]",
                                     "run[systemd-analyze]",
                                     "dbus[org.freedesktop.systemd1]",
                                     "socket[/run/systemd/private]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider unit_provider = {
    RHOST_PROVIDER("systemd_unit", "Keep unit files of systemd, and drop-ins of them."),
    RHOST_ATTRS(attrs),
    .title_patterns = title_patterns,
    .relations = relations,
    .needs = needs,
    .canonicalize = unit_canonicalize,
    .load = unit_load,
    .validate = unit_validate,
    .get = unit_get,
    .set = unit_set,
};

RHOST_PLUGIN(systemd_unit, "1.0", &unit_provider)
