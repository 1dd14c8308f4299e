/* SPDX-License-Identifier: Apache-2.0 */
/* need - what applying resources of a type takes, as its provider declares it. */
#include "config.h"

#include "schema/need.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "schema/auto-relation.h"
#include "schema/condition.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int
refuse_shape(const char *text, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT,
                        "invalid need '%s': expected 'root', or one of user, write, read, run, socket, dbus, "
                        "network and capability, as in 'write[$attribute]', and ' if $attribute' or ' unless "
                        "$attribute' after it",
                        text);
}

static bool
find_kind(const char *word, enum rh_need_kind *kind)
{
    for (unsigned i = RH_NEED_USER; i <= RH_NEED_CAPABILITY; i++)
        if (strcmp(word, rh_need_word((enum rh_need_kind)i)) == 0) {
            *kind = (enum rh_need_kind)i;
            return true;
        }
    return false;
}

/* Calls `fn` with each word of the text: "chown fowner". False: one is not of its kind. */
static bool
each_capability(const char *text, rh_need_fn *fn, void *data)
{
    char word[32];

    for (size_t n; *text; text += n) {
        n = strcspn(text, " ");
        if (n && n < sizeof word) {
            (void)snprintf(word, sizeof word, "%.*s", (int)n, text);
            if (!rh_need_fits(RH_NEED_CAPABILITY, word))
                return false;
            if (fn)
                fn(data, RH_NEED_CAPABILITY, word);
        } else if (n) {
            return false;
        }
        n += text[n] == ' ';
    }
    return true;
}

/* What no attribute can change is checked now: all of "/etc/hosts", and how "/etc/$name" begins. */
static bool
text_fits(const struct rh_need *n)
{
    const struct rh_title_piece *first = &n->what.pieces[0];
    bool path = n->kind == RH_NEED_WRITE || n->kind == RH_NEED_READ || n->kind == RH_NEED_SOCKET;

    if (n->kind == RH_NEED_CAPABILITY)
        return n->what.n_pieces == 1 && !first->attr && *first->text != ' '
               && each_capability(first->text, NULL, NULL);
    if (first->attr)
        return true;
    return n->what.n_pieces > 1 ? !path || *first->text == '/' || *first->text == '~'
                                : rh_need_fits(n->kind, first->text);
}

static const char *
example(enum rh_need_kind kind)
{
    switch (kind) {
    case RH_NEED_RUN:
        return "a path, the name of a program, or '*'";
    case RH_NEED_DBUS:
        return "a name such as 'org.freedesktop.systemd1'";
    case RH_NEED_NETWORK:
        return "'tcp', 'tcp:443' or 'udp'";
    case RH_NEED_CAPABILITY:
        return "names of capabilities(7), such as 'chown fowner',";
    case RH_NEED_USER:
        return "a user";
    default:
        return "an absolute path";
    }
}

int
rh_need_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_need *n,
             struct rh_error *err)
{
    const char *close = text ? strchr(text, ']') : NULL, *rest;
    const char *root = rh_need_word(RH_NEED_ROOT);

    *n = (struct rh_need){ .text = text, .kind = RH_NEED_ROOT };
    if (close) {
        rest = close + 1;
        if (close[-(close > text)] == '[')
            return refuse_shape(text, err);
        if (rh_auto_subject_read(a, t, rh_arena_strndup(a, text, (size_t)(rest - text)), text, &n->what, err)
            < 0)
            return -1;
        if (!find_kind(n->what.type, &n->kind) || n->what.above)
            return refuse_shape(text, err);
        if (!text_fits(n))
            return rh_error_set(err, RH_EINPUT, "invalid need '%s': expected %s in the brackets", text,
                                example(n->kind));
    } else if (text && strncmp(text, root, strlen(root)) == 0) {
        rest = text + strlen(root);
    } else {
        return refuse_shape(text ? text : "", err);
    }
    n->folds = close && n->what.n_pieces > 1 && strstr(text, "/../");
    switch (rh_conditions_read(a, t, rest, &n->conditions, &n->n_conditions)) {
    case RH_CONDITION_SHAPE:
        return refuse_shape(text, err);
    case RH_CONDITION_ATTRIBUTE:
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the need '%s'", text);
    default:
        return 0;
    }
}

