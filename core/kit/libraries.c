/* SPDX-License-Identifier: Apache-2.0 */
/* libraries - finds the shared libraries that the files of a kit need, as the dynamic loader would. */
#include "config.h"

#include "kit/contents.h"

#include "base/alloc.h"
#include "base/error.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 8, MOST_LIBRARIES = 500 };

/* The C library and what is built with it: each works with its own only. */
static const char *const libc_parts[] = {
    "ld-linux",       "ld.so",         "ld64.so",   "libc.so",          "libm.so",
    "libmvec.so",     "libpthread.so", "libdl.so",  "librt.so",         "libresolv.so",
    "libutil.so",     "libanl.so",     "libnsl.so", "libnss_compat.so", "libnss_dns.so",
    "libnss_files.so"
};

/* Looked for by the C library itself when it runs. */
static const char *const dynamic_names[] = { "libnss_files.so.2", "libnss_compat.so.2", "libnss_dns.so.2" };

/* Where libraries of an architecture are. */
static const struct {
    const char *arch, *directories[5];
} places[] = {
    { "x86_64", { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64" } },
    { "i386", { "/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu", "/lib32", "/usr/lib32" } },
    { "aarch64", { "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64" } },
    { "arm",
      { "/lib/arm-linux-gnueabihf", "/usr/lib/arm-linux-gnueabihf", "/lib/arm-linux-gnueabi",
        "/usr/lib/arm-linux-gnueabi" } },
    { "riscv64",
      { "/lib/riscv64-linux-gnu", "/usr/lib/riscv64-linux-gnu", "/lib64/lp64d", "/usr/lib64/lp64d",
        "/usr/lib64" } },
    { "ppc64le", { "/lib/powerpc64le-linux-gnu", "/usr/lib/powerpc64le-linux-gnu", "/lib64", "/usr/lib64" } },
    { "s390x", { "/lib/s390x-linux-gnu", "/usr/lib/s390x-linux-gnu", "/lib64", "/usr/lib64" } },
};

static bool
is_libc(const char *name)
{
    for (size_t i = 0; i < sizeof libc_parts / sizeof libc_parts[0]; i++)
        if (strncmp(name, libc_parts[i], strlen(libc_parts[i])) == 0)
            return true;
    return false;
}

static char *
path_in_kit(const char *name)
{
    return rh_printf("%s/%s", is_libc(name) ? "libc" : "lib", name);
}

/* Tries one directory: 0 found, 1 not there, -1 error. */
static int
try(struct rh_contents *c, const char *directory, const char *name, struct rh_error *err)
{
    rh_autofree char *from = rh_printf("%s/%s", directory, name), *path = path_in_kit(name);
    rh_autoclose int fd = rh_contents_open(c, from, O_RDONLY);

    return fd < 0 ? 1 : rh_contents_read(c, path, from, err);
}

/* With $ORIGIN, the directory of the file that names it. */
static char *
expand(const char *path, const char *from)
{
    static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
    const char *slash = strrchr(from, '/');

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(path, words[i], strlen(words[i])) == 0)
            return rh_printf("%.*s%s", (int)(slash ? slash - from : 0), from, path + strlen(words[i]));
    return rh_xstrdup(path);
}

/* The directories of /etc/ld.so.conf, and of the files that it includes on this machine. */
static int
try_configured(struct rh_contents *c, const char *file, const char *name, int depth, struct rh_error *err)
{
    rh_autofree char *text = rh_contents_text(c, file, NULL, NULL);
    char *rest = text, *line;
    int rc = 1;

    while (rest && rc == 1 && (line = strsep(&rest, "\n"))) {
        line[strcspn(line, "#")] = '\0';
        line += strspn(line, " \t");
        line[strcspn(line, " \t=,:")] = line[0] == '/' ? '\0' : line[strcspn(line, " \t=,:")];
        if (line[0] == '/') {
            rc = try(c, line, name, err);
        } else if (strncmp(line, "include", 7) == 0 && strspn(line + 7, " \t") && c->root < 0
                   && depth < DEEPEST) {
            const char *pattern = line + 7 + strspn(line + 7, " \t");
            glob_t found = { 0 };

            if (glob(pattern, 0, NULL, &found) == 0)
                for (size_t i = 0; i < found.gl_pathc && rc == 1; i++)
                    rc = try_configured(c, found.gl_pathv[i], name, depth + 1, err);
            globfree(&found);
        }
    }
    return rc;
}

static int
try_usual(struct rh_contents *c, const char *name, struct rh_error *err)
{
    int rc = 1;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (size_t k = 0;
             k < 5 && rc == 1 && strcmp(places[i].arch, c->arch) == 0 && places[i].directories[k]; k++)
            rc = try(c, places[i].directories[k], name, err);
    if (rc == 1)
        rc = try(c, "/lib", name, err);
    return rc == 1 ? try(c, "/usr/lib", name, err) : rc;
}

/* As ld.so(8) has it, without the environment. */
static int
find(struct rh_contents *c, size_t who, const char *name, struct rh_error *err)
{
    int rc = 1;

    for (size_t i = 0; i < c->v[who].elf.paths.n && rc == 1; i++) {
        rh_autofree char *directory = expand(c->v[who].elf.paths.v[i], c->v[who].from);

        rc = try(c, directory, name, err);
    }
    rc = rc == 1 ? try_configured(c, "/etc/ld.so.conf", name, 0, err) : rc;
    return rc == 1 ? try_usual(c, name, err) : rc;
}

/* The loader is named by its path, and found by its name where that path is not. */
static int
add_loader(struct rh_contents *c, const char *path, struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    rh_autofree char *to = path_in_kit(name);
    rh_autoclose int fd = rh_contents_open(c, path, O_RDONLY);
    int rc;

    if (!is_libc(name))
        return rh_error_set(err, RH_EINPUT,
                            "kits need the GNU C library: rhost was built for the loader '%s'", path);
    rc = fd < 0 ? try_usual(c, name, err) : rh_contents_read(c, to, path, err);
    return rc == 1 ? rh_error_set(err, RH_EINPUT, "the dynamic loader '%s' was not found", path) : rc;
}

int
rh_contents_add_libraries(struct rh_contents *c, struct rh_error *err)
{
    if (!c->n || !c->v[0].elf.interpreter)
        return rh_error_set(err, RH_EINPUT, "the program '%s' is linked statically",
                            c->n ? c->v[0].from : "");
    if (add_loader(c, c->v[0].elf.interpreter, err) < 0)
        return -1;
    /* The list grows while it is walked. */
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->v[i].elf.needed.n; k++) {
            const char *name = c->v[i].elf.needed.v[k];
            rh_autofree char *path = path_in_kit(name);
            int rc = 0;

            if (strchr(name, '/') || strlen(name) > 200 || c->n > MOST_LIBRARIES)
                return rh_error_set(err, RH_EINPUT, "'%s' needs the library '%s', which a kit cannot have",
                                    c->v[i].from, name);
            if (!rh_contents_get(c, path))
                rc = find(c, i, name, err);
            if (rc)
                return rc < 0
                           ? -1
                           : rh_error_set(err, RH_EINPUT, "the library '%s', which '%s' needs, was not found",
                                          name, c->v[i].from);
        }
        for (size_t k = 0; i + 1 == c->n && k < sizeof dynamic_names / sizeof dynamic_names[0]; k++) {
            rh_autofree char *path = path_in_kit(dynamic_names[k]);

            if (!rh_contents_get(c, path) && try_usual(c, dynamic_names[k], err) < 0)
                return -1;
        }
    }
    return 0;
}
