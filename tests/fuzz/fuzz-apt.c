/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-apt - what apt-cache and apt-get print, and the file with the marks. */
#include "plugin-input.h"

#include "../../plugins/package/marks.c"
#define take_line take_policy_line
#include "../../plugins/package/policy.c"
#undef take_line
#include "../../plugins/package/plan.c"

static void
try_marks(rhost_ctx *ctx, const struct input *in, struct deb *deb)
{
    FILE *f = in->n ? fmemopen((void *)(uintptr_t)in->at, in->n, "r") : NULL;
    struct debs debs = { .native = "amd64" };
    struct marks marks = { 0 };

    if (!f)
        return;
    (void)read_stanzas(ctx, f, &marks);
    (void)fclose(f);
    if (marks.automatic.n)
        qsort(marks.automatic.at, marks.automatic.n, sizeof *marks.automatic.at, by_text);
    (void)marks_of(&marks, &debs, deb);
}

static void
try_policy(rhost_ctx *ctx, const char *text, const char *name, const char *wants)
{
    struct policies all = { .at = rhost_alloc(ctx, 3 * sizeof *all.at) };
    const struct policy *policy;
    char *lines = tool_text(ctx, text), *line;

    while ((line = words_line(&lines)))
        if (all.n < 2 || *line == ' ')
            take_policy_line(ctx, &all, line);
    policy = policy_find(&all, name, "amd64");
    if (policy)
        must(policy_choose(policy, wants) <= policy->versions.n, "what is chosen is of the list");
}

static void
try_plan(rhost_ctx *ctx, const char *text, struct jobs *jobs)
{
    struct plan plan = { .native = "amd64" };
    char *lines = tool_text(ctx, text), *line;

    while ((line = words_line(&lines)))
        take_line(ctx, jobs, line, &plan);
    (void)jobs_would_lose(ctx, &plan.removes);
    (void)fail_named(ctx, jobs, text);
    (void)lines_of_error(ctx, text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rhost_change change = { .name = NULL };
    struct job job = { .argument = "", .change = &change };
    struct jobs jobs = { .at = &job, .n = 1 };
    struct deb deb = { .arch = "all" };
    const char *text, *wants;

    rhost_fake_init(&fake);
    deb.name = job.name = input_line(&fake.ctx, &in);
    wants = input_line(&fake.ctx, &in);
    try_marks(&fake.ctx, &in, &deb);
    text = input_rest(&fake.ctx, &in);
    try_policy(&fake.ctx, text, job.name, wants);
    try_plan(&fake.ctx, text, &jobs);
    rhost_fake_clear(&fake);
    return 0;
}
