/* SPDX-License-Identifier: Apache-2.0 */
/* check - what is wrong with a unit on every machine: lines that are no settings, and misspelt ones.
 *
 * A setting that is like none that we know may be one of a newer systemd: systemd-analyze has the last word
 * on it. */

#include "check.h"

#include "directives.h"

#include <string.h>

/* "service" of "web@1.service" */
static const char *
type_of(const char *unit)
{
    const char *dot = strrchr(unit, '.');

    return dot ? dot + 1 : "";
}

static const char *
fault_of_section(rhost_ctx *ctx, const char *type, const char *section)
{
    const char *of = directives_type_of(section), *near;

    if (strncmp(section, "X-", 2) == 0)
        return NULL;
    if (of)
        return !*of || strcmp(of, type) == 0
                   ? NULL
                   : rhost_fmt(ctx, "section [%s] is for units of the type '%s'", section, of);
    near = directives_near_section(section);
    return near ? rhost_fmt(ctx, "unknown section [%s]: did you mean [%s]?", section, near) : NULL;
}

static const char *
fault_of_setting(rhost_ctx *ctx, const char *type, const char *section, const char *setting)
{
    const char *near, *other;

    if (!directives_type_of(section) || strncmp(setting, "X-", 2) == 0 || directives_has(section, setting))
        return NULL;
    other = directives_section_of(setting, type);
    if (other)
        return rhost_fmt(ctx, "setting '%s' belongs in [%s], not in [%s]", setting, other, section);
    near = directives_near_setting(section, setting);
    return near ? rhost_fmt(ctx, "unknown setting '%s' in [%s]: did you mean '%s'?", setting, section, near)
                : NULL;
}

/* Where a line stands. */
struct place {
    const char *type;    /* of the unit */
    const char *section; /* NULL: there is none yet */
};

static size_t
without_blanks_behind(const char *s, size_t n)
{
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
        n--;
    return n;
}

/* What is wrong with a line, or NULL. */
static const char *
fault_of_line(rhost_ctx *ctx, struct place *at, const char *line, size_t n)
{
    const char *end;

    while (n && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    if (!n || *line == '#' || *line == ';')
        return NULL;
    if (*line == '[') {
        end = (const char *)memchr(line, ']', n);
        at->section = end ? rhost_copy(ctx, line + 1, (size_t)(end - line) - 1) : "";
        return end ? fault_of_section(ctx, at->type, at->section) : "it lacks the ']' of a section";
    }
    end = (const char *)memchr(line, '=', n);
    if (!end)
        return "missing '='";
    if (!at->section)
        return "it is outside of a section";
    return fault_of_setting(ctx, at->type, at->section,
                            rhost_copy(ctx, line, without_blanks_behind(line, (size_t)(end - line))));
}

/* What systemd would ignore with a warning when it loads the unit. Lines after one that ends with a backslash
 * continue it. */
static int
check_content(rhost_ctx *ctx, const char *type, const char *content)
{
    struct place at = { .type = type };
    int continued = 0, failed = 0;

    for (size_t number = 1; *content; number++) {
        size_t n = strcspn(content, "\n");
        const char *why = continued ? NULL : fault_of_line(ctx, &at, content, n);

        if (why)
            failed = rhost_fail_attr(ctx, "content", "line %zu: %s", number, why);
        continued = n && content[n - 1] == '\\';
        content += n + (content[n] != '\0');
    }
    return failed;
}

static int
check_settings(rhost_ctx *ctx, const char *type, const rhost_value *settings)
{
    int failed = 0;

    for (size_t i = 0; i < rhost_count(settings); i++) {
        const char *section = NULL, *setting = NULL, *why;
        const rhost_value *in = rhost_at(settings, i, &section);

        why = fault_of_section(ctx, type, section);
        if (why)
            failed = rhost_fail_attr(ctx, rhost_fmt(ctx, "settings.%s", section), "%s", why);
        for (size_t k = 0; !why && k < rhost_count(in); k++) {
            const char *wrong;

            (void)rhost_at(in, k, &setting);
            wrong = fault_of_setting(ctx, type, section, setting);
            if (wrong)
                failed =
                    rhost_fail_attr(ctx, rhost_fmt(ctx, "settings.%s.%s", section, setting), "%s", wrong);
        }
    }
    return failed;
}

int
check_unit(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *content = rhost_str(resource, "content"), *type = type_of(rhost_str_or(resource, "unit", ""));
    const rhost_value *settings = rhost_get(resource, "settings");

    return content ? check_content(ctx, type, content) : settings ? check_settings(ctx, type, settings) : 0;
}
