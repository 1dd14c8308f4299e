/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-dnf - the table that dnf shows of its transaction, and what it says of repositories. */
#include "plugin-input.h"

#include "../../plugins/package/dnf.c"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rpm_plan plan = { 0 };
    struct job job = { .argument = "" };
    struct jobs jobs = { .at = &job, .n = 1 };
    struct words found = { 0 };
    const char *text;

    rhost_fake_init(&fake);
    job.name = input_line(&fake.ctx, &in);
    text = input_rest(&fake.ctx, &in);
    (void)left_out(&fake.ctx, text);
    parse_table(&fake.ctx, text, &plan);
    for (size_t i = 0; i < plan.n; i++)
        must(plan.rows[i].heading && *plan.rows[i].name && *plan.rows[i].version, "a row has its fields");
    (void)rpm_plan_row(&plan, &job);
    rpm_plan_others(&fake.ctx, &jobs, &plan, "Remov", &found);
    must(found.n <= plan.n, "what is found is of the table");
    rpm_plan_versions(&jobs, &plan);
    (void)words_closest(&fake.ctx, text, job.name);
    rhost_fake_clear(&fake);
    return 0;
}
