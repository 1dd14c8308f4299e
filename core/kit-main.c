/* SPDX-License-Identifier: Apache-2.0 */
/* kit-main - the program that makes and checks kits, for `rhost kit`. The libraries that read packages and
 * ELF files are its own, and not the host's. */
#include "config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/standard.h"
#include "base/start.h"
#include "kit/archive.h"
#include "kit/contents.h"
#include "kit/make.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
refuse(struct rh_error *err)
{
    (void)fprintf(stderr, "rhost-kit: %s\n", err->message);
    return 1;
}

/* Checks the kit, and prints its kit.json with --json, else its digest. */
static int
check(const struct rh_kit_request *r, const char *path, const char *digest)
{
    struct rh_contents c __attribute__((cleanup(rh_contents_clear))) = { .root = -1 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_content *json;
    char found[65];

    if (rh_archive_check(path, digest, found, &c, &err) < 0)
        return refuse(&err);
    json = rh_contents_get(&c, "kit.json");
    if (!json) {
        rh_error_set(&err, RH_EINPUT, "the kit '%s' cannot be used: it has no kit.json", path);
        return refuse(&err);
    }
    if (r->json)
        (void)fwrite(json->bytes, 1, json->n, stdout);
    else
        (void)printf("%s\n", found);
    return 0;
}

int
main(int argc, char **argv)
{
    enum {
        TAKE_PROGRAM = 256,
        TAKE_WORKER,
        TAKE_PACKAGES,
        TAKE_PLUGINS,
        TAKE_ARCH,
        TAKE_VERSION,
        TAKE_DIRECTORY,
        TAKE_OUTPUT,
        TAKE_JSON,
        TAKE_DIGEST
    };
    static const struct option options[] = {
        { "program", required_argument, NULL, TAKE_PROGRAM },
        { "worker", required_argument, NULL, TAKE_WORKER },
        { "packages", required_argument, NULL, TAKE_PACKAGES },
        { "plugins", required_argument, NULL, TAKE_PLUGINS },
        { "arch", required_argument, NULL, TAKE_ARCH },
        { "version", required_argument, NULL, TAKE_VERSION },
        { "directory", required_argument, NULL, TAKE_DIRECTORY },
        { "output", required_argument, NULL, TAKE_OUTPUT },
        { "json", no_argument, NULL, TAKE_JSON },
        { "digest", required_argument, NULL, TAKE_DIGEST },
        { 0 },
    };
    struct rh_kit_request r = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const char *digest = NULL;
    int option, status;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return 71;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case TAKE_PROGRAM:
            r.program = optarg;
            break;
        case TAKE_WORKER:
            r.worker = optarg;
            break;
        case TAKE_PACKAGES:
            r.packages = optarg;
            break;
        case TAKE_PLUGINS:
            r.plugins = optarg;
            break;
        case TAKE_ARCH:
            r.arch = optarg;
            break;
        case TAKE_VERSION:
            r.version = optarg;
            break;
        case TAKE_DIRECTORY:
            r.directory = optarg;
            break;
        case TAKE_OUTPUT:
            r.output = optarg;
            break;
        case TAKE_JSON:
            r.json = true;
            break;
        case TAKE_DIGEST:
            digest = optarg;
            break;
        default:
            return 64;
        }
    }
    if (argc - optind == 2 && strcmp(argv[optind], "check") == 0)
        status = check(&r, argv[optind + 1], digest);
    else if (argc > optind && strcmp(argv[optind], "make") == 0 && r.directory && (r.packages || r.program)) {
        r.files = (const char *const *)argv + optind + 1;
        r.n_files = (size_t)(argc - optind - 1);
        status = rh_kit_make(&r, &err) < 0 ? refuse(&err) : 0;
    } else {
        (void)fputs("rhost-kit is started by 'rhost kit', and does nothing by itself\n", stderr);
        return 64;
    }
    return rh_standard_close() < 0 ? 1 : status;
}
