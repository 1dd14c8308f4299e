/* SPDX-License-Identifier: Apache-2.0 */
/* runs - applying a manifest with the real rhost and the plugins of this folder, and counting. */
#include "config.h"

#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *work, *path;

static void
give_up(const char *what)
{
    perror(what);
    runs_close();
    exit(99); /* automake: a hard error */
}

void
runs_open(const char *work_name)
{
    const char *tmp = getenv("TMPDIR");

    work = rh_printf("%s/rhost-%s.XXXXXX", tmp && *tmp ? tmp : "/tmp", work_name);
    if (!mkdtemp(work))
        give_up(work);
    if (setenv("RHOST_PASS_ENV", "RHOST_PROBE*", 1) < 0 || setenv("RHOST_PROBE_LOG", runs_path("log"), 1) < 0)
        give_up("setenv");
}

static int
remove_one(const char *name, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(name);
}

static void
remove_all(const char *name)
{
    if (nftw(name, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        perror(name);
}

void
runs_close(void)
{
    if (work)
        remove_all(work);
    free(work);
    free(path);
    work = path = NULL;
}

const char *
runs_path(const char *file)
{
    free(path);
    path = rh_printf("%s/%s", work, file);
    return path;
}

void
runs_write(const char *file, const char *text)
{
    FILE *f = fopen(runs_path(file), "w");

    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        give_up(path);
}

/* Lines of JSON. */
static struct json_object *
read_log(void)
{
    struct json_object *all = json_object_new_array();
    FILE *f = fopen(runs_path("log"), "r");
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) > 0)
        json_object_array_add(all, json_tokener_parse(line));
    free(line);
    if (f)
        fclose(f);
    return all;
}

static char *
read_text(const char *file)
{
    FILE *f = fopen(runs_path(file), "r");
    char *text = NULL;
    size_t room = 0;

    if (!f || getdelim(&text, &room, '\0', f) < 0) {
        free(text);
        text = rh_xstrdup("");
    }
    if (f)
        fclose(f);
    return text;
}

static int
run_program(char **argv)
{
    posix_spawn_file_actions_t actions;
    rh_autofree char *said = rh_xstrdup(runs_path("said"));
    int status;
    pid_t pid = -1;

    if (posix_spawn_file_actions_init(&actions) != 0
        || posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 0
        || posix_spawn_file_actions_adddup2(&actions, 1, 2) != 0
        || posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
        give_up(argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            give_up("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void
run_apply(struct run *r, struct json_object *manifest, const char *isolation, const char *const *more)
{
    static char rhost[] = "core/rhost", apply[] = "apply", quiet[] = "-q";
    static char alone[] = "--no-installed-plugins";
    static char plugins[] = "--plugin-dir=tests/conformance/.libs";
    rh_autofree char *state = rh_printf("--state-dir=%s/state", work);
    rh_autofree char *report = rh_printf("--report=%s/report", work);
    rh_autofree char *where = rh_printf("--isolation=%s", isolation);
    rh_autofree char *site = rh_printf("%s/site.json", work);
    char *argv[17] = { rhost, apply, quiet, alone, plugins, state, report, where };
    struct json_object *told;
    size_t n = 8;

    for (; more && *more && n < 15; more++)
        argv[n++] = (char *)(uintptr_t)*more;
    argv[n] = site;
    runs_write("site.json", json_object_to_json_string(manifest));
    remove_all(runs_path("state"));
    remove_all(runs_path("report"));
    remove_all(runs_path("log"));
    *r = (struct run){ .exit = run_program(argv) };
    told = json_object_from_file(runs_path("report"));
    r->events = json_object_get(js(told, "resources"));
    json_object_put(told);
    r->log = read_log();
    r->said = read_text("said");
}

void
run_clear(struct run *r)
{
    json_object_put(r->events);
    json_object_put(r->log);
    free(r->said);
}

struct json_object *
runs_vectors(int argc, char **argv, const char *file)
{
    const char *srcdir = getenv("srcdir");
    rh_autofree char *beside = rh_printf("%s/tests/conformance/vectors", srcdir ? srcdir : ".");
    rh_autofree char *name = rh_printf("%s/%s", argc > 1 ? argv[1] : beside, file);
    struct json_object *all = json_object_from_file(name);

    if (!json_object_is_type(all, json_type_array)) {
        fprintf(stderr, "%s: no array of vectors\n", name);
        exit(99);
    }
    return all;
}

struct json_object *
js(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    if (json_object_is_type(o, json_type_object))
        (void)json_object_object_get_ex(o, key, &v);
    return v;
}

const char *
js_text(struct json_object *o, const char *key)
{
    struct json_object *v = js(o, key);

    return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

bool
js_true(struct json_object *o, const char *key)
{
    return json_object_get_boolean(js(o, key));
}

size_t
js_count(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

struct json_object *
js_at(struct json_object *array, size_t i)
{
    return i < js_count(array) ? json_object_array_get_idx(array, i) : NULL;
}

bool
js_has_text(struct json_object *array, const char *text)
{
    for (size_t i = 0; i < js_count(array); i++)
        if (strcmp(json_object_get_string(js_at(array, i)), text) == 0)
            return true;
    return false;
}

static bool
is_number(struct json_object *o)
{
    return json_object_is_type(o, json_type_int) || json_object_is_type(o, json_type_double);
}

bool
js_equal(struct json_object *a, struct json_object *b)
{
    if (is_number(a) && is_number(b))
        return fabs(json_object_get_double(a) - json_object_get_double(b)) < 1e-12;
    if (json_object_get_type(a) != json_object_get_type(b))
        return false;
    if (json_object_is_type(a, json_type_array)) {
        for (size_t i = 0; i < js_count(a); i++)
            if (!js_equal(js_at(a, i), js_at(b, i)))
                return false;
        return js_count(a) == js_count(b);
    }
    if (json_object_is_type(a, json_type_object)) {
        json_object_object_foreach(a, key, v)
        {
            if (!json_object_object_get_ex(b, key, NULL) || !js_equal(v, js(b, key)))
                return false;
        }
        return json_object_object_length(a) == json_object_object_length(b);
    }
    return json_object_equal(a, b);
}

void
say_failure(const char *id, const char *isolation, const char *fmt, ...)
{
    va_list ap;

    printf("FAIL %s (%s): ", id, isolation);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

int
say_counts(const char *what, size_t passed, size_t differs, size_t failed, const struct rule *rules, size_t n)
{
    printf("%s: %zu pass, %zu differ on purpose, %zu fail\n", what, passed, differs, failed);
    for (size_t i = 0; i < n; i++)
        if (rules[i].vectors)
            printf("  %4zu differ: %s\n", rules[i].vectors, rules[i].reason);
    return failed ? 1 : 0;
}
