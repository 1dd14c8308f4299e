/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - the local account databases: /etc/passwd, /etc/group and /etc/shadow, read as a whole. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ACCOUNTS_USERS "/etc/passwd"
#define ACCOUNTS_GROUPS "/etc/group"
#define ACCOUNTS_SHADOW "/etc/shadow"

/* Data types for the attribute tables: what the tools and the files can hold. A name of digits alone
 * would be taken for a number. */
#define ACCOUNTS_NAME "(?!\\d+\\z|\\.{1,2}\\z)[^\\s:,\\/+~!-][^\\s:,\\/!]*"
#define ACCOUNTS_TYPE_NAME "Pattern[/\\A" ACCOUNTS_NAME "\\z/]"
#define ACCOUNTS_TYPE_ID "Integer[0, 4294967294]"

/* Days; -1 stands for an empty field. */
struct accounts_ageing {
    int64_t last_change, min, max, warn, inactive, expiry;
};

struct accounts_user {
    const char *name;
    const char *comment, *home, *shell; /* "\n" for what is not UTF-8 */
    uint32_t uid, gid;
    const char *password; /* the field of /etc/shadow as it stands, or else that of /etc/passwd; NULL:
                           * the one that leads to the other, where there is no such line */
    int in_shadow;        /* it has a line there, and */
    struct accounts_ageing ageing;
    size_t at; /* its place in the file */
};

struct accounts_group {
    const char *name;
    uint32_t gid;
    char **members; /* NULL-terminated */
    size_t n_members;
    size_t at;
};

/* Somebody is in a group by its list of members. */
struct accounts_membership {
    const char *user;
    const struct accounts_group *group;
};

struct accounts {
    struct stat users_stat, groups_stat, shadow_stat;
    struct accounts_block *blocks;
    /* By name, each name once: the first of its lines counts. */
    struct accounts_user *users;
    struct accounts_group *groups;
    struct accounts_membership *memberships; /* by user, and then as in the file */
    size_t n_users, n_groups, n_memberships;
    int shadow_error; /* an errno: what is in /etc/shadow is not known; 0: it is */
};

/* Reads all three. NULL with errno, and *path which file it is about. /etc/shadow may be missing or
 * closed to us: see shadow_error. Lines for NIS (with a '+' or '-' in front) are left out. */
struct accounts *accounts_read(const char **path);
void accounts_free(struct accounts *a);          /* overwrites it: there are passwords in it */
int accounts_is_fresh(const struct accounts *a); /* none of the files was replaced since */

const struct accounts_user *accounts_user(const struct accounts *a, const char *name);
const struct accounts_group *accounts_group(const struct accounts *a, const char *name);
/* The first in the file with that number, or NULL. */
const struct accounts_group *accounts_group_of(const struct accounts *a, uint32_t gid);
/* The first of this user's memberships, of which there are *n. */
const struct accounts_membership *accounts_memberships(const struct accounts *a, const char *user, size_t *n);

/* Whether this may be a name in a manifest: what ACCOUNTS_TYPE_NAME says, and UTF-8. */
int accounts_is_name(const char *name);

#endif
