/* SPDX-License-Identifier: Apache-2.0 */
/* ini_setting - keep single settings of files with sections.
 *
 * Comments, order, blanks and the way others write their settings stay; all settings of a file in one
 * batch are one reading and one writing of it. */

#include "ini.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <ctype.h>

#define NAME "Pattern[/\\A[^\\s\\[#;][^\\r\\n]*\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "section",
      .type = "Pattern[/\\A[^\\r\\n]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The section; empty for what stands before the first." },
    { .name = "setting", .type = NAME, .behaviour = RHOST_NAMEVAR, .desc = "The name of the setting." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the setting should be there." },
    { .name = "value",
      .type = "Optional[Variant[String, Integer, Float, Boolean]]",
      .desc = "What it is set to; without it, the name alone is enough." },
    { .name = "separator",
      .type = "Pattern[/\\A([ \\t]*[=:][ \\t]*|[ \\t]+)\\z/]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\" = \"",
      .desc = "What stands between name and value: = or : or blanks, as new settings get it." },
    { .name = "quote",
      .type = "Optional[Enum['\"', \"'\"]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The quotes that the value is written in." },
    { .name = "indent",
      .type = "Optional[Pattern[/\\A[ \\t]*\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What a new setting begins with; otherwise as the others of its section." },
    { .name = "inline_comments",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a blank and # or ; behind a value begin a comment, which stays." },
    { .name = "remove_empty_section",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a section goes with its last setting." },
    { .name = "create",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a file that is missing is made." },
    RHOST_VALIDATE_ATTR,
};

/* "/etc/php.ini [PHP] memory_limit" says it all; any other title is only a title. */
static const char *const title_patterns[] = {
    "\\A(?:(?<path>\\/.*?) *\\[(?<section>[^\\]]*)\\] *(?<setting>\\S.*)\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path]",
    NULL,
};

/* A number or a Boolean as it is written. */
static void
tidy_value(rhost_value *resource)
{
    const rhost_value *v = rhost_get(resource, "value");
    char text[40];

    switch (v ? v->host->kind(v) : RHOST_UNDEF) {
    case RHOST_BOOLEAN:
        rhost_put_str(resource, "value", v->host->boolean(v, 0) ? "true" : "false");
        break;
    case RHOST_INTEGER:
        rhost_put_fmt(resource, "value", "%lld", (long long)v->host->integer(v, 0));
        break;
    case RHOST_FLOAT:
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, v->host->real(v, 0));
            if (strtod(text, NULL) == v->host->real(v, 0))
                break;
        }
        rhost_put_str(resource, "value", text);
        break;
    default:
        break;
    }
}

/* What would be read back as something else. */
static int
check_value(rhost_ctx *ctx, const rhost_value *resource, const struct ini_style *style)
{
    size_t len = 0;
    const char *value = rhost_bytes(resource, "value", &len);

    if (!value)
        return 0;
    if (strlen(value) != len || strpbrk(value, "\r\n"))
        return rhost_fail_attr(ctx, "value", "a value is one line");
    if (style->quote && strchr(value, style->quote))
        return rhost_fail_attr(ctx, "value", "the quotes it should be written in are part of it");
    if (style->quote || !len)
        return 0;
    if (isspace((unsigned char)*value) || isspace((unsigned char)value[len - 1]))
        return rhost_fail_attr(ctx, "value",
                               "blanks at its ends would be lost: give 'quote', if that "
                               "file knows quotes");
    for (const char *c = value; style->comments && (c = strpbrk(c, "#;")); c++)
        if (c == value || isspace((unsigned char)c[-1]))
            return rhost_fail_attr(ctx, "value", "'%.20s' would be read as a comment", c);
    return 0;
}

static int32_t
ini_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    struct ini_style style = ini_style_of(resource);
    const char *setting = rhost_str(resource, "setting"), *section = rhost_str(resource, "section");

    if (rhost_check_validate(ctx, resource) < 0)
        return -1;
    if (setting && *setting && isspace((unsigned char)setting[strlen(setting) - 1]))
        return rhost_fail_attr(ctx, "setting", "'%s' ends with a blank", setting);
    if (setting && style.mark != ' ' && strchr(setting, style.mark))
        return rhost_fail_attr(ctx, "setting", "'%s' has a '%c', which separates it from its value", setting,
                               style.mark);
    if (setting && style.mark == ' ' && strpbrk(setting, " \t"))
        return rhost_fail_attr(ctx, "setting", "'%s' has a blank, which separates it from its value",
                               setting);
    if (section
        && (isspace((unsigned char)*section)
            || (*section && isspace((unsigned char)section[strlen(section) - 1]))))
        return rhost_fail_attr(ctx, "section", "'%s' begins or ends with a blank", section);
    tidy_value(resource);
    rhost_tidy_path(ctx, resource, "path");
    return check_value(ctx, resource, &style);
}

