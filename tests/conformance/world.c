/* SPDX-License-Identifier: Apache-2.0 */
/* world - what exists for the types of the letter, and the notes of their calls. */
#include "letter.h"

#include <stdlib.h>

enum { LONGEST_LINE = 4096, LONGEST_PATH = 4096, LONGEST_SHOWN = 8192, MOST_FIELDS = 32 };

/* A file of the world; `more` is put behind its name. */
static FILE *
world_open(const char *type, const char *more, const char *mode)
{
    const char *folder = getenv("LETTER");
    char path[LONGEST_PATH];

    (void)snprintf(path, sizeof path, "%s/%s%s", folder ? folder : ".", type, more);
    return fopen(path, mode);
}

void
letter_note(const char *type, const char *fmt, ...)
{
    FILE *f = world_open("calls", "", "ae");
    va_list ap;

    if (!f)
        return;
    (void)fprintf(f, "%s ", type);
    va_start(ap, fmt);
    (void)vfprintf(f, fmt, ap);
    va_end(ap);
    (void)fputc('\n', f);
    (void)fclose(f);
}

struct shown {
    char *s;
    size_t n;
};

static void RHOST_PRINTF(2, 3) show_text(struct shown *to, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(to->s + to->n, LONGEST_SHOWN - to->n, fmt, ap);
    va_end(ap);
    to->n += n > 0 ? (size_t)n : 0;
    to->n = to->n < LONGEST_SHOWN ? to->n : LONGEST_SHOWN - 1;
}

static void
show(struct shown *to, const rhost_value *v)
{
    int32_t kind = v->host->kind(v);
    bool hash = kind == RHOST_HASH;

    if (hash || kind == RHOST_ARRAY) {
        show_text(to, "%s", hash ? "{" : "[");
        for (size_t i = 0; i < rhost_count(v); i++) {
            const char *key = NULL;
            const rhost_value *item = rhost_at(v, i, &key);

            show_text(to, "%s%s%s", i ? ", " : "", hash ? key : "", hash ? ": " : "");
            show(to, item);
        }
        show_text(to, "%s", hash ? "}" : "]");
    } else if (kind == RHOST_INTEGER) {
        show_text(to, "%lld", (long long)v->host->integer(v, 0));
    } else if (kind == RHOST_BOOLEAN) {
        show_text(to, "%s", v->host->boolean(v, 0) ? "true" : "false");
    } else if (v->host->string(v, NULL)) {
        show_text(to, "'%s'", v->host->string(v, NULL));
    } else {
        show_text(to, "undef");
    }
}

const char *
letter_show(rhost_ctx *ctx, const rhost_value *v)
{
    struct shown to = { .s = rhost_alloc(ctx, LONGEST_SHOWN) };

    if (!v)
        return "absent";
    show(&to, v);
    return to.s;
}

/* One resource, as a line of its type's file. */
struct line {
    char text[LONGEST_LINE];
    char *key[MOST_FIELDS], *value[MOST_FIELDS];
    size_t n;
};

static bool
next_line(FILE *f, struct line *l)
{
    char *rest = l->text, *field;

    l->n = 0;
    if (!f || !fgets(l->text, sizeof l->text, f))
        return false;
    l->text[strcspn(l->text, "\n")] = '\0';
    while (l->n < MOST_FIELDS && (field = strsep(&rest, "\t"))) {
        char *equals = strchr(field, '=');

        if (!equals)
            continue;
        *equals = '\0';
        l->key[l->n] = field;
        l->value[l->n++] = equals + 1;
    }
    return true;
}

static const char *
line_get(const struct line *l, const char *key)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->key[i], key) == 0)
            return l->value[i];
    return "";
}

static bool
is_named(const struct line *l, const rhost_value *name)
{
    for (size_t i = 0; i < rhost_count(name); i++) {
        const char *key = NULL;
        const rhost_value *v = rhost_at(name, i, &key);
        const char *text = v->host->string(v, NULL);

        if (strcmp(line_get(l, key), text ? text : "") != 0)
            return false;
    }
    return true;
}

