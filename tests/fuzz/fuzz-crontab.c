/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-crontab - jobs with a name in the lines of a crontab, and their times. */
#include "plugin-input.h"

#include "cron/job.h"
#include "cron/tab.h"
#include "cron/times.h"

static void
try_times(rhost_ctx *ctx, const char *text)
{
    for (size_t i = 0; i < TIMES; i++) {
        char *once = (char *)rhost_alloc(ctx, strlen(text) * 3 + 2);
        char *twice;
        char why[200] = "";

        if (times_tidy(i, text, once, why, sizeof why) < 0)
            continue;
        twice = (char *)rhost_alloc(ctx, strlen(once) * 3 + 2);
        must(times_tidy(i, once, twice, why, sizeof why) == 0 && strcmp(once, twice) == 0,
             "the canonical form of a field is canonical");
    }
    (void)times_special(text, strlen(text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rhost_lines *l;
    struct tab_job job;
    const char *name;

    rhost_fake_init(&fake);
    name = input_line(&fake.ctx, &in);
    try_times(&fake.ctx, input_line(&fake.ctx, &in));
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    for (int system = 0; system < 2; system++) {
        for (size_t from = 0; tab_next(l, system, &from, &job);) {
            must(job.from + job.n <= l->n && job.n > 0, "a job has lines of the file");
            job_report(&fake.ctx, rhost_fake_hash(&fake), l, system ? "/etc/cron.d/x" : "root", &job);
        }
        (void)tab_find(l, system, name, &job);
    }
    for (size_t i = 0; i < l->n; i++)
        (void)tab_is_job(l, i);
    tab_remove(l, 0, name);
    must(!tab_find(l, 0, name, &job), "a job that was removed is gone");
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