static int32_t
ini_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, rhost_str(name, "path"));
    struct ini_style style = ini_style_of(should);
    struct ini_found found;

    if (!l)
        return -1;
    found = ini_find(l, &style, rhost_str_or(name, "section", ""), rhost_str(name, "setting"));
    if (!found.n)
        return l->exists ? RHOST_ABSENT : rhost_absent_at(ctx, should, rhost_str(name, "path"));
    if (found.has_value && rhost_is_utf8(found.value.at, found.value.len))
        rhost_put_bytes(current, "value", found.value.at, found.value.len);
    else if (!found.has_value)
        ctx->host->put_undef(current, "value");
    return 0;
}

/* --- A list of what the files of systemd set. ------------------------------------------------- */

#define FOLDER "/etc/systemd"

struct listing {
    rhost_ctx *ctx;
    const char *path;
};

static int
emit(void *data, struct ini_part section, struct ini_part setting, const struct ini_found *found)
{
    const struct listing *to = data;
    rhost_value *resource;
    char title[RHOST_MESSAGE_MAX];
    int n;

    /* What can't be a name is none of ours. */
    if (!rhost_is_utf8(setting.at, setting.len) || !rhost_is_utf8(section.at, section.len)
        || *setting.at == '[' || memchr(setting.at, '\0', setting.len)
        || memchr(section.at, '\0', section.len))
        return 0;
    resource = to->ctx->host->new_hash(to->ctx);
    rhost_put_str(resource, "path", to->path);
    rhost_put_bytes(resource, "section", section.at, section.len);
    rhost_put_bytes(resource, "setting", setting.at, setting.len);
    if (found->has_value && rhost_is_utf8(found->value.at, found->value.len)
        && !memchr(found->value.at, '\0', found->value.len))
        rhost_put_bytes(resource, "value", found->value.at, found->value.len);
    n = snprintf(title, sizeof title, "%s [%.*s] %.*s", to->path, (int)section.len, section.at,
                 (int)setting.len, setting.at);
    if (n < (int)sizeof title && !strchr(to->path, '[') && !memchr(section.at, ']', section.len))
        rhost_put_str(resource, "title", title);
    return to->ctx->host->emit(to->ctx, resource);
}

/* The files of a folder whose names end with ".conf", and with `deep` those of its folders that end with
 * ".conf.d". */
static int
list_folder(rhost_ctx *ctx, const char *folder, int deep)
{
    const struct ini_style style = ini_style_of(NULL);
    const char **files = NULL;
    ssize_t n = rhost_path_list(ctx, folder, RHOST_PATH_FOLLOW, &files);
    int result = 0;

    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", folder);
    for (ssize_t i = 0; i < n && result == 0; i++) {
        const char *name = files[i], *suffix = strstr(name, ".conf");
        const char *path = rhost_fmt(ctx, "%s/%s", folder, name);
        struct listing to = { ctx, path };
        const struct rhost_lines *l;
        struct stat st;

        while (suffix && strstr(suffix + 1, ".conf"))
            suffix = strstr(suffix + 1, ".conf");
        if (*name == '.' || !suffix || !rhost_is_utf8(name, strlen(name))
            || rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0)
            continue;
        if (deep && S_ISDIR(st.st_mode) && strcmp(suffix, ".conf.d") == 0) {
            result = list_folder(ctx, path, 0);
        } else if (S_ISREG(st.st_mode) && strcmp(suffix, ".conf") == 0) {
            l = rhost_lines_of(ctx, path);
            result = l ? ini_each(l, &style, emit, &to) : -1;
        }
    }
    return result;
}

static int32_t
ini_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    return list_folder(ctx, FOLDER, 1);
}

static void
like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    const rhost_value *value = rhost_get(change->should, "value");

    file->validate = rhost_wanted_validate(ctx, change->should);
    file->flags |= RHOST_FILE_ONLY_CHANGE;
    if (value && value->host->sensitive(value))
        file->flags |= RHOST_FILE_SECRET;
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    struct ini_style style = ini_style_of(change->should);
    const char *section = rhost_str_or(change->name, "section", "");
    const char *setting = rhost_str(change->name, "setting");

    if (rhost_gone(change)) {
        ini_remove(l, &style, section, setting, rhost_bool(change->should, "remove_empty_section", 0));
        return NULL;
    }
    if (!l->exists && !rhost_bool(change->should, "create", 1))
        return "the file does not exist, and 'create' is false";
    ini_put(ctx, l, &style, section, setting, rhost_str(change->should, "value"));
    return NULL;
}

static int32_t
ini_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .edit = edit,
        .like = like,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]", "read[/etc/systemd]", "run[$validate]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider ini_setting_provider = {
    RHOST_PROVIDER("ini_setting", "Keep single settings of files with sections."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = ini_canonicalize,
    .load = ini_load,
    .get = ini_get,
    .set = ini_set,
    .needs = needs,
};

RHOST_PLUGIN(ini_setting, "1.0", &ini_setting_provider)
