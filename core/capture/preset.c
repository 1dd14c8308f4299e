/* SPDX-License-Identifier: Apache-2.0 */
/* preset - which units are enabled where nobody decides otherwise: see systemd.preset(5). */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/map.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 4096 };

struct rule {
    const char *pattern;
    const char *instances; /* of a template, or NULL */
    bool enable;
};

struct rh_presets {
    struct rule rules[LINES];
    size_t n;
};

static void
read_rules(struct looking *l, struct rh_presets *p, const char *path)
{
    struct stat st;
    size_t n;
    char *text = rh_capture_read(l, path, &n, &st), *line;

    while ((line = rh_capture_line(&text)) && p->n < LINES) {
        char *word = line + strspn(line, " \t"), *pattern = word + strcspn(word, " \t"), *rest;

        if (!*pattern)
            continue;
        *pattern++ = '\0';
        if (strcmp(word, "enable") != 0 && strcmp(word, "disable") != 0)
            continue;
        pattern += strspn(pattern, " \t");
        rest = pattern + strcspn(pattern, " \t\r");
        if (*rest)
            *rest++ = '\0';
        p->rules[p->n++] = (struct rule){ pattern, *rest ? rest : NULL, strcmp(word, "enable") == 0 };
    }
}

/* Files count in the order of their names; of two with one name, that of the earlier directory. */
struct rh_presets *
rh_preset_read(struct looking *l)
{
    static const char *const folders[] = { "/etc/systemd/system-preset", "/run/systemd/system-preset",
                                           "/usr/local/lib/systemd/system-preset",
                                           "/usr/lib/systemd/system-preset" };
    enum { FOLDERS = sizeof folders / sizeof folders[0] };
    struct rh_presets *p = rh_arena_alloc(l->arena, sizeof *p);
    const char **names[FOLDERS];
    size_t n[FOLDERS], at[FOLDERS] = { 0 };

    for (size_t i = 0; i < FOLDERS; i++)
        n[i] = rh_capture_names(l, folders[i], &names[i]);
    for (;;) {
        const char *least = NULL;
        size_t from = 0;

        for (size_t i = 0; i < FOLDERS; i++)
            if (at[i] < n[i] && (!least || strcmp(names[i][at[i]], least) < 0)) {
                least = names[i][at[i]];
                from = i;
            }
        if (!least)
            return p;
        read_rules(l, p, rh_arena_printf(l->arena, "%s/%s", folders[from], least));
        for (size_t i = 0; i < FOLDERS; i++)
            at[i] += at[i] < n[i] && strcmp(names[i][at[i]], least) == 0;
    }
}

/* Whether one of the words is this. */
static bool
has_word(const char *words, const char *word, size_t n)
{
    for (const char *at = words; *at; at += strcspn(at, " \t"), at += strspn(at, " \t"))
        if (strncmp(at, word, n) == 0 && strchr(" \t\r", at[n]))
            return true;
    return false;
}

bool
rh_preset_enables(const struct rh_presets *p, const char *unit)
{
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');
    char template[256] = "";

    if (at && dot > at + 1)
        (void)snprintf(template, sizeof template, "%.*s@%s", (int)(at - unit), unit, dot);
    for (size_t i = 0; i < p->n; i++) {
        const struct rule *r = &p->rules[i];

        if (*template && r->instances) {
            if (fnmatch(r->pattern, template, 0) == 0
                && has_word(r->instances, at + 1, (size_t)(dot - at - 1)))
                return r->enable;
        } else if (fnmatch(r->pattern, unit, 0) == 0) {
            return r->enable;
        }
    }
    return true; /* as systemd has it */
}
