/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-sysctl - "key = value" in a file of sysctl.d(5). */
#include "plugin-input.h"

#include "sysctl/entry.h"

static int
is_plain(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._") == strlen(s);
}

/* Canonical: no empty part. */
static int
is_key(const char *s)
{
    return *s != '.' && s[strlen(s) - 1] != '.' && !strstr(s, "..");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rhost_lines *l;
    const char *key, *value, *is;

    rhost_fake_init(&fake);
    key = input_line(&fake.ctx, &in);
    value = input_line(&fake.ctx, &in);
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    (void)entry_value(&fake.ctx, l, key);
    if (is_plain(key) && is_key(key) && is_plain(value)) {
        entry_put(&fake.ctx, l, key, value);
        is = entry_value(&fake.ctx, l, key);
        must(is && strcmp(is, value) == 0, "an entry that was written is read");
        entry_remove(&fake.ctx, l, key);
        must(!entry_value(&fake.ctx, l, key), "an entry that was removed is gone");
    }
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
