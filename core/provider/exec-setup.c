/* SPDX-License-Identifier: Apache-2.0 */
/* exec-setup - a command as asked for, turned into a plan that needs no look-ups any more. */
#include "config.h"

#include "provider/exec-child.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"

#include <rhost/exec.h>

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_ARGUMENT = 200, SHOWN_COMMAND = 1000, MAX_LOOKUP = 1 << 20 };
/* The broker does this for a worker, and must not be kept busy by it; no command needs that many. */
enum { MOST_VARIABLES = 4096, MOST_DIRECTORIES = 256 };

static bool
parse_id(const char *text, unsigned *id)
{
    unsigned long n;
    char *end;

    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    n = strtoul(text, &end, 10);
    if (errno || n >= UINT32_MAX)
        return false;
    *id = (unsigned)n;
    return true;
}

/* The account of a name or number; 0 with *found NULL when there is none. */
static int
find_user(struct rh_arena *arena, const char *user, struct passwd *pw, struct passwd **found)
{
    unsigned uid = 0;
    bool number = parse_id(user, &uid);
    int why = ERANGE;

    for (size_t size = 1024; why == ERANGE && size <= MAX_LOOKUP; size *= 4) {
        char *buf = rh_arena_alloc(arena, size);

        why = number ? getpwuid_r(uid, pw, buf, size, found) : getpwnam_r(user, pw, buf, size, found);
    }
    return why;
}

static int
find_group(struct rh_arena *arena, const char *group, gid_t *gid, struct rh_error *err)
{
    struct group gr, *found = NULL;
    int why = ERANGE;

    if (parse_id(group, gid))
        return 0;
    for (size_t size = 1024; why == ERANGE && size <= MAX_LOOKUP; size *= 4)
        why = getgrnam_r(group, &gr, rh_arena_alloc(arena, size), size, &found);
    if (why)
        return rh_error_system(err, why, "cannot look up group '%s'", group);
    if (!found)
        return rh_error_set(err, RH_ESYSTEM, "unknown group '%s'", group);
    *gid = gr.gr_gid;
    return 0;
}

/* Fills in user and groups; *pw is left with a NULL name when we stay who we are. */
static int
plan_identity(const struct rhost_command *c, struct rh_arena *arena, struct rh_exec_plan *plan,
              struct passwd *pw, struct rh_error *err)
{
    struct passwd *found = NULL;
    gid_t *groups;
    int n = 1, why;

    plan->uid = geteuid();
    plan->gid = getegid();
    if (c->user) {
        why = find_user(arena, c->user, pw, &found);
        if (why)
            return rh_error_system(err, why, "cannot look up user '%s'", c->user);
        if (!found && (!parse_id(c->user, &plan->uid) || !c->group))
            return rh_error_set(err, RH_ESYSTEM, "unknown user '%s'", c->user);
        if (found) {
            plan->uid = pw->pw_uid;
            plan->gid = pw->pw_gid;
        } else {
            pw->pw_name = rh_arena_strdup(arena, c->user);
            pw->pw_dir = rh_arena_strdup(arena, "/");
        }
    }
    if (c->group && find_group(arena, c->group, &plan->gid, err) < 0)
        return -1;
    plan->change_user = plan->uid != geteuid() || plan->uid != getuid();
    plan->change_groups = plan->change_user || plan->gid != getegid();
    if (!plan->change_groups)
        return 0;
    if (found) {
        n = 0;
        (void)getgrouplist(pw->pw_name, plan->gid, NULL, &n);
    }
    groups = rh_arena_alloc(arena, (size_t)(n < 1 ? 1 : n) * sizeof *groups);
    groups[0] = plan->gid;
    if (found && getgrouplist(pw->pw_name, plan->gid, groups, &n) < 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot look up the groups of '%s'", c->user);
    plan->groups = groups;
    plan->n_groups = (size_t)n;
    return 0;
}

/* Of the environment: where the name of each variable is in it. */
struct variables {
    char **env;
    size_t n;
    struct rh_map at;
};

/* In place of what had that name before. */
static void
set_variable(struct variables *v, struct rh_arena *arena, char *assignment)
{
    const char *name = rh_arena_strndup(arena, assignment, strcspn(assignment, "="));
    char **had = rh_map_put(&v->at, name, &v->env[v->n]);

    if (had)
        *had = assignment;
    else
        v->env[v->n++] = assignment;
}

static char **
plan_environment(const struct rhost_command *c, size_t asked, struct rh_arena *arena, const struct passwd *pw)
{
    struct variables v = { .env = rh_arena_alloc(arena, (asked + 6) * sizeof *v.env) };

    set_variable(&v, arena, rh_arena_strdup(arena, "PATH=" RHOST_EXEC_PATH));
    set_variable(&v, arena, rh_arena_strdup(arena, "LC_ALL=C.UTF-8"));
    if (pw->pw_name) {
        set_variable(&v, arena, rh_arena_printf(arena, "HOME=%s", pw->pw_dir));
        set_variable(&v, arena, rh_arena_printf(arena, "USER=%s", pw->pw_name));
        set_variable(&v, arena, rh_arena_printf(arena, "LOGNAME=%s", pw->pw_name));
    }
    for (size_t i = 0; i < asked; i++)
        set_variable(&v, arena, rh_arena_strdup(arena, c->env[i]));
    rh_map_clear(&v.at);
    return v.env;
}

/* As execvp() would, but along the PATH that the command gets. */
/* NULL when there are too many. */
static char **
plan_candidates(const char *program, struct rh_arena *arena, char *const *env)
{
    const char *path = RHOST_EXEC_PATH;
    size_t n = 0, dirs = 1;
    char **candidates;

    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            path = *env + 5;
    if (strchr(program, '/'))
        path = "";
    for (const char *p = path; *p; p++)
        dirs += *p == ':';
    if (dirs > MOST_DIRECTORIES)
        return NULL;
    candidates = rh_arena_alloc(arena, (dirs + 1) * sizeof *candidates);
    if (strchr(program, '/'))
        candidates[0] = rh_arena_strdup(arena, program);
    while (*path) {
        size_t len = strcspn(path, ":");

        if (len)
            candidates[n++] = rh_arena_printf(arena, "%.*s/%s", (int)len, path, program);
        path += len + (path[len] == ':');
    }
    return candidates;
}

/* How much of an argument is shown: it is not cut in the middle of a character. */
static size_t
shown_length(const char *arg)
{
    size_t keep = strnlen(arg, SHOWN_ARGUMENT);

    while (arg[keep] && ((unsigned char)arg[keep] & 0xC0) == 0x80)
        keep++;
    return keep;
}

static int
refuse(const struct rhost_command *c, int why, struct rh_error *err)
{
    const char *program = c->secret_args && c->secret_args[0] ? "[redacted]" : c->argv[0];
    size_t keep = shown_length(program);
    rh_autofree char *text = rh_printf("cannot execute '%.*s%s': %s", (int)keep, program,
                                       program[keep] ? "..." : "", strerror(why));

    return rh_error_set_code(err, RH_ESYSTEM, 0, "%s", text);
}

static int
refuse_relative(const char *const *paths, struct rh_error *err)
{
    size_t n = 0;

    for (; paths && paths[n]; n++)
        if (paths[n][0] != '/')
            return rh_error_set(err, RH_EINPUT,
                                "the command is confined to a path that is not absolute: '%s'", paths[n]);
    return n > MOST_DIRECTORIES ? rh_error_set(err, RH_EINPUT, "the command is confined to too many paths")
                                : 0;
}

int
rh_exec_plan(const struct rhost_command *command, struct rh_arena *arena, struct rh_exec_plan *plan,
             struct rh_error *err)
{
    struct passwd pw = { 0 };
    char **env;
    size_t asked = 0;

