/* SPDX-License-Identifier: Apache-2.0 */
/* page - the manual of a type as a page: paragraphs, and tables whose rows begin with a name. The
 * pages of our own plugins have the same tables, and tests hold them against the descriptors. */
#include "config.h"

#include "cli/page.h"

#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <ctype.h>
#include <string.h>

static bool
is_man(const struct rh_page *p)
{
    return p->format == RH_FORMAT_MAN;
}

/* Text that roff shows as it is: signs that it would make typographic are named, and no line
 * begins with what it takes for a request. */
static void
add_roff(struct rh_buf *b, const char *s)
{
    static const struct {
        char sign;
        const char *name;
    } signs[] = {
        { '\\', "\\(rs" }, { '-', "\\-" },   { '\'', "\\(aq" }, { '`', "\\(ga" },
        { '^', "\\(ha" },  { '~', "\\(ti" }, { '"', "\\(dq" },
    };

    for (; *s; s++) {
        size_t i = 0, n = sizeof signs / sizeof signs[0];

        if (*s == '.' && (!b->n || b->s[b->n - 1] == '\n'))
            rh_buf_add(b, "\\&");
        while (i < n && signs[i].sign != *s)
            i++;
        if (i < n)
            rh_buf_add(b, signs[i].name);
        else
            rh_buf_addc(b, *s);
    }
}

/* Text that Markdown shows as it is, also in the cell of a table. */
static void
add_marked(struct rh_buf *b, const char *s)
{
    for (; *s; s++) {
        if (strchr("\\`*_[]<>|", *s))
            rh_buf_addc(b, '\\');
        rh_buf_addc(b, *s);
    }
}

/* Prose on one line; without `n` bytes counted, all of it. */
static void
add_prose(const struct rh_page *p, const char *text, size_t n)
{
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, text, n, true);
    for (size_t i = 0; i < safe.n; i++)
        if (safe.s[i] == '\n' || safe.s[i] == '\t')
            safe.s[i] = ' ';
    if (is_man(p))
        add_roff(p->out, rh_buf_text(&safe));
    else
        add_marked(p->out, rh_buf_text(&safe));
}

/* What is to be written as it stands here. In Markdown a span may have backticks in it when those
 * around it are more; a pipe in a table is escaped even there. */
static void
add_code(const struct rh_page *p, const char *text)
{
    rh_autobuf struct rh_buf safe = { 0 };
    const char *s;

    rh_buf_add_safe(&safe, text, strlen(text), false);
    s = rh_buf_text(&safe);
    if (is_man(p)) {
        rh_buf_add(p->out, "\\fB");
        add_roff(p->out, s);
        rh_buf_add(p->out, "\\fR");
        return;
    }
    rh_buf_add(p->out, strchr(s, '`') ? "`` " : "`");
    for (; *s; s++) {
        if (*s == '|')
            rh_buf_addc(p->out, '\\');
        rh_buf_addc(p->out, *s);
    }
    rh_buf_add(p->out, strchr(rh_buf_text(&safe), '`') ? " ``" : "`");
}

/* Paragraphs, with an empty line between. */
static void
add_paragraphs(const struct rh_page *p, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);

        if (n) {
            rh_buf_add(p->out, is_man(p) ? ".PP\n" : "\n");
            add_prose(p, text, n);
            rh_buf_addc(p->out, '\n');
        }
        text += n;
        text += strspn(text, "\n");
    }
}

static void
begin_table(const struct rh_page *p, const char *head, const char *rule)
{
    if (!is_man(p))
        rh_buf_addf(p->out, "\n%s\n%s\n", head, rule);
}

/* A row: its first cell, of a kind and a name, then those that the caller adds after this. */
static void
begin_row(const struct rh_page *p, const char *kind, const char *name)
{
    rh_buf_add(p->out, is_man(p) ? ".TP\n" : "| ");
    rh_buf_addf(p->out, "%s%s", kind, *kind ? " " : "");
    add_code(p, name);
    rh_buf_add(p->out, is_man(p) ? "\n" : " | ");
}

static void
end_row(const struct rh_page *p)
{
    rh_buf_add(p->out, is_man(p) ? "\n" : " |\n");
}

static void
add_row(const struct rh_page *p, const char *kind, const char *name, const char *text)
{
    begin_row(p, kind, name);
    add_prose(p, text, strlen(text));
    end_row(p);
}

/* A text stands without its quotes, as in a manifest. */
static void
add_value(const struct rh_page *p, const char *what, const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (v->kind == RH_STRING && v->count)
        rh_buf_addn(&text, v->u.string, v->count);
    else
        rh_value_to_json(&text, v, false);
    rh_buf_addf(p->out, "%s ", what);
    add_code(p, rh_buf_text(&text));
}

