/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-logindefs - numbers of login.defs(5). */
#include "plugin-input.h"

#include <sys/mman.h>
#include <unistd.h>

static const char *text;
static size_t text_size;

static FILE *
fuzz_fopen(const char *path, const char *mode)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    (void)path;
    (void)mode;
    if (fd < 0 || (text_size && write(fd, text, text_size) != (ssize_t)text_size)
        || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    return fdopen(fd, "r");
}

#define fopen fuzz_fopen
#include "../../plugins/user/system.c"
#undef fopen

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char more[1 << 16];
    long long n;

    text = (const char *)data;
    text_size = size;
    n = system_number("UMASK", 0777, 022);
    must(n >= 0 && n <= 0777, "a number is within its limits");
    must(system_number("HOME_MODE", 07777, -1) >= -1, "a default is given back");
    (void)system_has(system_first("UID_MIN"), system_first("GID_MIN"));
    if (size > sizeof more / 2 || memchr(data, '\0', size))
        return 0;
    /* A comment of any length changes nothing, and the last line counts. */
    memset(more, '#', 1000);
    memcpy(more + 1000, " UMASK 0777\n", 12);
    if (size)
        memcpy(more + 1012, data, size);
    text = more;
    text_size = 1012 + size;
    must(system_number("UMASK", 0777, 022) == n, "a comment says nothing");
    memcpy(more + 1012 + size, "\n UMASK\t\"027\" \n", 15);
    text_size += 15;
    must(system_number("UMASK", 0777, 022) == 027, "the last line counts");
    return 0;
}
