/* SPDX-License-Identifier: Apache-2.0 */
/* fstab - the entries of a file in the format of fstab(5), found and edited in its lines. */

#include "fstab.h"

#include <libmount.h>

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Finds field k of a line; 0 when it ends before. What follows the fields is none. */
static int
find_field(const struct rhost_line *line, int k, size_t *at, size_t *len)
{
    size_t i = 0;

    for (;; k--) {
        while (i < line->len && is_blank(line->text[i]))
            i++;
        if (i == line->len || line->text[i] == '#')
            return 0;
        *at = i;
        while (i < line->len && !is_blank(line->text[i]))
            i++;
        *len = i - *at;
        if (k == 0)
            return 1;
    }
}

/* An escape for a NUL, which would cut the text off; libmount takes \400 for one too. */
static int
has_nul(const char *word)
{
    for (; (word = strchr(word, '\\')); word++)
        if ((word[1] == '0' || word[1] == '4') && word[2] == '0' && word[3] == '0')
            return 1;
    return 0;
}

/* NULL: it can't be decoded. */
static const char *
decoded(rhost_ctx *ctx, const char *text, size_t len)
{
    const char *word = rhost_copy(ctx, text, len), *copy = word;
    char *plain;

    if (!strchr(word, '\\'))
        return word;
    if (has_nul(word))
        return NULL;
    plain = mnt_unmangle(word);
    if (plain)
        copy = rhost_copy(ctx, plain, strlen(plain));
    free(plain);
    return copy;
}

static const char *
encoded(rhost_ctx *ctx, const char *text)
{
    char *mangled = mnt_mangle(text);
    const char *copy = mangled ? rhost_copy(ctx, mangled, strlen(mangled)) : text;

    free(mangled);
    return copy;
}

const char *
fstab_tidy_path(rhost_ctx *ctx, const char *path)
{
    size_t len = strlen(path);
    char *tidy = rhost_alloc(ctx, len + 1), *to = tidy;

    for (; *path; path++)
        if (*path != '/' || to == tidy || to[-1] != '/')
            *to++ = *path;
    if (to > tidy + 1 && to[-1] == '/')
        to--;
    *to = '\0';
    return tidy;
}

const char *
fstab_tidy_device(rhost_ctx *ctx, const char *device)
{
    const char *value = strchr(device, '=');
    size_t len = strlen(device), tag = value ? (size_t)(value - device) + 1 : 0;

    if (*device == '/' && device[1] != '/')
        return fstab_tidy_path(ctx, device);
    if (*device != '/' && tag && len > tag + 1 && (device[tag] == '"' || device[tag] == '\'')
        && device[len - 1] == device[tag]) {
        char *tidy = rhost_alloc(ctx, len);

        memcpy(tidy, device, tag);
        memcpy(tidy + tag, device + tag + 1, len - tag - 2);
        return tidy;
    }
    return device;
}

int
fstab_at(rhost_ctx *ctx, const struct rhost_lines *l, size_t i, struct fstab_entry *entry)
{
    const struct rhost_line *line = &l->at[i];
    size_t at, len;

    memset(entry, 0, sizeof *entry);
    entry->line = i;
    if (memchr(line->text, '\0', line->len))
        return 0;
    for (int k = 0; k < FSTAB_FIELDS && find_field(line, k, &at, &len); k++)
        if (!(entry->field[k] = decoded(ctx, line->text + at, len)))
            return 0;
    if (!entry->field[FSTAB_TYPE])
        return 0; /* not understood: not ours to touch */
    entry->field[FSTAB_DEVICE] = fstab_tidy_device(ctx, entry->field[FSTAB_DEVICE]);
    entry->name = strcmp(entry->field[FSTAB_TYPE], "swap") == 0
                      ? entry->field[FSTAB_DEVICE]
                      : fstab_tidy_path(ctx, entry->field[FSTAB_TARGET]);
    return 1;
}

int
fstab_find(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, struct fstab_entry *entry)
{
    for (size_t i = 0; i < l->n; i++)
        if (fstab_at(ctx, l, i, entry) && strcmp(entry->name, name) == 0)
            return 1;
    return 0;
}

void
fstab_change(rhost_ctx *ctx, struct rhost_lines *l, const struct fstab_entry *entry,
             const char *const *fields)
{
    const struct rhost_line *line = &l->at[entry->line];
    size_t room = line->len + 64, len = 0, from = 0, at, n;
    const char *written[FSTAB_FIELDS] = { NULL };
    int last = -1; /* the last field that has to be there */
    char *text;

    for (int k = 0; k < FSTAB_FIELDS; k++) {
        if (fields[k]) {
            written[k] = encoded(ctx, fields[k]);
            room += strlen(written[k]);
            last = k;
        }
    }
    text = rhost_alloc(ctx, room);
    for (int k = 0; k < FSTAB_FIELDS; k++) {
        if (find_field(line, k, &at, &n)) {
            memcpy(text + len, line->text + from, at - from);
            len += at - from;
            from = at + n;
            if (!written[k]) {
                memcpy(text + len, line->text + at, n);
                len += n;
                continue;
            }
        } else if (k > last) {
            break;
        } else {
            text[len++] = ' ';
        }
        if (!written[k])
            written[k] = k == FSTAB_OPTIONS ? "defaults" : "0"; /* left out, with others behind it */
        memcpy(text + len, written[k], strlen(written[k]));
        len += strlen(written[k]);
    }
    memcpy(text + len, line->text + from, line->len - from);
    len += line->len - from;
    rhost_lines_put(l, entry->line, text, len);
}

int
fstab_is_below(const char *path, const char *above)
{
    size_t len = strlen(above);

    if (strcmp(above, "/") == 0)
        return *path == '/';
    return strncmp(path, above, len) == 0 && (path[len] == '/' || !path[len]);
}

void
fstab_add(rhost_ctx *ctx, struct rhost_lines *l, const char *const *fields)
{
    const char *target = fields[FSTAB_TARGET];
    struct fstab_entry entry;
    size_t at = 0, size = 1, len = 0;
    const char *written[FSTAB_FIELDS];
    char *text;

    while (at < l->n
           && !(*target == '/' && fstab_at(ctx, l, at, &entry)
                && fstab_is_below(entry.field[FSTAB_TARGET], target)))
        at++;
    for (int k = 0; k < FSTAB_FIELDS; k++) {
        written[k] = encoded(ctx, fields[k]);
        size += strlen(written[k]) + 1;
    }
    text = rhost_alloc(ctx, size);
    for (int k = 0; k < FSTAB_FIELDS; k++) {
        if (k)
            text[len++] = k > FSTAB_DUMP ? ' ' : '\t';
        memcpy(text + len, written[k], strlen(written[k]));
        len += strlen(written[k]);
    }
    rhost_lines_insert(l, at, text, len);
}

void
fstab_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *name)
{
    struct fstab_entry entry;

    while (fstab_find(ctx, l, name, &entry))
        rhost_lines_remove(l, entry.line, 1);
}

int
fstab_has_dots(const char *path)
{
    for (const char *part = strchr(path, '/'); part; part = strchr(part + 1, '/'))
        if (strncmp(part, "/..", 3) == 0 && (!part[3] || part[3] == '/'))
            return 1;
        else if (strncmp(part, "/.", 2) == 0 && (!part[2] || part[2] == '/'))
            return 1;
    return 0;
}
