/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-ini - settings in sections: what was written is read, and what was removed is gone. */
#include "plugin-input.h"

#include "ini_setting/ini.h"

static int
look(void *data, struct ini_part section, struct ini_part setting, const struct ini_found *found)
{
    const struct rhost_lines *l = data;

    (void)section;
    (void)setting;
    must(found->last < l->n && found->n > 0, "a setting that is told is there");
    return 0;
}

/* What the types of the attributes let through. */
static int
is_plain(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == strlen(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ini_style styles[] = {
        { .separator = " = ", .mark = '=' },
        { .separator = "=", .mark = '=', .quote = '"', .comments = 1 },
        { .separator = ": ", .mark = ':', .quote = '\'' },
        { .separator = " ", .mark = ' ', .comments = 1, .indent = "\t" },
    };
    struct input in = { (const char *)data, size };
    const struct ini_style *style = &styles[size % 4];
    struct rhost_fake fake;
    struct rhost_lines *l;
    const char *section, *setting, *value;
    struct ini_found found;

    rhost_fake_init(&fake);
    section = input_line(&fake.ctx, &in);
    setting = input_line(&fake.ctx, &in);
    value = input_line(&fake.ctx, &in);
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    (void)ini_each(l, style, look, l);
    (void)ini_find(l, style, section, setting);
    if (is_plain(setting) && is_plain(value) && (!*section || is_plain(section))) {
        ini_put(&fake.ctx, l, style, section, setting, value);
        found = ini_find(l, style, section, setting);
        must(found.n && found.has_value && found.value.len == strlen(value)
                 && memcmp(found.value.at, value, found.value.len) == 0,
             "a setting that was written is read");
        (void)ini_each(l, style, look, l);
        ini_remove(l, style, section, setting, (int)(size / 4 % 2));
        must(!ini_find(l, style, section, setting).n, "a setting that was removed is gone");
    }
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
