/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-accounts - passwd(5), group(5) and shadow(5), with form feeds between them. */
#include "plugin-input.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *part[3];
static size_t part_size[3];

static FILE *
fuzz_fopen(const char *path, const char *mode)
{
    size_t i = strcmp(path, "/etc/passwd") == 0 ? 0 : strcmp(path, "/etc/group") == 0 ? 1 : 2;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    (void)mode;
    if (fd < 0 || (part_size[i] && write(fd, part[i], part_size[i]) != (ssize_t)part_size[i])
        || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    return fdopen(fd, "r");
}

#define fopen fuzz_fopen
#include "../../plugins/user/accounts.c"
#undef fopen

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *path = NULL;
    struct accounts *a;

    for (size_t i = 0; i < 3; i++) {
        const char *end = i < 2 && size ? memchr(at, '\f', size) : NULL;

        part[i] = at;
        part_size[i] = end ? (size_t)(end - at) : size;
        size -= part_size[i] + (end != NULL);
        at += part_size[i] + (end != NULL);
    }
    a = accounts_read(&path);
    if (!a)
        return 0;
    for (size_t i = 0; i < a->n_users; i++) {
        const struct accounts_user *u = &a->users[i];
        size_t n = 0;

        must(accounts_user(a, u->name) == u, "a user is found by the name");
        (void)accounts_is_name(u->name);
        (void)accounts_group_of(a, u->gid);
        (void)accounts_memberships(a, u->name, &n);
        must(n <= a->n_memberships, "memberships are of the list");
    }
    for (size_t i = 0; i < a->n_groups; i++)
        must(accounts_group(a, a->groups[i].name) != NULL, "a group is found by the name");
    accounts_free(a);
    return 0;
}
