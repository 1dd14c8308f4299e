/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-key - what is taken for the public key of a repository: bytes that may come from anywhere. */
#include "plugin-input.h"

#include "apt_repository/key.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    const char *why, *suffix = NULL, *text;
    struct key key = { 0 };
    rhost_value *all;

    why = key_complaint((const char *)data, size, &suffix); /* without a NUL behind it */
    must(suffix != NULL, "a suffix is set");
    rhost_fake_init(&fake);
    all = rhost_fake_hash(&fake);
    text = input_rest(&fake.ctx, &in);
    if (strlen(text) == size)
        must(why || strcmp(suffix, ".asc") != 0 || key_is_armored(text), "a key as text looks like one");
    if (*text != '/') { /* a path */
        all->host->put_string(all, "key", text, size);
        must(!key_of(&fake.ctx, rhost_get(all, "key"), &key) == !why, "a value is judged as bytes are");
        must(key.len == size || (key.len == size + 1 && key.bytes[size] == '\n'), "all of it is taken");
    }
    rhost_fake_clear(&fake);
    return 0;
}
