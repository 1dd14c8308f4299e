/* SPDX-License-Identifier: Apache-2.0 */
/* scenario - a small apply that is interrupted; see the header. */
#include "config.h"

#include "scenario.h"

#include "machine.h"
#include "tracer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 300 }; /* the machine may have much else to do */

const char *const scenario_effects[] = { "a 2\n", "b 2\n", "e 2\n", NULL };

/* Files, a directory and a link. */
static void
write_files(FILE *f, const struct scenario *s, int version)
{
    fprintf(f, "  - file: %s/files/a\n    audit: all\n    notify: exec[a]\n    content: |\n", s->top);
    for (int i = 0; i < 300; i++)
        fprintf(f, "      line %d of version %d\n", i, version);
    fprintf(f,
            "  - line: version\n    path: %s/files/b\n    text: version %d\n    match: '^version '\n"
            "    notifies: [run, \"exec[b]\", delayed]\n",
            s->top, version);
    fprintf(f,
            "  - ini_setting: setting\n    path: %s/files/c.ini\n    section: s\n    setting: k\n"
            "    value: version %d\n",
            s->top, version);
    fprintf(f, "  - link: %s/files/l\n    target: version-%d\n", s->top, version);
    fprintf(f, "  - directory: %s/files/d\n    mode: %s\n", s->top, version == 1 ? "0755" : "0750");
    fprintf(f,
            "  - file: %s/files/e\n    content: \"version %d\\n\"\n"
            "    notifies: [run, \"exec[e]\", immediately]\n",
            s->top, version);
    if (version == 2) {
        fprintf(f, "  - directory: %s/files/new\n", s->top);
        fprintf(f, "  - file: %s/files/new/f\n    content: \"in a new directory\\n\"\n", s->top);
        fprintf(f, "  - file: %s/files/old\n    ensure: absent\n", s->top);
    }
}

static void
write_manifest(const struct scenario *s, int version)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/site.yaml", s->top);
    f = fopen(path, "we");
    if (!f)
        give_up("write", path);
    fprintf(f, "resources:\n");
    if (s->stand_in)
        machine_write_manifest(f, s->top, version);
    else
        write_files(f, s, version);
    for (const char *c = "abe"; *c; c++)
        fprintf(f,
                "  - exec: %c\n    action: nothing\n"
                "    command: [sh, -c, \"echo %c %d >>%s/effects/record\"]\n",
                *c, *c, version, s->top);
    if (fclose(f) != 0)
        give_up("write", path);
}

static void
put(const struct scenario *s, const char *name, const char *text)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", s->top, name);
    f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        give_up("write", path);
}

static void
make(const struct scenario *s, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", s->top, name);
    if (mkdir(path, 0755) < 0)
        give_up("make", path);
}

int
scenario_apply(struct scenario *s)
{
    struct trace_end end;

    if (trace_run(s->argv, s->output, NULL, SECONDS, &end) < 0)
        give_up("start", s->rhost);
    return end.status;
}

static void
apply_or_give_up(struct scenario *s)
{
    int status = scenario_apply(s);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return;
    fprintf(stderr, "the undisturbed run ends with %#x:\n%s\n", (unsigned)status,
            read_whole(s->output, NULL));
    exit(2);
}

static void
pick_plugins(struct scenario *s)
{
    static const char *const of_files[] = {
        "directory", "exec", "file", "ini_setting", "line", "link", NULL
    };
    static const char *const of_machine[] = { "apt_repository", "cron",         "exec",
                                              "package-apt",    "systemd_unit", NULL };
    const char *const *names = s->stand_in ? of_machine : of_files;
    char path[600];

    snprintf(s->picked, sizeof s->picked, "%s.plugins", s->top);
    if (mkdir(s->picked, 0755) < 0)
        give_up("make", s->picked);
    for (size_t i = 0; names[i]; i++) {
        size_t n;
        char *text;
        FILE *f;

        snprintf(path, sizeof path, "%s/%s.so", s->plugins, names[i]);
        text = read_whole(path, &n);
        if (!text)
            give_up("read", path);
        snprintf(path, sizeof path, "%s/%s.so", s->picked, names[i]);
        f = fopen(path, "we");
        if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
            give_up("write", path);
        free(text);
    }
}

