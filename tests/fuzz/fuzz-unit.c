/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-unit - the text of a unit file, as sections of settings and back: what was read once is read the
 * same from the text that is made of it. */
#include "plugin-input.h"

#include "systemd_unit/settings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    rhost_value *first, *again;
    const char *text;

    rhost_fake_init(&fake);
    first = rhost_fake_hash(&fake);
    again = rhost_fake_hash(&fake);
    settings_parse(&fake.ctx, input_rest(&fake.ctx, &in), first, "settings");
    text = settings_text(&fake.ctx, rhost_get(first, "settings"));
    settings_parse(&fake.ctx, text, again, "settings");
    (void)settings_text(&fake.ctx, rhost_get(again, "settings"));
    settings_tidy(&fake.ctx, first, "settings");
    rhost_fake_clear(&fake);
    return 0;
}
