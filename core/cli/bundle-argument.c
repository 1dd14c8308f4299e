/* SPDX-License-Identifier: Apache-2.0 */
/* bundle-argument - a bundle instead of a manifest: it is verified, and unpacked below the state directory.
 */
#include "config.h"

#include "cli/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "cli/session.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* By its name alone: what is in it is not trusted before its signature was verified. */
static bool
is_bundle(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = name[0] == 'r' ? strspn(name + 1, "0123456789") : 0;

    return n && strcmp(name + 1 + n, ".json") == 0;
}

static int
take(struct rh_arena *a, struct rh_settings *settings, char **path)
{
    rh_autofree char *state = rh_session_safe_state_dir(settings);
    const char *signers = settings->signers ? settings->signers : RH_BUNDLE_SIGNERS;
    rh_autoerror struct rh_error err = { 0 };
    const char *arguments[6], *output;
    char *revision, *manifest;
    size_t n = 0;

    if (!state)
        return -1;
    arguments[n++] = rh_arena_printf(a, "--directory=%s/bundles", state);
    if (!settings->insecure)
        arguments[n++] = rh_arena_printf(a, "--signers=%s", signers);
    arguments[n++] = "--";
    arguments[n++] = "unpack";
    arguments[n++] = *path;
    arguments[n] = NULL;
    output = rh_program_output(a, "rhost-bundle", arguments, &err);
    if (!output) {
        rh_refuse_error(NULL, &err);
        return -1;
    }
    revision = rh_arena_strdup(a, output);
    manifest = strchr(revision, '\n');
    if (!manifest || !strchr(manifest + 1, '\n')) {
        rh_refuse("rhost-bundle gave an answer that cannot be used");
        return -1;
    }
    *manifest++ = '\0';
    *strchr(manifest, '\n') = '\0';
    free(settings->bundled);
    settings->bundled = rh_xstrdup(revision);
    settings->revision = settings->bundled;
    *path = manifest;
    return 0;
}

int
rh_bundle_argument(struct rh_arena *a, struct rh_settings *settings, int argc, char **argv)
{
    const char *bundle = NULL;

    for (int i = 0; i < argc; i++)
        if (is_bundle(argv[i]))
            bundle = argv[i];
    if (!bundle && !settings->signers && !settings->insecure)
        return 0;
    if (!bundle) {
        rh_refuse("--signers and --insecure are for bundles, and '%s' is none", argc > 0 ? argv[0] : "");
        return -1;
    }
    if (argc > 1) {
        rh_refuse("'%s' is a bundle: name it alone", bundle);
        return -1;
    }
    if (settings->revision) {
        rh_refuse("a bundle has its own revision: leave out --revision");
        return -1;
    }
    return take(a, settings, &argv[0]);
}

/* It becomes the name of a file. */
static bool
can_be_device(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    return *name && *name != '.' && !name[strspn(name, letters)];
}

int
rh_bundle_argument_of_device(struct rh_arena *a, struct rh_settings *settings, const char *device, int argc,
                             char **argv)
{
    const char *given = argv[0], *slash;

    if (rh_bundle_argument(a, settings, argc, argv) < 0)
        return -1;
    if (argv[0] == given)
        return 0;
    if (!can_be_device(device)) {
        rh_refuse(
            "a bundle has no manifest for the device '%s': a name must have letters, digits, '.', '_' and "
            "'-' only",
            device);
        return -1;
    }
    slash = strrchr(argv[0], '/');
    argv[0] = rh_arena_printf(a, "%.*s/devices/%s.yaml", slash ? (int)(slash - argv[0]) : 1,
                              slash ? argv[0] : ".", device);
    return 0;
}
