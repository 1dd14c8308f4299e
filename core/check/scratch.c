/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - folders of this machine that a fixture has for itself.
 *
 *     BASE/dir               what ${dir} stands for
 *     BASE/memory            a file system in memory, seen by the check's process alone:
 *     BASE/memory/0/old        the first folder as it is on the machine
 *     BASE/memory/0/new        what was written there since: the upper layer of an overlay */
#include "config.h"

#include "check/scratch.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/mounted.h"
#include "base/text.h"
#include "base/value.h"
#include "base/wait.h"
#include "check/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where programs of an administrator are, whatever the PATH of who checks. */
static const char more_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

enum { LARGEST = 16 << 20 };

static bool
is_there(const char *program)
{
    for (const char *dir = more_path; *dir; dir += strcspn(dir, ":") + (dir[strcspn(dir, ":")] == ':')) {
        rh_autofree char *path = rh_printf("%.*s/%s", (int)strcspn(dir, ":"), dir, program);

        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

int
rh_scratch_possible(const struct rh_fixture *f, struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(f->programs); i++) {
        const char *program = rh_value_str(rh_value_at(f->programs, i), "");

        if (*program == '/' ? access(program, X_OK) < 0 : !is_there(program))
            return rh_error_set(err, RH_EINPUT, "the fixture needs the program '%s'", program);
    }
    if (!f->network && !rh_value_count(f->private))
        return 0;
    if (geteuid() != 0)
        return rh_error_set(err, RH_EINPUT, "the fixture needs root for its private directories");
    for (size_t i = 0; i < rh_value_count(f->private); i++) {
        const char *folder = rh_value_str(rh_value_at(f->private, i), "");
        struct stat st;

        if (stat(folder, &st) < 0 || !S_ISDIR(st.st_mode))
            return rh_error_set(err, RH_EINPUT, "the fixture needs the directory '%s'", folder);
    }
    return 0;
}

/* BASE/memory/I/WHAT */
static char *
part_of(const struct rh_fixture *f, size_t i, const char *what)
{
    return rh_printf("%s/memory/%zu/%s", f->base, i, what);
}

/* The folder itself as it was: an overlay shows its upper layer's. */
static int
resemble(const char *path, const char *folder)
{
    struct stat st;

    if (stat(folder, &st) < 0 || chown(path, st.st_uid, st.st_gid) < 0 || chmod(path, st.st_mode & 07777) < 0)
        return -1;
    return utimensat(AT_FDCWD, path, (struct timespec[]){ st.st_atim, st.st_mtim }, 0);
}

/* In containers some files are mounts, which an overlay of their folder would not show. */
static int
keep_mounted_files(const char *folder, const char *into, struct rh_error *err)
{
    rh_autofclose FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char path[4096];

    while (mounts && fscanf(mounts, "%*s %*s %*s %*s %4095s%*[^\n]", path) == 1) {
        const char *name = strrchr(path, '/') + 1;
        rh_autofree char *text = NULL;
        rh_autofree char *copy = NULL;
        struct stat st;
        size_t n = 0;

        if ((size_t)(name - path) != strlen(folder) + 1 || strncmp(path, folder, strlen(folder)) != 0
            || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
            continue;
        text = rh_read_file(path, LARGEST, &n, err);
        copy = rh_printf("%s/%s", into, name);
        if (!text || rh_replace_file(copy, text, n, st.st_mode & 07777, err) < 0)
            return -1;
    }
    return 0;
}

static int
cover(const struct rh_fixture *f, size_t i, struct rh_error *err)
{
    const char *folder = rh_value_str(rh_value_at(f->private, i), "");
    rh_autofree char *old = part_of(f, i, "old");
    rh_autofree char *new = part_of(f, i, "new");
    rh_autofree char *work = part_of(f, i, "work");
    rh_autofree char *whole = part_of(f, i, "");

    if (rh_make_directory(old, 0700, err) < 0 || rh_make_directory(new, 0755, err) < 0
        || rh_make_directory(work, 0700, err) < 0 || keep_mounted_files(folder, new, err) < 0)
        return -1;
    /* Named from where we are: in options, a colon or a comma of a path would mean something. */
    if (chdir(whole) < 0 || resemble(new, folder) < 0 || mount(folder, old, NULL, MS_BIND, NULL) < 0
        || mount("rhost-check", folder, "overlay", 0, "lowerdir=old,upperdir=new,workdir=work") < 0
        || chdir("/") < 0)
        return rh_error_system(err, errno, "cannot mount a private '%s'", folder);
    return 0;
}

static int
cover_all(const struct rh_fixture *f, struct rh_error *err)
{
    rh_autofree char *memory = rh_printf("%s/memory", f->base);

    if (unshare(CLONE_NEWNS | (f->network ? CLONE_NEWNET : 0)) < 0)
        return rh_error_system(err, errno, "cannot create a mount namespace");
    /* Before anything else, or what follows would be done to the machine. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return rh_error_system(err, errno, "cannot make the mounts private");
    if (mount("rhost-check", memory, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
        return rh_error_system(err, errno, "cannot mount a tmpfs");
    for (size_t i = 0; i < rh_value_count(f->private); i++)
        if (cover(f, i, err) < 0)
            return -1;
    return 0;
}

/* What a command printed, in one line. */
static char *
last_words(int fd)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text =
        lseek(fd, 0, SEEK_SET) == 0 ? rh_read_descriptor(fd, "output", LARGEST, NULL, &err) : NULL;

    return rh_safe_text(text ? text : "");
}

/* A program in place of this process, which is a child that was forked for it. */
static _Noreturn void
exec_in_place(char **argv, int output, int errors)
{
    if (dup2(output, 1) < 0 || dup2(errors, 2) < 0)
        _exit(126);
    (void)setenv("PATH", more_path, 1);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    (void)execvp(argv[0], argv);
    _exit(127);
}

char **
rh_scratch_argv(const struct rh_value *words, struct rh_arena *a)
{
    size_t n = rh_value_count(words);
    char **argv = rh_arena_alloc(a, (n + 2) * sizeof *argv);

    for (size_t i = 0; i < n; i++)
        argv[i] = rh_arena_strdup(a, rh_value_str(rh_value_at(words, i), ""));
    return argv;
}

static int
run(const struct rh_value *words, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    char **argv = rh_scratch_argv(words, a);
    rh_autoclose int output = memfd_create("output", MFD_CLOEXEC);
    rh_autofree char *said = NULL;
    int status = 0;
    pid_t pid;

    if (output < 0 || (pid = fork()) < 0)
        return rh_error_system(err, errno, "cannot start '%s'", argv[0]);
    if (pid == 0)
        exec_in_place(argv, output, output);
    if (rh_wait_child(pid, &status) < 0)
        return rh_error_system(err, errno, "cannot wait for '%s'", argv[0]);
    if (status == 0)
        return 0;
    said = last_words(output);
    return rh_error_set(err, RH_EINPUT, "'prepare' of the fixture failed: '%s' %s%s%s", argv[0],
                        WIFEXITED(status) && WEXITSTATUS(status) == 127 ? "cannot be started"
                                                                        : "ends with an error",
                        *said ? ": " : "", said);
}

static int
prepare(const struct rh_fixture *f, struct rh_error *err)
{
    if (rh_fixture_write(f, true, err) < 0)
        return -1;
    for (size_t i = 0; i < rh_value_count(f->prepare); i++)
        if (run(rh_value_at(f->prepare, i), err) < 0)
            return -1;
    return 0;
}

int
rh_scratch_enter(const struct rh_fixture *f, struct rh_error *err)
{
    if ((f->network || rh_value_count(f->private)) && cover_all(f, err) < 0)
        return -1;
    return prepare(f, err);
}

int
rh_scratch_renew(const struct rh_fixture *f, struct rh_error *err)
{
    return rh_fixture_reset(f, err) < 0 ? -1 : prepare(f, err);
}

/* Whether this line of a listing is about what even looking touches. A path is its last word. */
static bool
is_no_trace(const struct rh_fixture *f, const char *line, size_t n)
{
    for (size_t i = 0; i < rh_value_count(f->touched); i++) {
        rh_autofree char *at = rh_printf(" %s", rh_value_str(rh_value_at(f->touched, i), ""));
        const char *found = memmem(line, n, at, strlen(at));
        const char *end = found ? found + strlen(at) : NULL;

        if (found && (end == line + n || *end == '/'))
            return true;
    }
    return false;
}

int
rh_scratch_list(struct rh_buf *b, const struct rh_fixture *f, struct rh_error *err)
{
    rh_autobuf struct rh_buf all = { 0 };

    if (rh_tree_list(&all, f->dir, NULL, NULL, err) < 0)
        return -1;
    for (size_t i = 0; i < rh_value_count(f->private); i++) {
        const char *folder = rh_value_str(rh_value_at(f->private, i), "");
        rh_autofree char *old = part_of(f, i, "old");
        rh_autofree char *new = part_of(f, i, "new");

        if (rh_tree_list(&all, new, folder, old, err) < 0)
            return -1;
    }
    for (const char *line = rh_buf_text(&all); *line; line += strcspn(line, "\n") + 1)
        if (!is_no_trace(f, line, strcspn(line, "\n")))
            rh_buf_addn(b, line, strcspn(line, "\n") + 1);
    return 0;
}

bool
rh_scratch_is_of_system(const struct rh_fixture *f, const char *path)
{
    for (size_t i = 0; i < rh_value_count(f->system_files); i++)
        if (strcmp(rh_value_str(rh_value_at(f->system_files, i), ""), path) == 0)
            return true;
    return false;
}

static bool
is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

bool
rh_scratch_has(const struct rh_fixture *f, const char *path)
{
    for (size_t i = 0; i < rh_value_count(f->private); i++)
        if (is_below(path, rh_value_str(rh_value_at(f->private, i), "")))
            return true;
    return is_below(path, f->dir);
}

bool
rh_scratch_was(const struct rh_fixture *f, const char *path, struct stat *st)
{
    for (size_t i = 0; i < rh_value_count(f->private); i++) {
        const char *folder = rh_value_str(rh_value_at(f->private, i), "");
        rh_autofree char *old = part_of(f, i, "old");
        rh_autofree char *at = NULL;

        if (!is_below(path, folder))
            continue;
        at = rh_printf("%s%s", old, path + strlen(folder));
        return lstat(at, st) == 0;
    }
    return false;
}

static void
each_file(const struct rh_fixture *f, const char *dir, const char *shown,
          void (*one)(void *data, const char *path, const char *name, const struct stat *st), void *data)
{
    rh_autofree char *copy = rh_xstrdup(dir);
    char *const paths[] = { copy, NULL };
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *e;

    while (walk && (e = fts_read(walk))) {
        rh_autofree char *name = NULL;

        if (e->fts_info == FTS_D && e->fts_level > 0 && rh_is_mounted(AT_FDCWD, e->fts_path))
            (void)fts_set(walk, e, FTS_SKIP);
        if (e->fts_info != FTS_F)
            continue;
        name = rh_printf("%s%s", shown, e->fts_path + strlen(dir));
        if (!rh_scratch_is_of_system(f, name))
            one(data, e->fts_path, name, e->fts_statp);
    }
    if (walk)
        (void)fts_close(walk);
}

void
rh_scratch_each_file(const struct rh_fixture *f,
                     void (*one)(void *data, const char *path, const char *shown, const struct stat *st),
                     void *data)
{
    each_file(f, f->dir, f->dir, one, data);
    for (size_t i = 0; i < rh_value_count(f->private); i++) {
        const char *folder = rh_value_str(rh_value_at(f->private, i), "");
        rh_autofree char *new = part_of(f, i, "new");

        each_file(f, new, folder, one, data);
    }
}