/* How it behaves; what stands for itself is written as the pages of our own plugins have it. */
static void
add_conduct(const struct rh_page *p, const struct rh_attr *a)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {
        { RH_NAMEVAR, "namevar" },     { RH_PARAMETER, "parameter" },    { RH_READ_ONLY, "read-only" },
        { RH_INIT_ONLY, "init-only" }, { RH_UNORDERED, "in any order" },
    };
    const char *between = "";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!(a->behaviour & words[i].bit))
            continue;
        rh_buf_addf(p->out, "%s%s", between, words[i].word);
        between = ", ";
    }
    if (a->required) {
        rh_buf_addf(p->out, "%sneeded to create", between);
        between = ", ";
    }
    if (a->deprecated) {
        rh_buf_addf(p->out, "%sdeprecated: ", between);
        add_prose(p, a->deprecated, strlen(a->deprecated));
        between = ", ";
    }
    for (size_t i = 0; i < rh_value_count(a->formerly); i++, between = ", ") {
        rh_buf_addf(p->out, "%sformerly ", between);
        add_code(p, rh_value_str(rh_value_at(a->formerly, i), ""));
    }
    if (a->default_value) {
        rh_buf_add(p->out, between);
        add_value(p, "default", a->default_value);
        between = ", ";
    }
    if (a->initial) {
        rh_buf_add(p->out, between);
        add_value(p, "when created", a->initial);
    }
}

static void
add_attributes(const struct rh_page *p, const struct rh_type *t)
{
    begin_table(p, "| attribute | type | | |", "|---|---|---|---|");
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *a = &t->attrs[i];
        rh_autobuf struct rh_buf type = { 0 }, conduct = { 0 };
        struct rh_page aside = { &conduct, p->format };

        rh_datatype_print(a->type, &type);
        add_conduct(&aside, a);
        begin_row(p, "", a->name);
        add_code(p, rh_buf_text(&type));
        if (is_man(p))
            rh_buf_addf(p->out, "%s%s\n.br\n", conduct.n ? ", " : "", rh_buf_text(&conduct));
        else
            rh_buf_addf(p->out, " | %s%s| ", rh_buf_text(&conduct), conduct.n ? " " : "");
        add_prose(p, a->desc, strlen(a->desc));
        end_row(p);
    }
}

static void
add_data_types(const struct rh_page *p, const struct rh_type *t)
{
    size_t n = t->data_types ? rh_value_count(t->data_types) : 0;

    if (n)
        begin_table(p, "| data type | |", "|---|---|");
    for (size_t i = 0; i < n; i++) {
        const struct rh_entry *e = rh_value_entry(t->data_types, i);

        begin_row(p, "", e->key);
        add_code(p, e->value->u.string);
        end_row(p);
    }
}

static const char *const need_meanings[] = {
    [RH_NEED_ROOT] = "applying it takes root",
    [RH_NEED_USER] = "applying it takes this user, or root",
    [RH_NEED_WRITE] = "it writes there, and applying it takes the right to",
    [RH_NEED_READ] = "it reads there",
    [RH_NEED_RUN] = "it runs this program",
    [RH_NEED_SOCKET] = "it connects to this socket",
    [RH_NEED_DBUS] = "it calls this service of the system bus",
    [RH_NEED_NETWORK] = "it connects to the network",
    [RH_NEED_CAPABILITY] = "it has these capabilities, where root applies",
};

