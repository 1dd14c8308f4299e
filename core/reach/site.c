/* SPDX-License-Identifier: Apache-2.0 */
/* site - the files that go to the targets: the directory of each manifest, as it is. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "reach/push.h"
#include "reach/site-files.h"
#include "reach/wire.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
rh_site_clear(struct rh_site *site)
{
    if (site->frames.cap)
        explicit_bzero(site->frames.s, site->frames.cap); /* secrets are files of a site */
    rh_buf_clear(&site->frames);
    rh_map_clear(&site->sent);
    for (size_t i = 0; i < site->n_paths; i++)
        free(site->paths[i]);
    free(site->paths);
    *site = (struct rh_site){ 0 };
}

/* False: it was sent already. */
static bool
note_path(struct rh_site *site, const char *name)
{
    char *path;

    if (rh_map_get(&site->sent, name))
        return false;
    path = rh_xstrdup(name);
    site->paths = rh_xgrow(site->paths, &site->cap_paths, site->n_paths, sizeof *site->paths);
    site->paths[site->n_paths++] = path;
    (void)rh_map_put(&site->sent, path, path);
    return true;
}

/* Room for so many bytes more, without leaving a copy of what is there in freed memory. */
static void
make_room(struct rh_site *site, size_t more)
{
    struct rh_buf larger = { 0 };

    if (site->frames.cap - site->frames.n > more)
        return;
    rh_buf_make_room(&larger, 2 * site->frames.n + more);
    rh_buf_addn(&larger, rh_buf_text(&site->frames), site->frames.n);
    if (site->frames.cap)
        explicit_bzero(site->frames.s, site->frames.cap);
    rh_buf_clear(&site->frames);
    site->frames = larger;
}

static void
forget_bytes(char *bytes, size_t n)
{
    if (bytes)
        explicit_bzero(bytes, n);
    free(bytes);
}

static int
add_bytes(struct rh_site *site, const char *name, const char *bytes, size_t n, bool executable,
          struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *file = rh_value_new(a, RH_HASH);

    if (!rh_utf8_valid(name, strlen(name)) || !rh_wire_is_path(name))
        return rh_error_set(err, RH_EINPUT, "cannot send a file with the name '%s'", name);
    if (!note_path(site, name))
        return 0;
    site->bytes += n;
    if (++site->files > RH_SITE_FILES)
        return rh_error_set(err, RH_EINPUT, "the site has more than %d files", RH_SITE_FILES);
    if (site->bytes > RH_SITE_BYTES)
        return rh_error_set(err, RH_EINPUT, "the site has more than %d MiB", RH_SITE_BYTES >> 20);
    rh_value_put(file, "path", rh_value_string(a, name));
    rh_value_put(file, "size", rh_value_integer(a, (int64_t)n));
    rh_value_put(file, "executable", rh_value_boolean(a, executable));
    /* A header for each part, and the frame that names the file: a name has less than PATH_MAX bytes, and
     * six of JSON for each at the most. */
    make_room(site, n + (n / RH_WIRE_PART + 2) * 8 + 6 * PATH_MAX + 256);
    rh_wire_add_value(&site->frames, RH_WIRE_FILE, file);
    if (n)
        rh_wire_add(&site->frames, RH_WIRE_DATA, bytes, n);
    return 0;
}

int
rh_site_add_file(struct rh_site *site, const char *path, const char *name, struct rh_error *err)
{
    size_t n = 0;
    char *bytes = rh_read_file(path, RH_SITE_BYTES, &n, err);
    int rc = bytes ? add_bytes(site, name, bytes, n, false, err) : -1;

    forget_bytes(bytes, n);
    return rc;
}

/* One directory. */
struct adding {
    struct rh_site *site;
    const char *prefix; /* on the target, "site/" or "" */
};

static int
add_site_file(void *data, const char *path, const char *bytes, size_t n, bool executable,
              struct rh_error *err)
{
    const struct adding *a = data;
    rh_autofree char *there = rh_printf("%s%s", a->prefix, path);

    return add_bytes(a->site, there, bytes, n, executable, err);
}

/* The directory of a manifest, as the command line has it. */
static char *
folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? rh_xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : rh_xstrdup(".");
}

/* What its files have before their names on the target: as the command line has it, where that can be, for
 * messages of the target name the file so. */
static char *
prefix_of(const char *folder, const char *real)
{
    if (strcmp(folder, ".") == 0)
        return rh_xstrdup("");
    return rh_printf("%s/", rh_wire_is_path(folder) ? folder : strrchr(real, '/') + 1);
}

int
rh_site_add_secret(struct rh_site *site, const char *manifest, const char *secret, const char *path,
                   struct rh_error *err)
{
    rh_autofree char *folder = manifest ? folder_of(manifest) : rh_xstrdup(".");
    rh_autofree char *real = realpath(folder, NULL), *prefix = NULL, *name = NULL;

    if (!real)
        return rh_error_system(err, errno, "cannot open '%s'", folder);
    prefix = prefix_of(folder, real);
    name = rh_printf("%ssecrets/%s", prefix, secret);
    if (rh_map_get(&site->sent, name))
        return rh_error_set(err, RH_EINPUT, "the secret '%s' is given twice", secret);
    return rh_site_add_file(site, path, name, err);
}

char *
rh_site_add_manifest(struct rh_site *site, const char *path, struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    rh_autofree char *folder = folder_of(path);
    rh_autofree char *real = realpath(folder, NULL), *prefix = NULL;
    struct adding adding = { .site = site };
    struct stat st;

    if (!real || stat(path, &st) < 0) {
        (void)rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        (void)rh_error_set(err, RH_EINPUT, "'%s' is not a regular file", path);
        return NULL;
    }
    prefix = prefix_of(folder, real);
    adding.prefix = prefix;
    if (rh_site_files(folder, true, add_site_file, &adding, err) < 0)
        return NULL;
    return rh_printf("%s%s", prefix, name);
}
