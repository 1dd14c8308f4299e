/* SPDX-License-Identifier: Apache-2.0 */
/* pip - runs pip in an environment, and makes environments. */

#include "pip.h"

#include "manager.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

static const char *const env[] = {
    "LC_ALL=C.UTF-8",
    "PIP_NO_INPUT=1",
    "PIP_DISABLE_PIP_VERSION_CHECK=1",
    "PIP_NO_COLOR=1",
    "PIP_PROGRESS_BAR=off",
    "PIP_RETRIES=1",
    NULL,
};
static const char *const prefixes[] = { "ERROR:", "error:", NULL };
static const char *const idle[] = { "[notice]", "WARNING:", "To update, run", "note:",
                                    "×",        "╰─>",      "hint:",          NULL };
static const struct manager pip = { .name = "pip", .env = env, .prefixes = prefixes, .idle = idle };

static const char *
python_of(const struct environment *e)
{
    return rhost_fmt(e->place.ctx, "%s/bin/python3", e->place.path);
}

int32_t
pip_check(const struct environment *e)
{
    rhost_ctx *ctx = e->place.ctx;
    const char *path = e->place.path;

    if (!e->place.exists)
        return rhost_fail_attr(ctx, "environment", "'%s' does not exist: 'create: true' makes it", path);
    if (e->managed && !e->is_virtual)
        return rhost_fail_attr(
            ctx, "environment",
            "the Python of '%s' is managed by its distribution, which '%s' says: install the "
            "package of the distribution, or name a virtual environment",
            path, e->managed);
    if (!e->is_whole)
        return rhost_fail_attr(ctx, "environment",
                               "'%s' has no Python: 'create: true' makes it a virtual environment", path);
    return 0;
}

/* Also what is installed, where something is. */
static int32_t
check_trust(const struct environment *e, int installs)
{
    rhost_ctx *ctx = e->place.ctx;
    const rhost_value *should = e->place.should, *links = rhost_get(should, "find_links");
    const char *keys[] = { "source", "constraints" }, *index = rhost_str_or(should, "index_url", "");
    struct words all = { .ctx = ctx };

    for (size_t i = 0; e->sites[i]; i++)
        words_add(&all, rhost_fmt(ctx, "%s/*", e->sites[i]));
    words_add(&all, rhost_fmt(ctx, "%s/bin/*", e->place.path));
    words_add(&all, rhost_fmt(ctx, "%s/pyvenv.cfg", e->place.path));
    words_add(&all, rhost_fmt(ctx, "%s/pip.conf", e->place.path));
    words_add(&all, rhost_str_or(should, "python", PIP_PYTHON));
    for (size_t i = 0; installs && i < sizeof keys / sizeof *keys; i++)
        if (rhost_has(should, keys[i]))
            words_add(&all, rhost_str(should, keys[i]));
    for (size_t i = 0; installs && i < rhost_count(links); i++)
        if (*rhost_str_at(links, i) == '/')
            words_add(&all, rhost_fmt(ctx, "%s/*", rhost_str_at(links, i)));
    if (installs && strncmp(index, "file://", 7) == 0)
        words_add(&all, index + 7);
    return place_check_trust(&e->place, "pip", all.all);
}

/* What makes an environment is there to be replaced by nothing else. */
static int32_t
check_new(const struct environment *e)
{
    rhost_ctx *ctx = e->place.ctx;
    const char **names;
    ssize_t n;

    if (!e->place.exists || e->is_virtual)
        return 0;
    n = rhost_path_list(ctx, e->place.path, 0, &names);
    if (n < 0)
        return rhost_fail_path(ctx, "cannot read '%s'", e->place.path);
    return n == 0 ? 0
                  : rhost_fail_attr(ctx, "environment",
                                    "'%s' is not empty, and it is not a virtual environment", e->place.path);
}