static void
put(rhost_value *in, const char *key, const char *text)
{
    char *end = NULL;
    long long number = strtoll(text, &end, 10);

    if (strncmp(text, "s:", 2) == 0)
        rhost_put_str(in, key, text + 2);
    else if (strcmp(text, "undef") == 0)
        in->host->put_undef(in, key);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        rhost_put_bool(in, key, text[0] == 't');
    else if (*text && *end == '\0')
        rhost_put_int(in, key, number);
    else
        rhost_put_str(in, key, text);
}

static void
fill(const struct line *l, rhost_value *in)
{
    for (size_t i = 0; i < l->n; i++)
        put(in, l->key[i], l->value[i]);
}

int32_t
letter_wrong(rhost_ctx *ctx, const char *type, const char *callback)
{
    FILE *f = world_open(type, ".wrong", "re");
    char text[LONGEST_LINE];
    size_t n = strlen(callback);
    int32_t rc = 0;

    while (rc == 0 && f && fgets(text, sizeof text, f))
        if (strncmp(text, callback, n) == 0 && text[n] == ' ') {
            text[strcspn(text, "\n")] = '\0';
            rc = rhost_fail(ctx, "%s", text + n + 1);
        }
    if (f)
        (void)fclose(f);
    return rc;
}

void
letter_emit(rhost_ctx *ctx, const char *type, const rhost_value *names)
{
    FILE *f = world_open(type, "", "re");
    struct line l;

    while (next_line(f, &l)) {
        rhost_value *resource = ctx->host->new_hash(ctx);
        bool asked = !names;

        for (size_t i = 0; i < rhost_count(names) && !asked; i++)
            asked = is_named(&l, rhost_at(names, i, NULL));
        /* More than was asked for is allowed: what is marked so always comes along. */
        if (!asked && strcmp(line_get(&l, "extra"), "true") != 0)
            continue;
        for (size_t i = 0; i < l.n; i++)
            if (strcmp(l.key[i], "extra") != 0)
                put(resource, l.key[i], l.value[i]);
        (void)ctx->host->emit(ctx, resource);
    }
    if (f)
        (void)fclose(f);
}

bool
letter_fill(const char *type, const rhost_value *name, rhost_value *current)
{
    FILE *f = world_open(type, "", "re");
    bool found = false;
    struct line l;

    while (!found && next_line(f, &l)) {
        found = is_named(&l, name);
        if (found)
            fill(&l, current);
    }
    if (f)
        (void)fclose(f);
    return found;
}

static void
write_line(FILE *f, const struct line *old, const struct rhost_change *change)
{
    const rhost_value *should = change->should;

    for (size_t i = 0; old && i < old->n; i++)
        if (!rhost_get(should, old->key[i]))
            (void)fprintf(f, "%s=%s\t", old->key[i], old->value[i]);
    for (size_t i = 0; i < rhost_count(should); i++) {
        const char *key = NULL, *text;
        const rhost_value *v = rhost_at(should, i, &key);

        text = v->host->string(v, NULL);
        if (text)
            (void)fprintf(f, "%s=%s\t", key, text);
        else if (v->host->kind(v) == RHOST_INTEGER)
            (void)fprintf(f, "%s=%lld\t", key, (long long)v->host->integer(v, 0));
        else if (v->host->kind(v) == RHOST_BOOLEAN)
            (void)fprintf(f, "%s=%s\t", key, v->host->boolean(v, 0) ? "true" : "false");
    }
    (void)fputc('\n', f);
}

void
letter_write(const char *type, const struct rhost_change *change)
{
    FILE *from = world_open(type, "", "re"), *to = world_open(type, ".new", "we");
    const char *folder = getenv("LETTER");
    char path[LONGEST_PATH], beside[LONGEST_PATH];
    bool gone = rhost_gone(change), done = gone;
    struct line l;

    (void)snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", type);
    (void)snprintf(beside, sizeof beside, "%s/%s.new", folder ? folder : ".", type);
    while (to && next_line(from, &l)) {
        bool this_one = is_named(&l, change->name);

        if (this_one && gone)
            continue;
        if (this_one) {
            write_line(to, &l, change);
            done = true;
            continue;
        }
        for (size_t i = 0; i < l.n; i++)
            (void)fprintf(to, "%s=%s\t", l.key[i], l.value[i]);
        (void)fputc('\n', to);
    }
    if (to && !done)
        write_line(to, NULL, change);
    if (from)
        (void)fclose(from);
    if (to && fclose(to) == 0)
        (void)rename(beside, path);
}
