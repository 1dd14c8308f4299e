/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-zypper - what zypper answers as XML and as text. */
#include "plugin-input.h"

#include "../../plugins/package/zypper-ask.c"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rpm_plan plan = { 0 };
    struct rpms found;
    const char *text;

    rhost_fake_init(&fake);
    text = input_rest(&fake.ctx, &in);
    zypper_parse_plan(&fake.ctx, text, &plan);
    for (size_t i = 0; i < plan.n; i++)
        must(plan.rows[i].heading && plan.rows[i].name && plan.rows[i].version, "a row has its fields");
    take_packages(&fake.ctx, text, "solvable", &found);
    (void)rpms_names(&fake.ctx, &found);
    (void)zypper_complaints(&fake.ctx, text);
    (void)zypper_left_out(&fake.ctx, text);
    must(strlen(zypper_unfold(&fake.ctx, text)) <= strlen(text) + 1, "unfolded text is no longer");
    (void)zypper_script_errors(&fake.ctx, text);
    rhost_fake_clear(&fake);
    return 0;
}
