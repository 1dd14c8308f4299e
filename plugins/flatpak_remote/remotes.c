/* SPDX-License-Identifier: Apache-2.0 */
/* remotes - the remotes of an installation of flatpak, read from repo/config.
 *
 * The file is one of GLib's key files: groups in brackets, KEY=VALUE, and comments that begin with '#'. */

#include "remotes.h"

#include <rhost/path.h>

enum { LARGEST = 1 << 22 };

/* The value of a key without its escapes. */
static const char *
unescape(rhost_ctx *ctx, const char *value)
{
    static const char from[] = "sntr\\", to[] = " \n\t\r\\";
    char *text = rhost_strdup(ctx, value), *out = text;

    for (const char *p = text; *p; p++) {
        const char *at = *p == '\\' && p[1] ? strchr(from, p[1]) : NULL;

        *out++ = at ? to[at - from] : *p;
        p += at != NULL;
    }
    *out = '\0';
    return text;
}

static int
is_true(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

static void
read_entry(rhost_ctx *ctx, const char *key, const char *value, struct remote *found)
{
    if (strcmp(key, "url") == 0)
        found->url = unescape(ctx, value);
    else if (strcmp(key, "xa.title") == 0)
        found->title = unescape(ctx, value);
    else if (strcmp(key, "gpg-verify") == 0)
        found->gpg_verify = is_true(value);
    else if (strcmp(key, "xa.disable") == 0)
        found->enabled = !is_true(value);
}

static char *
trim(char *text)
{
    size_t len;

    text += strspn(text, " \t");
    len = strlen(text);
    while (len && strchr(" \t\r", text[len - 1]))
        text[--len] = '\0';
    return text;
}

/* NULL, or what is wrong with the text. */
static const char *
read_config(rhost_ctx *ctx, const char *text, const char *name, struct remote *found)
{
    const char *group = rhost_fmt(ctx, "[remote \"%s\"]", name);
    int within = 0, any = 0;
    unsigned n = 0;

    for (const char *p = text; *p; p += *p == '\n') {
        size_t len = strcspn(p, "\n");
        char *line = trim(rhost_copy(ctx, p, len)), *equals = strchr(line, '=');

        p += len;
        n++;
        if (!*line || *line == '#')
            continue;
        if (*line == '[' && line[strlen(line) - 1] == ']') {
            any = 1;
            within = strcmp(line, group) == 0;
            found->exists |= within;
        } else if (!any || !equals) {
            return rhost_fmt(ctx, "line %u is neither a group nor a key with a value", n);
        } else if (within) {
            *equals = '\0';
            read_entry(ctx, trim(line), trim(equals + 1), found);
        }
    }
    return NULL;
}

int32_t
remotes_find(const struct place *p, const char *name, struct remote *found)
{
    const char *path = rhost_fmt(p->ctx, "%s/repo/config", p->path), *wrong;
    size_t len;
    char *text = rhost_path_read(p->ctx, path, 0, LARGEST, &len, NULL);

    *found = (struct remote){ .gpg_verify = 1, .enabled = 1 };
    if (!text)
        return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(p->ctx, "cannot read '%s'", path);
    wrong = strlen(text) == len ? read_config(p->ctx, text, name, found) : "it has a NUL";
    return wrong ? rhost_fail(p->ctx, "'%s' is damaged: %s", path, wrong) : 0;
}
