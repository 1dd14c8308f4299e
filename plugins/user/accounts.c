/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - the local account databases: /etc/passwd, /etc/group and /etc/shadow, read as a whole. */

#include "accounts.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 26, BLOCK = 1 << 16 }; /* of a line; of what texts are kept in */

struct accounts_block {
    struct accounts_block *next;
    size_t size, used;
    char text[];
};

static void *
keep(struct accounts *a, const void *from, size_t n)
{
    struct accounts_block *b = a->blocks;
    size_t need = (n + 7) & ~(size_t)7;
    char *to;

    if (!b || b->size - b->used < need) {
        size_t size = need > BLOCK ? need : BLOCK;

        b = calloc(1, sizeof *b + size);
        if (!b)
            return NULL;
        b->size = size;
        b->next = a->blocks;
        a->blocks = b;
    }
    to = b->text + b->used;
    b->used += need;
    if (from)
        memcpy(to, from, n);
    return to;
}

/* Whether it is UTF-8: what is not can't be said in a manifest. */
static int
is_text(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    while (*p) {
        int more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;

        if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4 || (*p == 0xe0 && p[1] < 0xa0)
            || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
            return 0;
        for (p++; more > 0; more--, p++)
            if ((*p & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

static const char *
keep_text(struct accounts *a, const char *s)
{
    if (!s || !is_text(s))
        s = "\n"; /* no line has it */
    return keep(a, s, strlen(s) + 1);
}

/* Room for one more in an array that doubles. */
static void *
one_more(void **array, size_t n, size_t size)
{
    if (n == 0 || (n >= 16 && (n & (n - 1)) == 0)) {
        size_t room = n ? n * 2 : 16;
        void *grown = realloc(*array, room * size);

        if (!grown)
            return NULL;
        *array = grown;
    }
    memset((char *)*array + n * size, 0, size);
    return (char *)*array + n * size;
}

int
accounts_is_name(const char *name)
{
    if (!*name || strchr("+~!-", *name) || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (strspn(name, "0123456789") == strlen(name))
        return 0;
    return !strpbrk(name, " \t\n\r\f\v:,/!") && is_text(name);
}

/* A line was longer than the buffer: twice of it, and the line again. 0, or -1 with errno. */
static int
grow(char **line, size_t *size, FILE *f, off_t start)
{
    char *grown = *size < LONGEST ? realloc(*line, *size * 2) : NULL;

    if (!grown) {
        errno = *size < LONGEST ? ENOMEM : E2BIG;
        return -1;
    }
    *line = grown;
    *size *= 2;
    return fseeko(f, start, SEEK_SET);
}

/* 0, or ENOMEM. */
static int
take_user(struct accounts *a, const struct passwd *pw)
{
    struct accounts_user *u = one_more((void **)&a->users, a->n_users, sizeof *u);

    if (!u)
        return ENOMEM;
    u->at = a->n_users++;
    u->name = keep_text(a, pw->pw_name);
    u->comment = keep_text(a, pw->pw_gecos);
    u->home = keep_text(a, pw->pw_dir);
    u->shell = keep_text(a, pw->pw_shell);
    u->uid = pw->pw_uid;
    u->gid = pw->pw_gid;
    if (strcmp(pw->pw_passwd, "x") != 0 && !(u->password = keep_text(a, pw->pw_passwd)))
        return ENOMEM;
    return u->name && u->comment && u->home && u->shell ? 0 : ENOMEM;
}

static int
take_group(struct accounts *a, const struct group *gr)
{
    struct accounts_group *g = one_more((void **)&a->groups, a->n_groups, sizeof *g);

    if (!g)
        return ENOMEM;
    g->at = a->n_groups++;
    g->name = keep_text(a, gr->gr_name);
    g->gid = gr->gr_gid;
    while (gr->gr_mem[g->n_members])
        g->n_members++;
    g->members = keep(a, NULL, (g->n_members + 1) * sizeof *g->members);
    for (size_t i = 0; g->members && i < g->n_members; i++)
        if (!(g->members[i] = (char *)keep_text(a, gr->gr_mem[i])))
            return ENOMEM;
    return g->name && g->members ? 0 : ENOMEM;
}

static struct accounts_user *
find_user(const struct accounts *a, const char *name)
{
    size_t low = 0, high = a->n_users;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(a->users[middle].name, name);

        if (order == 0)
            return &a->users[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int64_t
days(long n)
{
    return n < 0 ? -1 : n;
}

static int
take_shadow(struct accounts *a, const struct spwd *sp)
{
    struct accounts_user *u = find_user(a, sp->sp_namp);

    if (!u || u->in_shadow)
        return 0;
    u->in_shadow = 1;
    u->password = keep_text(a, sp->sp_pwdp);
    u->ageing = (struct accounts_ageing){
        .last_change = days(sp->sp_lstchg),
        .min = days(sp->sp_min),
        .max = days(sp->sp_max),
        .warn = days(sp->sp_warn),
        .inactive = days(sp->sp_inact),
        .expiry = days(sp->sp_expire),
    };
    return u->password ? 0 : ENOMEM;
}

#ifndef __GLIBC__
/* musl has only the ones that keep the line themselves. */
#define NEXT(entry, f) (errno = 0, ((entry) = fget##f) ? 0 : errno ? errno : ENOENT)
#define fgetpwent_r(f, pw, line, size, user) ((void)(pw), (void)(line), (void)(size), NEXT(*(user), pwent(f)))
#define fgetgrent_r(f, gr, line, size, group)                                                                \
    ((void)(gr), (void)(line), (void)(size), NEXT(*(group), grent(f)))
#define fgetspent_r(f, sp, line, size, shadow)                                                               \
    ((void)(sp), (void)(line), (void)(size), NEXT(*(shadow), spent(f)))
#endif

/* The next line of one of the files; 0, or an errno: ENOENT at the end, ERANGE for a longer buffer. */
static int
read_line(struct accounts *a, const char *path, FILE *f, char *line, size_t size)
{
    struct passwd pw, *user = NULL;
    struct group gr, *group = NULL;
    struct spwd sp, *shadow = NULL;
    int why;

    if (strcmp(path, ACCOUNTS_USERS) == 0)
        why = fgetpwent_r(f, &pw, line, size, &user);
    else if (strcmp(path, ACCOUNTS_GROUPS) == 0)
        why = fgetgrent_r(f, &gr, line, size, &group);
    else
        why = fgetspent_r(f, &sp, line, size, &shadow);
    if (why)
        return why;
    if (user && accounts_is_name(user->pw_name))
        why = take_user(a, user);
    else if (group && accounts_is_name(group->gr_name))
        why = take_group(a, group);
    else if (shadow)
        why = take_shadow(a, shadow);
    return why;
}

/* 0, or -1 with errno. */
static int
read_file(struct accounts *a, const char *path, struct stat *st)
{
    size_t size = 4096;
    char *line = malloc(size);
    FILE *f = fopen(path, "re");
    int why = 0;

    if (!line || !f || fstat(fileno(f), st) < 0)
        why = errno;
    while (!why) {
        off_t start = ftello(f);

        why = read_line(a, path, f, line, size);
        if (why == ERANGE)
            why = grow(&line, &size, f, start) < 0 ? errno : 0;
    }
    if (why == ENOENT && f)
        why = ferror(f) ? EIO : 0; /* its end */
    if (f)
        (void)fclose(f);
    if (line)
        explicit_bzero(line, size);
    free(line);
    errno = why;
    return why ? -1 : 0;
}

static int
by_user(const void *a, const void *b)
{
    const struct accounts_user *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static int
by_group(const void *a, const void *b)
{
    const struct accounts_group *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static int
by_member(const void *a, const void *b)
{
    const struct accounts_membership *x = a, *y = b;
    int order = strcmp(x->user, y->user);

    return order ? order : x->group->at < y->group->at ? -1 : x->group->at > y->group->at;
}

/* Sorted by name; of several lines with one name the first is kept. */
static void
sort_users(struct accounts *a)
{
    size_t kept = 0;

    if (a->n_users)
        qsort(a->users, a->n_users, sizeof *a->users, by_user);
    for (size_t i = 0; i < a->n_users; i++)
        if (!kept || strcmp(a->users[kept - 1].name, a->users[i].name) != 0)
            a->users[kept++] = a->users[i];
    a->n_users = kept;
}

static int
sort_groups(struct accounts *a)
{
    size_t kept = 0, n = 0;

    if (a->n_groups)
        qsort(a->groups, a->n_groups, sizeof *a->groups, by_group);
    for (size_t i = 0; i < a->n_groups; i++)
        if (!kept || strcmp(a->groups[kept - 1].name, a->groups[i].name) != 0)
            a->groups[kept++] = a->groups[i];
    a->n_groups = kept;
    for (size_t i = 0; i < kept; i++)
        n += a->groups[i].n_members;
    a->memberships = calloc(n + 1, sizeof *a->memberships);
    if (!a->memberships)
        return -1;
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 0; k < a->groups[i].n_members; k++)
            a->memberships[a->n_memberships++] = (struct accounts_membership){
                .user = a->groups[i].members[k],
                .group = &a->groups[i],
            };
    if (n)
        qsort(a->memberships, n, sizeof *a->memberships, by_member);
    return 0;
}

struct accounts *
accounts_read(const char **path)
{
    struct accounts *a = calloc(1, sizeof *a);

    *path = ACCOUNTS_USERS;
    if (!a)
        return NULL;
    if (read_file(a, ACCOUNTS_USERS, &a->users_stat) == 0) {
        sort_users(a);
        *path = ACCOUNTS_GROUPS;
        if (read_file(a, ACCOUNTS_GROUPS, &a->groups_stat) == 0 && sort_groups(a) == 0) {
            if (read_file(a, ACCOUNTS_SHADOW, &a->shadow_stat) < 0)
                a->shadow_error = errno;
            return a;
        }
    }
    accounts_free(a);
    return NULL;
}

void
accounts_free(struct accounts *a)
{
    int why = errno;

    if (!a)
        return;
    while (a->blocks) {
        struct accounts_block *b = a->blocks;

        a->blocks = b->next;
        explicit_bzero(b->text, b->used);
        free(b);
    }
    free(a->users);
    free(a->groups);
    free(a->memberships);
    free(a);
    errno = why;
}

static int
is_same(const char *path, const struct stat *was)
{
    struct stat now;

    if (stat(path, &now) < 0)
        return was->st_ino == 0;
    return now.st_ino == was->st_ino && now.st_dev == was->st_dev && now.st_size == was->st_size
           && now.st_mtim.tv_sec == was->st_mtim.tv_sec && now.st_mtim.tv_nsec == was->st_mtim.tv_nsec
           && now.st_ctim.tv_sec == was->st_ctim.tv_sec && now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

int
accounts_is_fresh(const struct accounts *a)
{
    return is_same(ACCOUNTS_USERS, &a->users_stat) && is_same(ACCOUNTS_GROUPS, &a->groups_stat)
           && (a->shadow_error == EACCES || is_same(ACCOUNTS_SHADOW, &a->shadow_stat));
}

const struct accounts_user *
accounts_user(const struct accounts *a, const char *name)
{
    return find_user(a, name);
}

const struct accounts_group *
accounts_group(const struct accounts *a, const char *name)
{
    size_t low = 0, high = a->n_groups;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(a->groups[middle].name, name);

        if (order == 0)
            return &a->groups[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct accounts_group *
accounts_group_of(const struct accounts *a, uint32_t gid)
{
    const struct accounts_group *found = NULL;

    for (size_t i = 0; i < a->n_groups; i++)
        if (a->groups[i].gid == gid && (!found || a->groups[i].at < found->at))
            found = &a->groups[i];
    return found;
}

const struct accounts_membership *
accounts_memberships(const struct accounts *a, const char *user, size_t *n)
{
    size_t low = 0, high = a->n_memberships, end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(a->memberships[middle].user, user) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < a->n_memberships && strcmp(a->memberships[end].user, user) == 0; end++)
        continue;
    *n = end - low;
    return a->memberships + low;
}
