/* SPDX-License-Identifier: Apache-2.0 */
/* plan - rhost plan -o PLAN FILE...: a dry run that is kept, to be reviewed and applied. */
#include "config.h"

#include "cli/plan.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/output-file.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "run/lock.h"
#include "run/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What can be read only once can't be compared with what it was. */
static int
refuse_streams(char **files, int n)
{
    struct stat st;

    for (int i = 0; i < n; i++)
        if (strcmp(files[i], "-") == 0 || (stat(files[i], &st) == 0 && !S_ISREG(st.st_mode))) {
            rh_refuse_hint("save the manifest as a file", "cannot plan '%s': apply must read it again",
                           strcmp(files[i], "-") == 0 ? "standard input" : files[i]);
            return -1;
        }
    return 0;
}

static int
keep(struct rh_session *s, const struct rh_plan_key *key, char **files, int n)
{
    rh_autofree char *directory = getcwd(NULL, 0);
    rh_autobuf struct rh_buf json = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_settings *o = s->settings;
    const struct rh_value *head =
        rh_plan_head(s, key, directory ? directory : "/", (const char *const *)files, (size_t)n, &err);

    if (head)
        rh_planning_write(s->planning, head, &json);
    if (!head || rh_write_output(o->output, json.s, json.n, 0600, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    if (o->format == RH_FORMAT_TEXT && !o->quiet) {
        rh_autofree char *name = rh_safe_text(o->output);

        (void)printf("plan written to '%s': 'rhost show' shows it, 'rhost apply' applies it\n", name);
    }
    return rh_planning_changes(s->planning) ? RH_EXIT_CHANGED : RH_EXIT_OK;
}

static int
make(struct rh_session *s, char **files, int n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_plan_key key;
    int status;

    if (s->state < 0) { /* it tells why */
        rh_lock_free(rh_session_lock(s->settings, s->state_dir, &s->state));
        return RH_EXIT_REFUSED;
    }
    if (rh_plan_key_open(s->state_dir, &key, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    if (rh_session_load(s, (const char *const *)files, (size_t)n) < 0)
        return RH_EXIT_REFUSED;
    s->planning = rh_planning_new(&key, &s->catalog, &s->sources);
    status = rh_execute(s);
    if (status == RH_EXIT_OK)
        status = keep(s, &key, files, n);
    else if (status < 128 && status != RH_EXIT_REFUSED)
        rh_refuse("no plan was written: not everything could be planned");
    rh_planning_free(s->planning);
    s->planning = NULL;
    return status;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    int status;

    if (argc < 1)
        return rh_usage_error(&rh_command_plan, "no manifest given: name at least one FILE");
    if (!settings->output)
        return rh_usage_error(&rh_command_plan,
                              "no file given for the plan: use -o PLAN; 'rhost apply --noop' "
                              "shows what would change");
    if (refuse_streams(argv, argc) < 0
        || rh_output_check(settings->output, (const char *const *)argv, (size_t)argc, true) < 0)
        return RH_EXIT_REFUSED;
    settings->runs = settings->noop = true;
    settings->detailed = false;
    rh_session_open(&s, settings);
    s.pool.options.diff = true; /* a review sees whole texts */
    status = make(&s, argv, argc);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_plan = {
    .name = "plan",
    .arguments = "-o PLAN FILE...",
    .summary = "save what applying manifests would change",
    .text =
        "A dry run, kept in the file PLAN: 'rhost show PLAN' shows it for a review, and 'rhost apply PLAN'\n"
        "does exactly that, or nothing. No secret is in it. Exit status: 0 nothing would change, 2 "
        "something\n"
        "would, 1 refused, 4 something could not be planned: no plan is written.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_RUN | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_LIST
               | RH_OPT_OUTPUT,
    .run = run,
};