/* Actions, relations, needs and features in one table: few types have more than two of them. */
static void
add_capabilities(const struct rh_page *p, const struct rh_type *t)
{
    static const char *const kinds[] = { "autorequire", "autobefore", "autosubscribe", "autonotify" };
    static const char *const kinds_text[] = {
        "comes first",
        "comes after",
        "comes first, and refreshes this when it changes",
        "comes after, and is refreshed when this changes",
    };
    static const struct {
        uint32_t bit;
        const char *word, *text;
    } features[] = {
        { RH_SIMPLE_GET_FILTER, "simple_get_filter", "only what is asked for is read" },
        { RH_SUPPORTS_NOOP, "supports_noop", "noop asks the provider itself what it would do" },
        { RH_REMOTE_RESOURCE, "remote_resource", "works on a device, never on this machine" },
        { RH_FORGETS_WORLD, "forgets_world", "after it, what others have read is read again" },
        { RH_READ_BACK, "read_back", "what was changed is read again, unless `verify` is false" },
        { RH_GATHERS, "gathers", "its resources come together, as far as relations allow" },
    };
    bool begun = false;

    for (size_t i = 0; i < t->n_actions; i++) {
        rh_autobuf struct rh_buf text = { 0 };

        rh_buf_add(&text, t->actions[i].desc);
        if (strcmp(t->actions[i].name, t->default_action) == 0)
            rh_buf_add(&text, " (default)");
        if (t->refresh_action && strcmp(t->actions[i].name, t->refresh_action) == 0)
            rh_buf_add(&text, " (on refresh)");
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, "action", t->actions[i].name, rh_buf_text(&text));
    }
    for (size_t i = 0; i < t->n_relations; i++) {
        const struct rh_auto_relation *r = &t->relations[i];
        rh_autobuf struct rh_buf target = { 0 };

        rh_buf_addf(&target, "%s[%s%s]", r->type, r->title, r->above ? "/.." : "");
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, kinds[r->kind], rh_buf_text(&target), kinds_text[r->kind]);
    }
    for (size_t i = 0; i < t->n_claims; i++) {
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, t->claims[i].owns ? "owns" : "edits", t->claims[i].text,
                t->claims[i].owns ? "no other resource of the manifest may determine it"
                                  : "no other resource of the manifest may own it");
    }
    for (size_t i = 0; i < t->n_losses; i++) {
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, "loses", t->losses[i].text, "a change can destroy this, and it cannot be undone");
    }
    for (size_t i = 0; i < t->n_restores; i++) {
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, "restores with", t->restores[i].text,
                "an undo sets this, to restore exactly what was there");
    }
    for (size_t i = 0; i < t->n_needs; i++) {
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, "needs", t->needs[i].text, need_meanings[t->needs[i].kind]);
    }
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (!(t->features & features[i].bit))
            continue;
        if (!begun)
            begin_table(p, "| besides | |", "|---|---|");
        begun = true;
        add_row(p, "feature", features[i].word, features[i].text);
    }
}

/* "rhost-link - keep links pointing where they should": for man and whatis. */
static void
add_name_section(const struct rh_page *p, const struct rh_type *t)
{
    size_t n = strcspn(t->desc, "\n");
    const char *stop = strstr(t->desc, ". ");
    rh_autobuf struct rh_buf what = { 0 };

    if (stop && (size_t)(stop - t->desc) < n)
        n = (size_t)(stop - t->desc);
    if (n && t->desc[n - 1] == '.')
        n--;
    rh_buf_addn(&what, t->desc, n);
    if (what.n > 1 && what.s[0] >= 'A' && what.s[0] <= 'Z' && what.s[1] >= 'a' && what.s[1] <= 'z')
        what.s[0] = (char)(what.s[0] - 'A' + 'a');
    if (!what.n)
        rh_buf_add(&what, "a type of resource");
    rh_buf_add(p->out, ".SH NAME\nrhost\\-");
    add_roff(p->out, t->type);
    rh_buf_add(p->out, " \\- ");
    add_prose(p, rh_buf_text(&what), what.n);
    rh_buf_add(p->out, "\n.SH DESCRIPTION\n");
}

void
rh_page_begin(const struct rh_page *p, const struct rh_type *t)
{
    if (!is_man(p)) {
        rh_buf_addf(p->out, "# %s\n", t->type);
        return;
    }
    rh_buf_add(p->out, ".TH \"RHOST\\-");
    for (const char *c = t->type; *c; c++)
        rh_buf_addc(p->out, (char)toupper((unsigned char)*c));
    rh_buf_add(p->out, "\" 7 \"\" \"");
    add_prose(p, t->plugin, strlen(t->plugin));
    rh_buf_addc(p->out, ' ');
    add_prose(p, t->version, strlen(t->version));
    rh_buf_add(p->out, "\" \"rhost\"\n.nh\n.ad l\n");
    add_name_section(p, t);
}

void
rh_page_provider(const struct rh_page *p, const struct rh_type *t, bool several)
{
    if (several)
        rh_buf_addf(p->out, is_man(p) ? ".SH PROVIDER %s\n" : "\n## Provider %s\n", t->provider);
    add_paragraphs(p, t->desc);
    for (unsigned i = 0; rh_title_pattern_text(t, i); i++) {
        rh_buf_add(p->out, is_man(p) ? ".PP\nTitles: " : "\nTitles: ");
        add_code(p, rh_title_pattern_text(t, i));
        rh_buf_addc(p->out, '\n');
    }
    add_attributes(p, t);
    add_data_types(p, t);
    add_capabilities(p, t);
}
