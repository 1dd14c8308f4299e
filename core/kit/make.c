/* SPDX-License-Identifier: Apache-2.0 */
/* make - puts a kit together and writes it. */
#include "config.h"

#include "kit/make.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/output-file.h"
#include "base/text.h"
#include "kit/archive.h"
#include "kit/contents.h"
#include "kit/plugins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1, NO_VERSION = 9999 };

/* The newest interface of the C library that programs and libraries of the kit use; no machine has one that
 * is new enough when they use what only their own has. */
static void
needed_glibc(const struct rh_contents *c, unsigned version[3])
{
    memset(version, 0, 3 * sizeof *version);
    for (size_t i = 0; i < c->n; i++) {
        const unsigned *v = c->v[i].elf.glibc;

        if (strncmp(c->v[i].path, "libc/", 5) == 0)
            continue;
        if (c->v[i].elf.private_glibc)
            version[0] = NO_VERSION;
        if (v[0] > version[0] || (v[0] == version[0] && v[1] > version[1]))
            memcpy(version, v, 3 * sizeof *version);
    }
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The script with its words in place of @WORD@. */
static char *
start_script(const char *system_loader, const unsigned glibc[3])
{
    rh_autofree char *major = rh_printf("%u", glibc[0]), *minor = rh_printf("%u", glibc[1]);
    const char *const words[][2] = {
        { "@LOADER@", base_name(system_loader) },
        { "@SYSTEM_LOADER@", system_loader },
        { "@MAJOR@", major },
        { "@MINOR@", minor },
    };
    rh_autobuf struct rh_buf b = { 0 };

    for (const char *p = rh_kit_start_script; *p;) {
        size_t i = 0;

        while (i < 4 && strncmp(p, words[i][0], strlen(words[i][0])) != 0)
            i++;
        if (i < 4) {
            rh_buf_add(&b, words[i][1]);
            p += strlen(words[i][0]);
        } else {
            rh_buf_addc(&b, *p++);
        }
    }
    return rh_buf_take(&b);
}

static char *
describe(struct rh_contents *c, const struct rh_kit_request *r, const char *packages, const char *loader,
         const unsigned glibc[3])
{
    rh_autobuf struct rh_buf b = { 0 };
    rh_autofree char *version = rh_printf("%u.%u", glibc[0], glibc[1]);

    rh_buf_add(&b, "{\n");
    rh_buf_addf(&b, "\"format\": %d,\n\"rhost\": ", FORMAT);
    if (r->version)
        rh_buf_addf(&b, "\"%s\"", r->version);
    else
        rh_buf_add(&b, "null");
    rh_buf_addf(
        &b,
        ",\n\"arch\": \"%s\",\n\"glibc\": %s%s%s,\n\"loader\": \"libc/%s\",\n\"system_loader\": \"%s\",\n",
        c->arch, glibc[0] == NO_VERSION ? "" : "\"", glibc[0] == NO_VERSION ? "null" : version,
        glibc[0] == NO_VERSION ? "" : "\"", base_name(loader), loader);
    rh_buf_addf(&b, "\"plugins\": [");
    rh_kit_plugins_json(&b, c);
    rh_buf_addf(&b, "\n],\n\"packages\": [%s],\n\"files\": [", packages ? packages : "");
    rh_contents_sort(c);
    for (size_t i = 0; i < c->n; i++) {
        rh_buf_add(&b, i ? ",\n{" : "\n{");
        rh_json_text(&b, "path", c->v[i].path);
        rh_json_number(&b, "size", (int64_t)c->v[i].n);
        rh_json_text(&b, "sha256", c->v[i].sum);
        rh_buf_addc(&b, '}');
    }
    rh_buf_add(&b, "\n]\n}\n");
    return rh_buf_take(&b);
}

/* It stands in the start script, where other characters than these would mean something. */
static bool
is_loader(const char *path)
{
    return *path == '/'
           && !path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-")];
}

/* Programs first: the first one says the architecture and the loader. */
static int
collect(struct rh_contents *c, const struct rh_kit_request *r, struct rh_error *err)
{
    const char *program = r->program ? r->program : "/usr/bin/rhost";
    const char *worker = r->worker ? r->worker : "/usr/libexec/rhost/rhost-worker";
    const char *loader;
    int rc;

    if (rh_contents_read(c, "bin/rhost", program, err) < 0)
        return rh_error_prefix(err, "the kit has no program rhost");
    if (r->arch && strcmp(c->arch, r->arch) != 0)
        return rh_error_set(err, RH_EINPUT, "'%s' is for %s, and not for %s%s", program, c->arch, r->arch,
                            r->packages ? "" : ": use --from=DIR with packages of that architecture");
    loader = rh_contents_get(c, "bin/rhost")->elf.interpreter;
    if (loader && !is_loader(loader))
        return rh_error_set(err, RH_EINPUT, "'%s' has no dynamic loader with a plain name", program);
    rc = rh_contents_read(c, "bin/rhost-worker", worker, err);
    if (rc == 1)
        return rh_error_set(err, RH_EINPUT, "'%s' is for another architecture than '%s'", worker, program);
    return rc < 0 || rh_kit_add_plugins(c, r, err) < 0 || rh_contents_add_libraries(c, err) < 0 ? -1 : 0;
}

/* What is made of the rest: the start script, kit.json and SHA256SUMS. */
static void
complete(struct rh_contents *c, const struct rh_kit_request *r, const char *packages)
{
    rh_autofree char *loader = rh_xstrdup(rh_contents_get(c, "bin/rhost")->elf.interpreter);
    rh_autobuf struct rh_buf sums = { 0 };
    unsigned glibc[3];
    char *text;

    needed_glibc(c, glibc);
    text = start_script(loader, glibc);
    (void)rh_contents_add(c, "rhost", text, strlen(text), true);
    text = describe(c, r, packages, loader, glibc);
    (void)rh_contents_add(c, "kit.json", text, strlen(text), false);
    rh_archive_sums(&sums, c);
    (void)rh_contents_add(c, "SHA256SUMS", sums.s, sums.n, false);
    sums = (struct rh_buf){ 0 };
    rh_contents_sort(c);
}

static int
write_file(const struct rh_contents *c, const char *path, uint64_t *size, struct rh_error *err)
{
    struct rh_output_file f;
    int rc;

    if (rh_output_file_open(&f, path, 0644, err) < 0)
        return -1;
    /* The text of the command goes there: rhost reads it. */
    rc = f.standard ? rh_error_set(err, RH_EINPUT, "cannot write the kit to standard output")
                    : rh_archive_write(c, f.fd, size, err);
    if (rh_output_file_close(&f, rc == 0) < 0 && rc == 0)
        rc = rh_error_system(err, errno, "cannot write '%s'", path);
    return rc;
}

static char *
absolute(const char *path)
{
    rh_autofree char *here = NULL;

    if (*path == '/')
        return rh_xstrdup(path);
    here = getcwd(NULL, 0);
    return here ? rh_printf("%s/%s", here, path) : rh_xstrdup(path);
}

static void
print(struct rh_contents *c, const struct rh_kit_request *r, const char *path, uint64_t size)
{
    const struct rh_content *json = rh_contents_get(c, "kit.json");
    uint64_t total = 0, libc = 0;
    size_t plugins = 0;

    if (r->json) {
        (void)fwrite(json->bytes, 1, json->n, stdout);
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        bool plugin = strncmp(c->v[i].path, "plugins/", 8) == 0;

        total += c->v[i].n;
        libc += strncmp(c->v[i].path, "libc/", 5) == 0 ? c->v[i].n : 0;
        plugins += plugin && c->v[i].elf.arch;
    }
    (void)printf("%s\n%zu plugins, %zu files, %.1f MB (%.1f MB of them the C library), %.1f MB compressed\n",
                 path, plugins, c->n, (double)total / 1e6, (double)libc / 1e6, (double)size / 1e6);
}

int
rh_kit_make(const struct rh_kit_request *r, struct rh_error *err)
{
    struct rh_contents c __attribute__((cleanup(rh_contents_clear))) = { .root = -1 };
    rh_autobuf struct rh_buf packages = { 0 };
    rh_autofree char *output = r->output ? absolute(r->output) : NULL;
    rh_autofree char *directory = absolute(r->directory);
    char *unpacked __attribute__((cleanup(rh_kit_remove))) = NULL;
    uint64_t size = 0;

    if (r->packages && rh_kit_unpack(&c, r->packages, &packages, &unpacked, err) < 0)
        return -1;
    if (collect(&c, r, err) < 0)
        return -1;
    complete(&c, r, packages.s);
    if (!output) {
        if (rh_make_directory(directory, 0755, err) < 0)
            return -1;
        output =
            rh_printf("%s/rhost-kit-%s-%s.tar.gz", directory, c.arch, rh_contents_get(&c, "SHA256SUMS")->sum);
    }
    if (write_file(&c, output, &size, err) < 0)
        return -1;
    print(&c, r, output, size);
    return 0;
}