void
scenario_open(struct scenario *s, const char *rhost, const char *plugins, const char *stand_in,
              const char *isolation, bool cold)
{
    static char state[300], manifest[300], path[300], place[40];
    const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    const char *argv[] = { rhost,         "--plugin-dir", s->picked, "apply",  "--detailed-exitcodes",
                           "--state-dir", state,          place,     manifest, NULL };

    *s = (struct scenario){
        .rhost = rhost, .plugins = plugins, .stand_in = stand_in, .isolation = isolation, .cold = cold
    };
    snprintf(s->top, sizeof s->top, "%s/rhost-robust.XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(s->top))
        give_up("make", s->top);
    snprintf(s->output, sizeof s->output, "%s.output", s->top);
    pick_plugins(s);
    snprintf(state, sizeof state, "%s/state", s->top);
    snprintf(manifest, sizeof manifest, "%s/site.yaml", s->top);
    snprintf(place, sizeof place, "--isolation=%s", isolation);
    memcpy(s->argv, argv, sizeof argv);
    (void)setenv("HOME", s->top, 1);
    make(s, "files");
    make(s, "effects");
    put(s, "effects/record", "");
    if (stand_in) {
        machine_open(s->top, stand_in);
        machine_lay_out(s->top);
    } else {
        put(s, "files/b", "# a comment\nversion 0\nthe end\n");
        put(s, "files/c.ini", "[s]\nk = nothing\nother = 1\n");
        put(s, "files/old", "to be removed\n");
    }
    write_manifest(s, 1);
    apply_or_give_up(s);
    snprintf(path, sizeof path, "%s/state", s->top);
    if (cold) {
        tree_remove(path);
        if (rmdir(path) < 0)
            give_up("remove", path);
    }
    write_manifest(s, 2);
    tree_take(&s->base, s->top);
    apply_or_give_up(s);
    tree_take(&s->done, s->top);
    tree_lay_out(&s->base, s->top);
}

void
scenario_close(struct scenario *s)
{
    if (s->stand_in)
        machine_close(s->top);
    tree_remove(s->top);
    (void)rmdir(s->top);
    (void)unlink(s->output);
    tree_remove(s->picked);
    (void)rmdir(s->picked);
    tree_clear(&s->base);
    tree_clear(&s->done);
}

bool
scenario_is_managed(const char *path)
{
    static const char of_dpkg[] =
        "files/dpkg/"; /* beside these, dpkg has files of its own, which it may make */

    if (strncmp(path, of_dpkg, sizeof of_dpkg - 1) == 0)
        return strcmp(path, "files/dpkg/status") == 0 || strncmp(path, "files/dpkg/updates", 18) == 0;
    return strncmp(path, "files/", 6) == 0;
}

static const char *
complain(const char *format, ...)
{
    static char text[600];
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return text;
}

/* The name of a content that is kept for an undo. */
static bool
is_digest(const char *name)
{
    return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

static bool
belongs_into_state(const char *path)
{
    static const char *const known[] = { "state/lock",         "state/audit.json",    "state/desired",
                                         "state/plugins.json", "state/schedule.json", "state/plan-key.json",
                                         "state/runs",         "state/content",       "state/sequence",
                                         "state/host.json" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(path, known[i]) == 0)
            return true;
    if (strncmp(path, "state/content/", 14) == 0)
        return is_digest(path + 14);
    if (strncmp(path, "state/runs/", 11) == 0 && strstr(path, ".content"))
        return !strchr(strstr(path, ".content"), '/') || is_digest(strchr(strstr(path, ".content"), '/') + 1);
    return strncmp(path, "state/runs/", 11) == 0 && strlen(path) > 17
           && strcmp(path + strlen(path) - 6, ".jsonl") == 0;
}

static const char *
check_tree(const struct scenario *s, const struct tree *now)
{
    const struct entry *record = tree_find(now, "effects/record");

    for (size_t i = 0; i < s->done.n; i++) {
        const struct entry *e = &s->done.v[i], *is = tree_find(now, e->path);

        if (!scenario_is_managed(e->path))
            continue;
        if (!entry_same(e, is))
            return complain("'%s' is not in its desired state", e->path);
        if (!S_ISLNK(e->mode) && e->mode != is->mode)
            return complain("'%s' has mode %04o, expected %04o", e->path, is->mode & 07777, e->mode & 07777);
    }
    for (size_t i = 0; i < now->n; i++) {
        const char *path = now->v[i].path;

        if (scenario_is_managed(path) ? !tree_find(&s->done, path)
                                      : strncmp(path, "state/", 6) == 0 && !belongs_into_state(path))
            return complain("'%s' is left behind", path);
    }
    for (size_t i = 0; scenario_effects[i]; i++)
        if (!record || !strstr(record->content, scenario_effects[i]))
            return complain("a notification was lost: no '%.3s' among the effects", scenario_effects[i]);
    return NULL;
}

const char *
scenario_check(struct scenario *s)
{
    struct tree now;
    const char *wrong;

    tree_take(&now, s->top);
    wrong = check_tree(s, &now);
    tree_clear(&now);
    return wrong;
}
