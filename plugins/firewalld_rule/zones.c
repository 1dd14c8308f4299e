/* SPDX-License-Identifier: Apache-2.0 */
/* zones - reads what `--list-all-zones` prints:
 *
 *     public (active)
 *       target: default
 *       services: dhcpv6-client ssh
 *       masquerade: no
 *       rich rules:
 *     	rule family="ipv4" accept
 */

#include "zones.h"

/* How many lines and words the text has, which is more than it has zones and items. */
static size_t
count_words(const char *text)
{
    size_t n = 1;

    for (; *text; text++)
        n += *text == ' ' || *text == '\n' || *text == '\t';
    return n;
}

static void
add_item(rhost_ctx *ctx, struct zones *zones, const struct kind *kind, const char *text, size_t len)
{
    struct item *item = &zones->items[zones->n_items];
    const char *why;

    if (!len || !zones->n_names)
        return;
    item->zone = zones->names[zones->n_names - 1];
    item->kind = kind;
    item->listed = kind->flag ? "" : rhost_copy(ctx, text, len);
    item->value = kind_canonical(ctx, kind, item->listed, &why);
    if (!item->value) /* of a newer firewalld: nobody can name it, and it is listed as it is */
        item->value = item->listed;
    zones->n_items++;
}

/* A line such as "  services: dhcpv6-client ssh"; what its values are. */
static const struct kind *
read_section(rhost_ctx *ctx, struct zones *zones, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len), *end = line + len, *p;
    const struct kind *kind = colon ? kind_listed(line, (size_t)(colon - line)) : NULL;

    if (!kind || kind->lines)
        return kind;
    for (p = colon + 1; p < end;) {
        size_t word;

        p += strspn(p, " ");
        if (p >= end)
            break;
        word = strcspn(p, " \n");
        if (!kind->flag || (word == 3 && strncmp(p, "yes", 3) == 0))
            add_item(ctx, zones, kind, p, word);
        p += word;
    }
    return kind;
}

static void
read_listing(rhost_ctx *ctx, struct zones *zones, const char *text)
{
    const struct kind *kind = NULL;
    size_t room = count_words(text);

    zones->names = rhost_alloc(ctx, room * sizeof *zones->names);
    zones->items = rhost_alloc(ctx, room * sizeof *zones->items);
    while (*text) {
        size_t len = strcspn(text, "\n"), blanks = strspn(text, " \t");

        while (len && text[len - 1] == ' ')
            len--;
        if (blanks == 0 && len) {
            zones->names[zones->n_names++] = rhost_copy(ctx, text, strcspn(text, " \n"));
            kind = NULL;
        } else if (*text == '\t' && kind && kind->lines && len > blanks) {
            add_item(ctx, zones, kind, text + blanks, len - blanks);
        } else if (len > blanks) {
            kind = read_section(ctx, zones, text + blanks, len - blanks);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

int32_t
zones_read(rhost_ctx *ctx, enum tool tool, struct zones *zones)
{
    static const char *const options[] = { "--list-all-zones", NULL };
    const char *out, *why;
    int32_t answer = tool_run(ctx, tool, options, NULL, 0, 1, &out, &why);

    *zones = (struct zones){ .tool = tool };
    if (answer == TOOL_DONE)
        read_listing(ctx, zones, out);
    if (answer != TOOL_REFUSED)
        return answer;
    return rhost_fail(ctx, "%s cannot list the zones: %s", tool_name(tool), why);
}

int32_t
firewall_read(rhost_ctx *ctx, struct firewall *firewall)
{
    int32_t answer = zones_read(ctx, TOOL_PERMANENT, &firewall->permanent);

    firewall->runs = answer == TOOL_DONE;
    firewall->running = (struct zones){ .tool = TOOL_RUNNING };
    if (answer == TOOL_DONE) {
        answer = zones_read(ctx, TOOL_RUNNING, &firewall->running);
        if (answer == TOOL_NOT_RUNNING)
            return rhost_fail(ctx, "firewalld has ended while it was asked");
    } else if (answer == TOOL_NOT_RUNNING) {
        rhost_log(
            ctx, RHOST_INFO,
            "firewalld does not run: firewall-offline-cmd reads and changes its permanent configuration");
        answer = zones_read(ctx, TOOL_OFFLINE, &firewall->permanent);
    }
    return answer < 0 ? -1 : 0;
}

int
zones_have(const struct zones *zones, const char *zone)
{
    for (size_t i = 0; i < zones->n_names; i++)
        if (strcmp(zones->names[i], zone) == 0)
            return 1;
    return 0;
}

const char *
zones_with(const struct zones *zones, const struct kind *kind, const char *value)
{
    for (size_t i = 0; i < zones->n_items; i++)
        if (zones->items[i].kind == kind && strcmp(zones->items[i].value, value) == 0)
            return zones->items[i].zone;
    return NULL;
}

const struct item *
zones_find(const struct zones *zones, const char *zone, const struct kind *kind, const char *value, int some)
{
    for (size_t i = 0; i < zones->n_items; i++) {
        const struct item *item = &zones->items[i];

        if (item->kind == kind && strcmp(item->zone, zone) == 0
            && kind_covers(kind, item->value, value, some))
            return item;
    }
    return NULL;
}
