/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-kit - kits, and what they are made of. The first byte of an input says what the rest is: an archive, a
 * program or library, or the name of a kit with a newline and the file behind it. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "kit/archive.h"
#include "kit/contents.h"
#include "kit/elf.h"
#include "reach/kit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void
must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* A kit that is taken is the same when it is written and read again. */
static void
try_archive(const char *bytes, size_t n)
{
    struct rh_contents c = { .root = -1 }, again = { .root = -1 };
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int fd = memfd_create("kit", MFD_CLOEXEC);
    rh_autoclose int copy = memfd_create("copy", MFD_CLOEXEC);
    char path[64], found[65] = "", digest[65] = "";
    uint64_t size;

    if (fd < 0 || copy < 0 || (n && write(fd, bytes, n) != (ssize_t)n))
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (rh_archive_check(path, NULL, found, &c, &err) < 0) {
        must(err.message, "a kit is refused without a message");
    } else {
        must(strlen(found) == 64, "a digest of another length");
        for (size_t i = 0; i < c.n; i++)
            must(c.v[i].path[0] && c.v[i].path[0] != '/' && !strstr(c.v[i].path, ".."),
                 "a path that leads elsewhere");
        rh_contents_sort(&c);
        must(rh_archive_write(&c, copy, &size, &err) == 0, "what was read is not written");
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
        must(rh_archive_check(path, found, digest, &again, &err) == 0, "what was written is not read");
        must(strcmp(found, digest) == 0, "written again, its digest differs");
    }
    rh_contents_clear(&c);
    rh_contents_clear(&again);
}

static void
try_elf(const char *bytes, size_t n)
{
    rh_autofree char *copy = rh_xalloc(n + 1);
    rh_autoelf struct rh_elf elf = { 0 };
    rh_autoerror struct rh_error err = { 0 };

    memcpy(copy, bytes, n);
    if (rh_elf_read(&elf, copy, n, "fuzzed", &err) < 0) {
        must(err.message, "a program is refused without a message");
        return;
    }
    must(elf.arch, "a program without an architecture");
    must(rh_elf_strip(copy, n, elf.loaded) <= n, "a program grows when it is stripped");
}

static void
try_name(const char *bytes, size_t n)
{
    const char *end = memchr(bytes, '\n', n);
    size_t len = end ? (size_t)(end - bytes) : n;
    rh_autofree char *path = NULL;
    rh_autoerror struct rh_error err = { 0 };
    rh_autokit struct rh_kit kit = RH_KIT_INIT;
    int fd;

    if (!len || len > 200 || memchr(bytes, '\0', len) || memchr(bytes, '/', len) || bytes[0] == '.')
        return;
    path = rh_printf("%s/%.*s", folder, (int)len, bytes);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (end && write(fd, end + 1, n - len - 1) != (ssize_t)(n - len - 1)) || close(fd) < 0)
        abort();
    if (rh_kit_describe(&kit, path, &err) < 0) {
        must(err.message, "a kit is refused without a message");
    } else {
        must(strspn(kit.digest, "0123456789abcdef") == RH_KIT_DIGEST && !kit.digest[RH_KIT_DIGEST],
             "a digest that is none");
        must(*kit.arch && !strchr(kit.arch, '/'), "an architecture that is none");
        if (rh_kit_load(&kit, n % 2, &err) < 0)
            must(err.message, "a kit is not loaded, without a message");
    }
    (void)unlink(path);
}

static void
remove_folder(void)
{
    (void)rmdir(folder);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    (void)snprintf(folder, sizeof folder, "%s/rhost-fuzz.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        abort();
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    if (!size)
        return 0;
    if (data[0] == 'a')
        try_archive(text + 1, size - 1);
    else if (data[0] == 'e')
        try_elf(text + 1, size - 1);
    else if (data[0] == 'n')
        try_name(text + 1, size - 1);
    return 0;
}
