/* SPDX-License-Identifier: Apache-2.0 */
/* rhost examples - manifests that run, from the pages of the manual. */
#include "config.h"

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/manual-text.h"
#include "cli/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "service" means the pages of all its providers: service-systemd. */
static bool
is_of(const char *name, const char *wanted)
{
    size_t n = strlen(wanted);

    return strncmp(name, wanted, n) == 0 && (!name[n] || name[n] == '-');
}

static int
count(const char *wanted)
{
    struct rh_manual_text e;
    int n = 0;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "example", &e));)
        n += is_of(e.name, wanted);
    return n;
}

static void
list(void)
{
    struct rh_manual_text e;
    const char *last = "";

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "example", &e));)
        if (strcmp(e.name, last) != 0) {
            int n = count(e.name);

            last = e.name;
            (void)printf("%-20s %d example%s\n", e.name, n, n == 1 ? "" : "s");
        }
}

static void
print(const char *wanted, int number, int all)
{
    struct rh_manual_text e;
    int n = 0;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "example", &e));) {
        if (!is_of(e.name, wanted) || ++n != number)
            continue;
        if (all > 1)
            (void)printf("# %d of %d: 'rhost examples %s %d' prints the next one\n", number, all, wanted,
                         number % all + 1);
        (void)fputs(e.text, stdout);
    }
}

static int
refuse_name(const char *wanted)
{
    struct rh_manual_text e;
    struct rh_suggest near;

    rh_suggest_init(&near, wanted);
    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "example", &e));)
        rh_suggest_try(&near, e.name);
    return rh_usage_unknown(&rh_command_examples, near.best, "'rhost examples' lists what has examples",
                            "no examples for '%s'", wanted);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    char *end = NULL;
    long number = 1;
    int all;

    (void)settings;
    if (argc > 2)
        return rh_usage_error(&rh_command_examples, "unexpected argument '%s'", argv[2]);
    if (argc == 0) {
        list();
        return RH_EXIT_OK;
    }
    all = *argv[0] ? count(argv[0]) : 0;
    if (!all)
        return refuse_name(argv[0]);
    if (argc > 1)
        number = strtol(argv[1], &end, 10);
    if (number < 1 || number > all || (end && (*end || end == argv[1])))
        return rh_usage_error(&rh_command_examples, "unknown example '%s': '%s' has 1 to %d", argv[1],
                              argv[0], all);
    print(argv[0], (int)number, all);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_examples = {
    .name = "examples",
    .arguments = "[TYPE [NUMBER]]",
    .summary = "print manifests that run, from the manual",
    .text = "TYPE is a resource type, or a guide of the manual such as users-and-keys. Without it, all\n"
            "that have examples are listed. What is printed is a manifest: 'rhost examples file >site.yaml'.",
    .options = RH_OPT_COMMON,
    .run = run,
};