struct each {
    enum rh_need_kind kind;
    bool folds;
    rh_need_fn *fn;
    void *data;
};

/* "/etc/init.d/../rc2.d" is "/etc/rc2.d", as a provider makes it out of the text of the attribute. False: it
 * can't be that. */
static bool
fold(const char *path, char folded[PATH_MAX])
{
    size_t n = 0;

    for (const char *rest; *path; path = rest) {
        size_t len = strcspn(path + 1, "/") + 1;

        rest = path + len;
        if (*path != '/' || n + len >= PATH_MAX)
            return false;
        if (len == 3 && strncmp(path, "/..", 3) == 0) {
            while (n && folded[--n] != '/')
                continue;
        } else if (len > 1 || !*rest) { /* the last '/' stays */
            memcpy(folded + n, path, len);
            n += len;
        }
    }
    folded[n] = '\0';
    return n > 0;
}

static void
hand_on(void *data, const char *value)
{
    const struct each *each = data;
    char folded[PATH_MAX];

    if (each->folds && !fold(value, folded))
        return;
    if (rh_need_fits(each->kind, each->folds ? folded : value))
        each->fn(each->data, each->kind, each->folds ? folded : value);
}

static void
each_of(const struct rh_need *n, const struct rh_value *name, const struct rh_value *should, rh_need_fn *fn,
        void *data)
{
    struct each each = { .kind = n->kind, .folds = n->folds, .fn = fn, .data = data };

    if (n->n_conditions && !rh_conditions_match(n->conditions, n->n_conditions, name, should))
        return;
    if (n->kind == RH_NEED_ROOT)
        fn(data, n->kind, NULL);
    else if (n->kind == RH_NEED_CAPABILITY)
        (void)each_capability(n->what.pieces[0].text, fn, data); /* checked when it was read */
    else
        rh_auto_relation_titles(&n->what, name, should, hand_on, &each);
}

void
rh_needs_each(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
              rh_need_fn *fn, void *data)
{
    for (size_t i = 0; i < t->n_needs; i++)
        each_of(&t->needs[i], name, should, fn, data);
}

void
rh_needs_each_varying(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                      rh_need_fn *fn, void *data)
{
    for (size_t i = 0; i < t->n_needs; i++)
        if (t->needs[i].n_conditions || t->needs[i].what.n_pieces > 1
            || (t->needs[i].what.n_pieces && t->needs[i].what.pieces[0].attr))
            each_of(&t->needs[i], name, should, fn, data);
}

/* The path is the resource itself, and no file of the system that it is in. Whether it is written to depends
 * on whether it differs, and who owns it.
 */
static bool
is_own_path(const struct rh_need *n)
{
    const struct rh_attr *attr = n->kind == RH_NEED_WRITE ? n->what.pieces[0].attr : NULL;

    return attr && attr->behaviour & RH_NAMEVAR && !attr->default_value;
}

struct search {
    const struct rh_rights *rights;
    bool lacking; /* root, another user was named, or a path that can't be written to */
};

static bool
is_user(const struct rh_rights *rights, const char *name)
{
    char number[16];

    (void)snprintf(number, sizeof number, "%" PRIu32, rights->uid);
    return strcmp(name, number) == 0 || (rights->user && strcmp(name, rights->user) == 0);
}

static void
compare(void *data, enum rh_need_kind kind, const char *value)
{
    struct search *s = data;

    if (kind == RH_NEED_ROOT || (kind == RH_NEED_USER && !is_user(s->rights, value))
        || (kind == RH_NEED_WRITE && *value == '/' && s->rights->writable && !s->rights->writable(value)))
        s->lacking = true;
}

bool
rh_needs_are_met(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                 const struct rh_rights *rights)
{
    struct search s = { .rights = rights };

    for (size_t i = 0; rights->uid != 0 && i < t->n_needs; i++)
        if (!is_own_path(&t->needs[i]))
            each_of(&t->needs[i], name, should, compare, &s);
    return !s.lacking;
}
