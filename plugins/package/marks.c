/* SPDX-License-Identifier: Apache-2.0 */
/* marks - which packages apt takes for installed automatically. */

#include "marks.h"

#include "tool.h"

#include <stdlib.h>

#define STATES "/var/lib/apt/extended_states"

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
compare_key(const void *key, const void *entry)
{
    return strcmp((const char *)key, *(const char *const *)entry);
}

/* Stanzas of fields, with an empty line between two of them. */
static int
read_stanzas(rhost_ctx *ctx, FILE *f, struct marks *marks)
{
    char *line = NULL, name[256] = "", arch[64] = "";
    size_t room = 0;
    int automatic = 0, more;

    do {
        more = getline(&line, &room, f) >= 0;
        if (more)
            line[strcspn(line, "\n")] = '\0';
        if (!more || !*line) {
            if (automatic && *name)
                words_add(ctx, &marks->automatic, rhost_fmt(ctx, "%s:%s", name, arch));
            *name = *arch = '\0';
            automatic = 0;
        } else if (words_after(line, "Package: ")) {
            snprintf(name, sizeof name, "%s", words_after(line, "Package: "));
        } else if (words_after(line, "Architecture: ")) {
            snprintf(arch, sizeof arch, "%s", words_after(line, "Architecture: "));
        } else if (words_after(line, "Auto-Installed: ")) {
            automatic = strcmp(words_after(line, "Auto-Installed: "), "1") == 0;
        }
    } while (more);
    free(line);
    return ferror(f) ? -1 : 0;
}

int32_t
marks_read(rhost_ctx *ctx, struct marks *marks)
{
    FILE *f = fopen(STATES, "re");
    int failed;

    *marks = (struct marks){ 0 };
    if (!f && errno == ENOENT)
        return 0; /* nothing was ever installed by itself */
    failed = !f || read_stanzas(ctx, f, marks) < 0;
    if (failed)
        (void)rhost_fail_errno(ctx, "cannot read '%s'", STATES);
    if (f)
        (void)fclose(f);
    if (marks->automatic.n)
        qsort(marks->automatic.at, marks->automatic.n, sizeof *marks->automatic.at, by_text);
    return failed ? -1 : 0;
}

const char *
marks_of(const struct marks *marks, const struct debs *debs, const struct deb *deb)
{
    char key[384];

    /* What is for all architectures is noted under that of the machine. */
    snprintf(key, sizeof key, "%s:%s", deb->name, strcmp(deb->arch, "all") == 0 ? debs->native : deb->arch);
    return marks->automatic.n
                   && bsearch(key, marks->automatic.at, marks->automatic.n, sizeof *marks->automatic.at,
                              compare_key)
               ? "auto"
               : "manual";
}

static int
is_marked_otherwise(const struct job *job, const struct marks *marks, const struct debs *now)
{
    const struct deb *deb = deb_find(now, job->name);
    const char *wanted = rhost_str(job->change->should, "mark");

    return !job->failed && !job->gone && wanted && deb_is_there(deb)
           && strcmp(marks_of(marks, now, deb), wanted) != 0;
}

/* How many were to be marked so. */
static int32_t
mark(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *now, const struct marks *marks,
     const char *as, const char **printed)
{
    struct words argv = { 0 };
    struct rhost_output out;
    int32_t n = 0;

    tool_words(ctx, &argv, "apt-mark", as, "--");
    for (size_t i = 0; i < jobs->n; i++)
        if (is_marked_otherwise(&jobs->at[i], marks, now)
            && strcmp(rhost_str(jobs->at[i].change->should, "mark"), as) == 0 && ++n)
            words_add(ctx, &argv, jobs->at[i].name);
    if (!n)
        return 0;
    if (tool_act(ctx, &argv, NULL, 300, &out) < 0)
        return -1;
    *printed = words_join(ctx, *printed, out.out);
    return n;
}

int32_t
marks_set(rhost_ctx *ctx, struct jobs *jobs, const struct debs *now)
{
    const char *printed = "";
    struct marks marks;
    int32_t manual, automatic;

    if (marks_read(ctx, &marks) < 0)
        return -1;
    manual = mark(ctx, jobs, now, &marks, "manual", &printed);
    automatic = manual < 0 ? -1 : mark(ctx, jobs, now, &marks, "auto", &printed);
    if (automatic < 0 || (manual + automatic && marks_read(ctx, &marks) < 0))
        return -1;
    for (size_t i = 0; i < jobs->n; i++)
        if (is_marked_otherwise(&jobs->at[i], &marks, now))
            job_fail(ctx, &jobs->at[i], "it is still not marked '%s': %s",
                     rhost_str(jobs->at[i].change->should, "mark"), lines_of_error(ctx, printed));
    return 0;
}
