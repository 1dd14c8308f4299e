/* SPDX-License-Identifier: Apache-2.0 */
/* kit - the kits that there are, by their names. */
#include "config.h"

#include "reach/kit.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char prefix[] = "rhost-kit-", suffix[] = ".tar.gz";

void
rh_kit_clear(struct rh_kit *kit)
{
    free(kit->path);
    free(kit->arch);
    if (kit->fd >= 0)
        (void)close(kit->fd);
    *kit = RH_KIT_INIT;
}

const char *
rh_kit_arch(const char *name)
{
    static const char *const names[][2] = {
        { "amd64", "x86_64" }, { "arm64", "aarch64" },   { "i486", "i386" },       { "i586", "i386" },
        { "i686", "i386" },    { "armhf", "arm" },       { "armv7l", "arm" },      { "armv6l", "arm" },
        { "armv8l", "arm" },   { "ppc64el", "ppc64le" }, { "mips64el", "mips64" },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}

const char *
rh_kit_own_arch(void)
{
#if defined __x86_64__ && !defined __ILP32__
    return "x86_64";
#elif defined __i386__
    return "i386";
#elif defined __aarch64__
    return "aarch64";
#elif defined __arm__
    return "arm";
#else
    static struct utsname names;

    return uname(&names) == 0 ? rh_kit_arch(names.machine) : "unknown";
#endif
}

static bool
is_digest(const char *s, size_t n)
{
    return n == RH_KIT_DIGEST && strspn(s, "0123456789abcdef") >= n;
}

static bool
is_arch(const char *s, size_t n)
{
    return n && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") >= n;
}

/* The parts of the name "rhost-kit-ARCH-DIGEST.tar.gz". */
static bool
take_apart(const char *name, size_t *arch, const char **digest)
{
    size_t n = strlen(name), lead = sizeof prefix - 1, tail = sizeof suffix - 1;

    if (n <= lead + tail + RH_KIT_DIGEST + 1 || strncmp(name, prefix, lead) != 0
        || strcmp(name + n - tail, suffix) != 0)
        return false;
    *digest = name + n - tail - RH_KIT_DIGEST;
    *arch = n - lead - tail - RH_KIT_DIGEST - 1;
    return (*digest)[-1] == '-' && is_arch(name + lead, *arch) && is_digest(*digest, RH_KIT_DIGEST);
}

/* The end of a gzip file has the size of what is in it. */
static int
read_size(int fd, struct rh_kit *kit)
{
    unsigned char end[4];

    if (kit->size < 18 || pread(fd, end, sizeof end, (off_t)kit->size - 4) != 4)
        return -1;
    kit->unpacked =
        (uint64_t)end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;
    return 0;
}

int
rh_kit_describe(struct rh_kit *kit, const char *path, struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *digest;
    rh_autoclose int fd = -1;
    struct stat st;
    size_t arch;

    *kit = RH_KIT_INIT;
    if (!take_apart(name, &arch, &digest))
        return rh_error_set(err, RH_EINPUT, "'%s' is not named as a kit: rhost-kit-ARCH-DIGEST.tar.gz", path);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open the kit '%s'", path);
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "the kit '%s' is not a regular file", path);
    kit->size = (uint64_t)st.st_size;
    if (read_size(fd, kit) < 0)
        return rh_error_set(err, RH_EINPUT, "the kit '%s' is not a gzip file", path);
    kit->path = rh_xstrdup(path);
    kit->arch = rh_xstrndup(name + sizeof prefix - 1, arch);
    memcpy(kit->digest, digest, RH_KIT_DIGEST);
    kit->made = st.st_mtime;
    return 0;
}

char *
rh_kit_store(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (geteuid() == 0)
        return rh_xstrdup("/var/cache/rhost/kit-archives");
    if (base && base[0] == '/')
        return rh_printf("%s/rhost/kit-archives", base);
    return home && home[0] == '/' ? rh_printf("%s/.cache/rhost/kit-archives", home) : NULL;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(((const struct rh_kit *)a)->path, ((const struct rh_kit *)b)->path);
}

int
rh_kit_list(struct rh_kit **kits, size_t *n, const char *dir, struct rh_error *err)
{
    rh_autofree char *usual = dir ? NULL : rh_kit_store();
    rh_autoclosedir DIR *d = NULL;
    size_t cap = 0;

    *kits = NULL;
    *n = 0;
    dir = dir ? dir : usual;
    if (!dir)
        return rh_error_set(err, RH_EINPUT, "cannot determine the directory of kits: HOME is not set");
    d = opendir(dir);
    if (!d && errno == ENOENT)
        return 0;
    if (!d)
        return rh_error_system(err, errno, "cannot read the directory '%s'", dir);
    for (struct dirent *e; (e = readdir(d));) {
        rh_autofree char *path = rh_printf("%s/%s", dir, e->d_name);
        const char *digest;
        size_t arch;

        if (!take_apart(e->d_name, &arch, &digest))
            continue;
        *kits = rh_xgrow(*kits, &cap, *n, sizeof **kits);
        /* One that is damaged, or removed meanwhile, does not count. */
        if (rh_kit_describe(*kits + *n, path, NULL) == 0)
            ++*n;
    }
    if (*n)
        qsort(*kits, *n, sizeof **kits, compare);
    return 0;
}

int
rh_kit_find(struct rh_kit *kit, const char *arch, const char *dir, struct rh_error *err)
{
    struct rh_kit *kits;
    size_t n;
    int rc = 1;

    *kit = RH_KIT_INIT;
    if (rh_kit_list(&kits, &n, dir, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(kits[i].arch, rh_kit_arch(arch)) == 0 && (rc || kits[i].made > kit->made)) {
            rh_kit_clear(kit);
            *kit = kits[i];
            kits[i] = RH_KIT_INIT;
            rc = 0;
        }
        rh_kit_clear(&kits[i]);
    }
    free(kits);
    return rc;
}
