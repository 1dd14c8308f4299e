/* SPDX-License-Identifier: Apache-2.0 */
/* kit - rhost kit: rhost for a machine that does not have it, as one file. */
#include "config.h"

#include "cli/kit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print-value.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "reach/kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOWN_DIGEST = 12, LONGEST_TIME = 32 };

/* Its digest, or with `json` its description; the arena's. */
static const char *
check(struct rh_arena *a, const char *path, bool json, struct rh_error *err)
{
    rh_autokit struct rh_kit kit = RH_KIT_INIT;
    /* Under another name it has the digest that it has. */
    const char *digest =
        rh_kit_describe(&kit, path, NULL) == 0 ? rh_arena_printf(a, "--digest=%s", kit.digest) : NULL;
    const char *arguments[6];
    size_t n = 0;

    if (json)
        arguments[n++] = "--json";
    if (digest)
        arguments[n++] = digest;
    arguments[n++] = "--";
    arguments[n++] = "check";
    arguments[n++] = path;
    arguments[n] = NULL;
    return rh_program_output(a, "rhost-kit", arguments, err);
}

static int
verify(const char *path)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *report = check(a, path, false, &err);

    if (!report) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    (void)printf("%s: ok, %s", path, report);
    return RH_EXIT_OK;
}

static int
show(const char *path)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *report = check(a, path, true, &err);

    if (!report) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    (void)fputs(report, stdout);
    return RH_EXIT_OK;
}

static const char *
time_text(time_t when, char text[LONGEST_TIME])
{
    struct tm tm;

    if (!gmtime_r(&when, &tm) || !strftime(text, LONGEST_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm))
        text[0] = '\0';
    return text;
}

static int
list(const struct rh_settings *settings)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf json = { 0 };
    struct rh_kit *kits;
    size_t n;

    if (rh_kit_list(&kits, &n, NULL, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    for (size_t i = 0; i < n; i++) {
        char made[LONGEST_TIME];

        if (settings->format == RH_FORMAT_JSON) {
            rh_buf_add(&json, json.n ? ",\n{" : "\n{");
            rh_json_text(&json, "arch", kits[i].arch);
            rh_json_text(&json, "digest", kits[i].digest);
            rh_json_text(&json, "made", time_text(kits[i].made, made));
            rh_json_number(&json, "size", (int64_t)kits[i].size);
            rh_json_text(&json, "path", kits[i].path);
            rh_buf_addc(&json, '}');
        } else {
            (void)printf("%-8s %.*s  %s  %5.1f MB  %s\n", kits[i].arch, SHOWN_DIGEST, kits[i].digest,
                         time_text(kits[i].made, made), (double)kits[i].size / 1e6, kits[i].path);
        }
        rh_kit_clear(&kits[i]);
    }
    free(kits);
    if (settings->format == RH_FORMAT_JSON)
        (void)printf("[%s%s]\n", rh_buf_text(&json), n ? "\n" : "");
    else if (!n)
        (void)puts("no kits: 'rhost kit make' makes one");
    return RH_EXIT_OK;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "";
    bool makes = strcmp(what, "make") == 0;

    if (!makes && (settings->arch || settings->chosen_plugins || settings->packages || settings->output))
        return rh_usage_error(&rh_command_kit,
                              "--arch, --plugins, --from and --output are for 'rhost kit make'");
    if (makes && argc == 1)
        return rh_kit_command_make(settings);
    if (strcmp(what, "list") == 0 && argc == 1)
        return list(settings);
    if (strcmp(what, "verify") == 0 && argc == 2)
        return verify(argv[1]);
    if (strcmp(what, "show") == 0 && argc == 2)
        return show(argv[1]);
    return rh_usage_error(&rh_command_kit, "expected make, list, verify FILE or show FILE");
}

const struct rh_command rh_command_kit = {
    .name = "kit",
    .arguments = "make | list | verify | show",
    .summary = "make rhost for machines without it",
    .text = "A kit is one archive with rhost, its plugins and all libraries that they need.\n"
            "'make' makes one of what is installed here, or of packages; 'list' lists the\n"
            "kits that were made; 'verify FILE' checks one; 'show FILE' prints its JSON.\n",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_KIT | RH_OPT_POLICY,
    .run = run,
};