int32_t
pip_make_environment(struct environment *e)
{
    rhost_ctx *ctx = e->place.ctx;
    const rhost_value *should = e->place.should;
    const char *path = e->place.path;
    struct words w = { .ctx = ctx };
    struct rhost_output output;

    if (check_new(e) < 0 || place_make(&e->place) < 0 || check_trust(e, 0) < 0)
        return -1;
    words_add(&w, rhost_str_or(should, "python", PIP_PYTHON));
    words_add(&w, "-I");
    words_add(&w, "-m");
    words_add(&w, "venv");
    if (!rhost_bool(should, "pip", 1))
        words_add(&w, "--without-pip");
    words_add(&w, path);
    if (manager_run(&pip, &e->place, &w, 0, &output) < 0)
        return -1;
    rhost_touched(ctx, path);
    if (output.status != 0 && (strstr(output.out, "ensurepip") || strstr(output.err, "No module named")))
        return rhost_fail(
            ctx,
            "cannot make the virtual environment '%s': this Python lacks venv or ensurepip; Debian "
            "has them in the package 'python3-venv'",
            path);
    if (output.status != 0)
        return rhost_fail(ctx, "cannot make the virtual environment '%s': %s", path,
                          manager_complaint(&pip, ctx, &output));
    rhost_notice(ctx, "Created virtual environment '%s'", path);
    return environment_open(ctx, e, path, should);
}

/* Its own pip; or that of the Python that makes environments, for this one. */
static void
begin(const struct environment *e, struct words *w)
{
    words_add(w, e->has_pip ? python_of(e) : rhost_str_or(e->place.should, "python", PIP_PYTHON));
    words_add(w, "-I");
    words_add(w, "-m");
    words_add(w, "pip");
    if (e->has_pip)
        return;
    words_add(w, "--python");
    words_add(w, python_of(e));
}

/* What pip says in a warning alone, or not at all. */
static const char *
explain(const struct environment *e, const struct rhost_output *output)
{
    if (strstr(output->err, "Retrying (") || strstr(output->err, "Could not fetch URL"))
        return "; pip could not reach the index";
    if (strstr(output->err, "No matching distribution") && !rhost_bool(e->place.should, "build", 0))
        return "; only wheels are looked for, unless 'build: true'";
    return "";
}

static int32_t
run(const struct environment *e, const struct words *w, const char *what)
{
    rhost_ctx *ctx = e->place.ctx;
    struct rhost_output output;

    if (manager_run(&pip, &e->place, w, RHOST_EXEC_TAIL, &output) < 0)
        return -1;
    rhost_touched(ctx, e->place.path);
    if (output.status == 0)
        return 0;
    if (strstr(output.err, "No module named pip"))
        return rhost_fail(
            ctx, "cannot %s: neither '%s' nor '%s' has pip; Debian has it in the package 'python3-pip'", what,
            e->place.path, rhost_str_or(e->place.should, "python", PIP_PYTHON));
    return rhost_fail(ctx, "cannot %s: %s%s", what, manager_complaint(&pip, ctx, &output),
                      explain(e, &output));
}

int32_t
pip_install(const struct environment *e, const char *requirement, int broken)
{
    const rhost_value *should = e->place.should, *links = rhost_get(should, "find_links");
    const char *index = rhost_str(should, "index_url"), *constraints = rhost_str(should, "constraints");
    struct words w = { .ctx = e->place.ctx };

    if (pip_check(e) < 0 || check_trust(e, 1) < 0)
        return -1;
    begin(e, &w);
    words_add(&w, "install");
    words_add(&w, "--quiet");
    if (!rhost_bool(should, "build", 0)) {
        words_add(&w, "--only-binary");
        words_add(&w, ":all:");
    }
    if (!rhost_bool(should, "dependencies", 1))
        words_add(&w, "--no-deps");
    if (rhost_bool(should, "no_index", 0))
        words_add(&w, "--no-index");
    if (index) {
        words_add(&w, "--index-url");
        words_add(&w, index);
    }
    for (size_t i = 0; i < rhost_count(links); i++) {
        words_add(&w, "--find-links");
        words_add(&w, rhost_str_at(links, i));
    }
    if (constraints) {
        words_add(&w, "--constraint");
        words_add(&w, constraints);
    }
    if (broken)
        words_add(&w, "--ignore-installed");
    words_add(&w, "--");
    words_add(&w, requirement);
    return run(e, &w, rhost_fmt(e->place.ctx, "install '%s'", requirement));
}

int32_t
pip_uninstall(const struct environment *e, const char *name)
{
    struct words w = { .ctx = e->place.ctx };

    if (pip_check(e) < 0 || check_trust(e, 0) < 0)
        return -1;
    begin(e, &w);
    words_add(&w, "uninstall");
    words_add(&w, "--quiet");
    words_add(&w, "--yes");
    words_add(&w, "--");
    words_add(&w, name);
    return run(e, &w, rhost_fmt(e->place.ctx, "remove '%s'", name));
}
