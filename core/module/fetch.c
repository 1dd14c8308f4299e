/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - a module from a repository of git, by git itself. Nothing of it is executed: no hook, no filter. */
#include "config.h"

#include "module/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/child.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/io.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 600, LARGEST_LIST = 16 << 20, MOST_WORDS = 24, LARGEST_DESCRIPTION = 1 << 20 };

/* One that is under way. */
struct fetch {
    struct rh_arena *arena;
    struct rh_module_source source;
    const char *repository, *files; /* directories */
    const char *commit;
    struct rh_error *err;
};

/* What git prints; the arena's, and NULL with the reason. Its own messages go to standard error. */
static const char *
git(const struct fetch *f, const char *const *words, size_t *n)
{
    char *argv[MOST_WORDS];
    size_t at = 0, length;
    rh_autofree char *out = NULL;

    argv[at++] = rh_arena_strdup(f->arena, "git");
    argv[at++] = rh_arena_printf(f->arena, "--git-dir=%s", f->repository);
    while (*words && at < MOST_WORDS - 1)
        argv[at++] = rh_arena_strdup(f->arena, *words++);
    argv[at] = NULL;
    out = rh_child_output(argv, LARGEST_LIST, SECONDS, n ? n : &length, f->err);
    if (!out && strncmp(f->err->message, "cannot start", 12) == 0)
        rh_discard(rh_error_suggest(f->err, NULL, "install git"));
    return out ? rh_arena_strndup(f->arena, out, n ? *n : length) : NULL;
}

#define GIT(...) git(f, (const char *const[]){ __VA_ARGS__, NULL }, NULL)

/* Not every server gives a commit that is not the last one of something: then all is fetched. */
static int
fetch_commit(const struct fetch *f, const char *commit)
{
    rh_autoerror struct rh_error first = { 0 };
    struct fetch quiet = *f;

    quiet.err = &first;
    if (git(&quiet,
            (const char *const[]){ "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
                                   "--", f->source.url, commit, NULL },
            NULL))
        return 0;
    return GIT("fetch", "--quiet", "--no-recurse-submodules", "--", f->source.url,
               "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
               ? 0
               : -1;
}

/* Brings a commit into the repository, and finds its name. */
static int
find_commit(struct fetch *f, const char *commit)
{
    const char *wanted = commit ? commit : f->source.ref, *name;

    if (!GIT("init", "--quiet", "--bare", "--template="))
        return -1;
    if (rh_module_is_commit(wanted)) {
        if (fetch_commit(f, wanted) < 0)
            return -1;
        name = wanted;
    } else {
        if (!GIT("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", f->source.url,
                 wanted))
            return -1;
        name = "FETCH_HEAD";
    }
    name = GIT("rev-parse", "--verify", "--quiet", "--end-of-options",
               rh_arena_printf(f->arena, "%s^{commit}", name));
    if (!name)
        return -1;
    f->commit = rh_arena_strndup(f->arena, name, strcspn(name, "\n"));
    return rh_module_is_commit(f->commit) && (!rh_module_is_commit(wanted) || strcmp(f->commit, wanted) == 0)
               ? 0
               : rh_error_set(f->err, RH_EINPUT, "git gave another commit than the one asked for");
}

/* Why a module must not have this file; NULL: it may. A site does not carry everything to other machines:
 * there the digest would be another. */
static const char *
refusal_of(const char *mode, char *path)
{
    if (strncmp(mode, "120000 ", 7) == 0)
        return "a symbolic link";
    if (strncmp(mode, "160000 ", 7) == 0)
        return "a submodule";
    if (strncmp(mode, "100644 ", 7) != 0 && strncmp(mode, "100755 ", 7) != 0)
        return "not a plain file";
    for (char *slash; path; path = slash ? slash + 1 : NULL) {
        slash = strchr(path, '/');
        if (slash)
            *slash = '\0';
        if (rh_folder_is_left_out(path))
            return "a file that sites do not carry";
        if (slash && strcmp(path, "secrets") == 0)
            return "in a directory of secrets";
    }
    return NULL;
}

/* Before it is written. */
static int
check_list(const struct fetch *f)
{
    const char *const words[] = {
        "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", f->commit, NULL,
    };
    size_t n = 0, length = strlen(f->source.part), found = 0;
    const char *list = git(f, words, &n), *at = list;

    while (list && at < list + n) {
        const char *path = memchr(at, '\t', (size_t)(list + n - at)), *why;
        rh_autofree char *shown = NULL, *inner = NULL;

        if (!path)
            return rh_error_set(f->err, RH_EINPUT, "git printed a list that cannot be read");
        path++;
        shown = rh_safe_text(path);
        if (!length || (strncmp(path, f->source.part, length) == 0 && path[length] == '/'))
            inner = rh_xstrdup(path + length + (length != 0));
        found += inner != NULL;
        why = inner ? refusal_of(at, inner) : NULL;
        if (why)
            return rh_error_set(f->err, RH_EINPUT, "'%s' is %s, which a module must not have", shown, why);
        at = path + strlen(path) + 1;
    }
    if (list && !found)
        return rh_error_set(f->err, RH_EINPUT, "the repository does not have the directory '%s'",
                            f->source.part);
    return list ? 0 : -1;
}

/* What the user's own configuration says of line ends, filters and hooks is nothing to a module. */
static int
write_files(const struct fetch *f)
{
    const char *done;

    if (setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1) < 0 || setenv("GIT_CONFIG_NOSYSTEM", "1", 1) < 0)
        return rh_error_system(f->err, errno, "cannot set the environment of git");
    done = GIT(rh_arena_printf(f->arena, "--work-tree=%s", f->files), "-c", "core.hooksPath=/dev/null", "-c",
               "core.attributesFile=/dev/null", "checkout", "--quiet", "--force", f->commit, "--",
               *f->source.part ? f->source.part : ".");
    (void)unsetenv("GIT_CONFIG_GLOBAL");
    (void)unsetenv("GIT_CONFIG_NOSYSTEM");
    return done ? 0 : -1;
}

