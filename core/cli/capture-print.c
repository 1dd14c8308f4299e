/* SPDX-License-Identifier: Apache-2.0 */
/* capture-print - a captured machine as a manifest with comments: sorted, so that two captures can be
 * compared. */
#include "config.h"

#include "cli/capture-print.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-yaml.h"
#include "base/value.h"
#include "capture/capture.h"
#include "cli/listed.h"
#include "cli/print-value.h"
#include "cli/writable.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char left_out[] = "not captured: --secrets captures it";

struct entry {
    struct rh_listed listed;
    const struct rh_captured *captured;
};

struct printing {
    struct rh_buf *b;
    struct rh_arena *arena;
    struct rh_capture_sheet *sheet;
    const struct rh_type *type;
};

static int
by_title(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->listed.title, ((const struct entry *)b)->listed.title);
}

/* One line of a comment; what is in it came from the machine. */
static void
add_comment(struct rh_buf *b, const char *text)
{
    rh_buf_add(b, "  # ");
    rh_buf_add_safe(b, text, strlen(text), false);
    rh_buf_addc(b, '\n');
}

/* "# left out, as it is larger than 1 MiB: file: /x" */
static void
add_left_out(const struct printing *p, const struct rh_listed *l, const char *why, const char *cure)
{
    rh_autobuf struct rh_buf title = { 0 };
    rh_autofree char *text = NULL;

    rh_yaml_add(&title, rh_writable_text(p->arena, l->title, strlen(l->title)));
    text = rh_printf("left out, as %s: %s[%s]%s", why, p->type->type, rh_buf_text(&title), cure);
    add_comment(p->b, text);
}

/* The whole entry as comments, for somebody to enable. */
static void
add_as_comment(const struct printing *p, const struct rh_listed *l)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_listed_add_yaml(&text, p->arena, p->type, l, false);
    for (const char *line = rh_buf_text(&text), *end; *line; line = end + 1) {
        end = strchrnul(line, '\n');
        rh_buf_addf(p->b, "  # %.*s\n", (int)(end - line), line);
        if (!*end)
            break;
    }
}

/* What cannot be written of an entry, such as a password; whether it is a secret. */
static bool
explain_attributes(struct rh_listed *l)
{
    bool any = false;

    for (size_t i = 0; i < l->n_attrs; i++)
        if (l->attrs[i].secret && !l->attrs[i].written) {
            l->attrs[i].why = left_out;
            any = true;
        }
    return any;
}

static void
add_entry(const struct printing *p, struct entry *e)
{
    const struct rh_captured *c = e->captured;
    struct rh_listed *l = &e->listed;

    rh_listed_choose(p->arena, p->type, l, RH_LISTED_BRIEF | (p->sheet->secrets ? RH_LISTED_SECRETS : 0));
    if (c->secret && !p->sheet->secrets) {
        p->sheet->n_secrets++;
        add_left_out(p, l, c->secret, "; --secrets captures it");
    } else if (c->impossible) {
        p->sheet->n_impossible++;
        add_left_out(p, l, c->impossible, "");
        if (l->n_attrs)
            add_as_comment(p, l);
    } else {
        p->sheet->n_secrets += explain_attributes(l);
        rh_listed_add_yaml(p->b, p->arena, p->type, l, true);
    }
}

static void
add_part(const struct printing *p, const struct rh_capture_part *part)
{
    rh_autofree struct entry *entries = rh_xalloc(rh_xmul(part->n, sizeof *entries));

    for (size_t i = 0; i < part->n; i++) {
        entries[i].captured = &part->v[i];
        entries[i].listed.item = part->v[i].item;
        entries[i].listed.title = rh_listed_title(p->arena, p->type, part->v[i].item, NULL);
    }
    if (part->n)
        qsort(entries, part->n, sizeof *entries, by_title);
    for (size_t i = 0; i < part->n_notes; i++)
        add_comment(p->b, part->notes[i]);
    for (size_t i = 0; i < part->n; i++)
        add_entry(p, &entries[i]);
}

static void
add_heading(struct rh_buf *b, const char *heading)
{
    rh_buf_addf(b, "\n  # --- %s ---\n", heading);
}

/* The name of the distribution, as os-release has it. */
static char *
pretty_name(void)
{
    rh_autofclose FILE *f = fopen("/etc/os-release", "re");
    rh_autofree char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) >= 0) {
        char *name = line + strlen("PRETTY_NAME=");

        if (strncmp(line, "PRETTY_NAME=", strlen("PRETTY_NAME=")) != 0)
            continue;
        name += *name == '"';
        name[strcspn(name, "\"\n")] = '\0';
        return rh_safe_text(name);
    }
    return rh_xstrdup("an unknown system");
}

static void
add_missing(struct rh_buf *b, const struct rh_capture_sheet *sheet)
{
    for (int i = 0; rh_capture_types[i]; i++) {
        rh_autofree char *text = NULL;

        if (!sheet->missing[i])
            continue;
        text = rh_printf("%s: not captured: %s", rh_capture_types[i], sheet->missing[i]);
        add_comment(b, text);
    }
}

void
rh_capture_print(struct rh_buf *b, struct rh_arena *a, const struct rh_capture *c,
                 struct rh_capture_sheet *sheet)
{
    rh_autofree char *system = pretty_name();
    rh_autobuf struct rh_buf entries = { 0 };
    const char *heading = "";
    struct utsname self;

    rh_buf_addf(b, " %s, %s.\n", uname(&self) == 0 ? self.nodename : "a machine", system);
    rh_buf_add(b, "# Look at it before you apply it: rhost validate FILE; rhost apply --noop --diff FILE\n");
    for (size_t i = 0; i < c->n_parts; i++) {
        const struct rh_capture_part *part = &c->parts[i];
        const struct printing p = { &entries, a, sheet, sheet->types[rh_capture_type(part->type)] };

        if (strcmp(part->heading, heading) != 0)
            add_heading(&entries, heading = part->heading);
        add_part(&p, part);
    }
    rh_buf_add(b, strstr(rh_buf_text(&entries), "\n  - ") ? "resources:\n" : "resources: []\n");
    add_missing(b, sheet);
    rh_buf_addn(b, entries.s, entries.n);
    if (entries.s)
        explicit_bzero(entries.s, entries.n);
}
