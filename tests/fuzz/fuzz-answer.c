/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-answer - a line of JSON that the program of a bridge sends, read and written again. */
#include "plugin-input.h"

#include "bridge/json.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct text why = { 0 }, first = { 0 }, again = { 0 };
    struct rhost_fake fake;
    rhost_value *all;

    rhost_fake_init(&fake);
    all = rhost_fake_hash(&fake);
    if (json_read(&fake.ctx, all, "a", in.at ? in.at : "", in.n, &why) == 0) {
        json_write(&first, rhost_get(all, "a"));
        must(json_read(&fake.ctx, all, "b", first.s, first.n, &why) == 0, "what was written can be read");
        json_write(&again, rhost_get(all, "b"));
        must(first.n == again.n && memcmp(first.s, again.s, first.n) == 0, "and is the same");
    } else {
        must(why.n > 0, "it says why not");
    }
    text_clear(&first);
    text_clear(&again);
    text_clear(&why);
    rhost_fake_clear(&fake);
    return 0;
}