/* Of a process that git started, or that is meant for another repository. */
static int
set_environment(struct rh_error *err)
{
    static const char *const others[] = { "GIT_DIR",
                                          "GIT_WORK_TREE",
                                          "GIT_INDEX_FILE",
                                          "GIT_OBJECT_DIRECTORY",
                                          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                          "GIT_NAMESPACE" };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        (void)unsetenv(others[i]);
    if (setenv("GIT_ALLOW_PROTOCOL", "https:ssh:file", 1) < 0
        || setenv("GIT_TERMINAL_PROMPT", isatty(STDIN_FILENO) ? "1" : "0", 1) < 0)
        return rh_error_system(err, errno, "cannot set the environment of git");
    return 0;
}

/* Its module.yaml, and the digest. */
static int
describe(const struct fetch *f, struct rh_module_fetched *fetched)
{
    const char *path = rh_arena_printf(f->arena, "%s/" RH_MODULE_DESCRIPTION, fetched->path);
    rh_autoclose int dir = open(fetched->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    rh_autofree char *text = NULL;
    char digest[RH_MODULE_DIGEST];
    size_t n = 0;

    if (dir < 0)
        return rh_error_system(f->err, errno, "cannot open the directory '%s'", fetched->path);
    if (faccessat(dir, RH_MODULE_DESCRIPTION, F_OK, 0) < 0)
        return rh_error_set(f->err, RH_EINPUT, "it is not a module: it lacks '%s'", RH_MODULE_DESCRIPTION);
    if (faccessat(dir, RH_MODULE_MAIN, F_OK, 0) < 0)
        return rh_error_set(f->err, RH_EINPUT, "it is not a module: it lacks '%s'", RH_MODULE_MAIN);
    if (rh_module_digest(dir, f->source.text, digest, f->err) < 0)
        return -1;
    text = rh_read_kept_file(path, LARGEST_DESCRIPTION, &n, f->err);
    if (!text
        || rh_module_describe(f->arena, rh_arena_strndup(f->arena, text, n), n, RH_MODULE_DESCRIPTION,
                              &fetched->pin, f->err)
               < 0)
        return -1;
    fetched->pin.source = f->source.text;
    fetched->pin.commit = f->commit;
    fetched->pin.digest = rh_arena_strdup(f->arena, digest);
    return 0;
}

static int
run(struct fetch *f, const char *commit, struct rh_module_fetched *fetched)
{
    if (mkdir(f->files, 0755) < 0)
        return rh_error_system(f->err, errno, "cannot create the directory '%s'", f->files);
    if (set_environment(f->err) < 0 || find_commit(f, commit) < 0 || check_list(f) < 0 || write_files(f) < 0)
        return -1;
    fetched->path = *f->source.part ? rh_arena_printf(f->arena, "%s/%s", f->files, f->source.part) : f->files;
    return describe(f, fetched);
}

int
rh_module_fetch(struct rh_module_site *site, const char *source, const char *commit,
                struct rh_module_fetched *fetched, struct rh_error *err)
{
    struct fetch f = { .arena = site->arena, .err = err };
    rh_autofree char *here = NULL;
    const char *top;

    *fetched = (struct rh_module_fetched){ 0 };
    if (rh_module_source_read(site->arena, source, &f.source, err) < 0)
        return -1;
    here = realpath(site->modules, NULL); /* git changes its directory */
    if (!here)
        return rh_error_system(err, errno, "cannot open the directory '%s'", site->modules);
    top = rh_arena_printf(site->arena, "%s/" RH_MODULE_FETCHED, here);
    if (mkdir(top, 0700) < 0 && errno != EEXIST)
        return rh_error_system(err, errno, "cannot create the directory '%s'", top);
    f.repository = rh_arena_printf(site->arena, "%s/%u.git", top, site->fetched);
    f.files = rh_arena_printf(site->arena, "%s/%u", top, site->fetched++);
    if (run(&f, commit, fetched) == 0)
        return 0;
    return rh_error_prefix(err, "cannot use '%s'", f.source.text);
}
