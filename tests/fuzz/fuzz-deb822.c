/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-deb822 - the sources of apt in the format of deb822, read and edited. */
#include "plugin-input.h"

#include "apt_repository/fields.h"
#include "apt_repository/stanza.h"

static int
is_field(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == strlen(s)
           && *s != '-';
}

/* As the provider has them: no blanks at the ends. */
static int
is_value(const char *s)
{
    size_t n = strlen(s);

    return n && !strpbrk(s, "\r") && s[0] > ' ' && s[n - 1] > ' ';
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct stanza_field field;
    struct rhost_lines *l;
    const char *name, *value;
    size_t at = 0;
    int n;

    rhost_fake_init(&fake);
    name = input_line(&fake.ctx, &in);
    value = input_line(&fake.ctx, &in);
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    n = stanza_count(l, &at);
    must(n >= 0 || at < l->n, "the line at fault is there");
    for (size_t from = 0; stanza_next(&fake.ctx, l, from, &field); from = field.line + field.n_lines) {
        rhost_value *into = rhost_fake_hash(&fake);

        must(field.n_lines > 0 && field.line + field.n_lines <= l->n, "a field has lines of the file");
        fields_put_words(&fake.ctx, into, "uris", field.value);
        (void)fields_signed_by(&fake.ctx, field.value);
        (void)fields_is_yes(field.value);
        (void)fields_attribute(field.name);
    }
    if (is_field(name) && is_value(value) && n >= 0) {
        stanza_put(&fake.ctx, l, name, value);
        must(stanza_find(&fake.ctx, l, name, &field) && strcmp(field.value, value) == 0,
             "a field that was written is read");
        stanza_put(&fake.ctx, l, name, NULL);
    }
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
