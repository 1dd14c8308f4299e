/* SPDX-License-Identifier: Apache-2.0 */
/* foo_bar_baz - something with three properties, which is created in one way and updated in another. */
#include "text.h"

static const struct rhost_attr attrs[] = {
    { .name = "id", .type = "Pattern[/\\A\\//]", .desc = "The file that keeps it.",
      .behaviour = RHOST_NAMEVAR },
    { .name = "foo", .type = "Optional[String]", .desc = "One thing." },
    { .name = "bar", .type = "Optional[String]", .desc = "Another." },
    { .name = "baz", .type = "Optional[String]", .desc = "A third.", .initial = "\"unset\"" },
};

/* Lines of "name=value". */
static int32_t
foo_bar_baz_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
                 rhost_value *current)
{
    const char *id = rhost_str(name, "id");
    FILE *f = fopen(id, "r");
    char line[TEXT_MAX];

    (void)should;
    if (!f && errno == ENOENT)
        return RHOST_ABSENT;
    if (!f)
        return rhost_fail_errno(ctx, "cannot read '%s'", id);
    while (fgets(line, sizeof line, f)) {
        char *value = strchr(line, '=');

        if (!value)
            continue;
        *value++ = '\0';
        rhost_put_bytes(current, line, value, strcspn(value, "\n"));
    }
    fclose(f);
    return 0;
}

static int32_t
foo_bar_baz_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    static const char *const names[] = { "foo", "bar", "baz" };
    char text[TEXT_MAX] = "";
    size_t n = 0;

    if (!rhost_changed_any(ctx, change))
        return 0;
    rhost_info(ctx, "%s", change->is ? "updating" : "creating");
    for (size_t i = 0; i < 3; i++) {
        const char *value = rhost_str_of(change, names[i]);

        if (value && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s=%s\n", names[i], value);
    }
    return text_write(ctx, rhost_str(change->name, "id"), text);
}

static const struct rhost_provider foo_bar_baz = {
    RHOST_PROVIDER("foo_bar_baz", "Something with three properties."),
    RHOST_ATTRS(attrs),
    .load = foo_bar_baz_load,
    .converge = foo_bar_baz_converge,
};

RHOST_PLUGIN(foo_bar_baz, "1.0", &foo_bar_baz)