    if (!command->argv || !command->argv[0] || !*command->argv[0])
        return rh_error_set(err, RH_EINPUT, "the command is empty");
    for (; command->env && command->env[asked]; asked++)
        if (*command->env[asked] == '=' || !strchr(command->env[asked], '='))
            return rh_error_set(err, RH_EINPUT, "environment: expected NAME=value");
    if (strlen(command->argv[0]) >= PATH_MAX)
        return refuse(command, ENAMETOOLONG, err);
    if (asked > MOST_VARIABLES)
        return refuse(command, E2BIG, err);
    if (plan_identity(command, arena, plan, &pw, err) < 0)
        return -1;
    env = plan_environment(command, asked, arena, &pw);
    plan->envp = env;
    plan->candidates = plan_candidates(command->argv[0], arena, env);
    if (!plan->candidates)
        return refuse(command, E2BIG, err);
    plan->argv = (char *const *)(uintptr_t)command->argv; /* execve() doesn't change them */
    plan->cwd = command->cwd ? command->cwd : "/";
    plan->limits = (struct rh_command_limits){
        .read_only = command->read_only,
        .read_write = command->read_write,
        .no_network = command->flags & RHOST_EXEC_NO_NETWORK,
        .private_tmp = command->flags & RHOST_EXEC_PRIVATE_TMP,
        .no_new_privileges = command->flags & RHOST_EXEC_NO_NEW_PRIVILEGES,
    };
    if (refuse_relative(command->read_only, err) < 0 || refuse_relative(command->read_write, err) < 0)
        return -1;
    if (command->flags & RHOST_EXEC_UMASK_0)
        plan->umask = 0;
    else
        plan->umask = command->umask > 0 ? (mode_t)command->umask & 0777 : 022;
    return 0;
}

char *
rh_exec_shown(const struct rhost_command *command)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./_-";
    rh_autobuf struct rh_buf b = { 0 };

    for (size_t i = 0; command->argv && command->argv[i]; i++) {
        const char *arg = command->argv[i];
        size_t len = strlen(arg), keep = shown_length(arg);
        bool quoted = !len || strspn(arg, plain) != len;

        if (i)
            rh_buf_addc(&b, ' ');
        if (b.n > SHOWN_COMMAND) {
            rh_buf_add(&b, "...");
            break;
        }
        if (command->secret_args && command->secret_args[i]) {
            rh_buf_add(&b, "[redacted]");
            continue;
        }
        if (quoted)
            rh_buf_addc(&b, '"');
        rh_buf_add_safe(&b, arg, keep, false);
        if (keep < len)
            rh_buf_add(&b, "...");
        if (quoted)
            rh_buf_addc(&b, '"');
    }
    return rh_buf_take(&b);
}
