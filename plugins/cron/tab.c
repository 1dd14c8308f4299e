/* SPDX-License-Identifier: Apache-2.0 */
/* tab - jobs with a name in the lines of a crontab. */

#include "tab.h"

#include <ctype.h>

#define MARK "# rhost: "

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct tab_part
trim(const struct rhost_line *line)
{
    struct tab_part p = { line->text, line->len };

    while (p.len && is_blank(*p.at))
        p.at++, p.len--;
    while (p.len && (is_blank(p.at[p.len - 1]) || p.at[p.len - 1] == '\r'))
        p.len--;
    return p;
}

static struct tab_part
word(struct tab_part *rest)
{
    struct tab_part w = { rest->at, 0 };

    while (w.len < rest->len && !is_blank(w.at[w.len]))
        w.len++;
    rest->at += w.len;
    rest->len -= w.len;
    while (rest->len && is_blank(*rest->at))
        rest->at++, rest->len--;
    return w;
}

/* NAME = value, as crontab(5) has it: no time begins with a letter and has a '=' behind its first word. */
static int
is_setting(struct tab_part text)
{
    size_t i = 0;
    char quote = text.len && (*text.at == '"' || *text.at == '\'') ? *text.at : 0;

    if (quote) {
        for (i = 1; i < text.len && text.at[i] != quote; i++)
            continue;
        i++;
    } else {
        while (i < text.len && (isalnum((unsigned char)text.at[i]) || text.at[i] == '_'))
            i++;
    }
    while (i < text.len && is_blank(text.at[i]))
        i++;
    return i > 0 && i < text.len && text.at[i] == '=';
}

int
tab_is_job(const struct rhost_lines *l, size_t i)
{
    struct tab_part text = trim(&l->at[i]);

    return text.len && *text.at != '#' && !is_setting(text);
}

static int
parse_job(struct tab_part text, int system, struct tab_job *job)
{
    if (*text.at == '@') {
        job->special = word(&text);
        job->special.at++;
        job->special.len--;
    } else {
        for (size_t i = 0; i < TIMES; i++)
            job->times[i] = word(&text);
    }
    if (system)
        job->user = word(&text);
    job->command = text;
    return text.len > 0;
}

/* A comment that would run something without its '#'. Prose has no five times. */
static int
parse_disabled(struct tab_part text, int system, struct tab_job *job)
{
    char tidy[200], why[200], field[40];

    if (!text.len || *text.at != '#')
        return 0;
    text.at++, text.len--;
    while (text.len && is_blank(*text.at))
        text.at++, text.len--;
    if (!text.len || *text.at == '#' || !parse_job(text, system, job))
        return 0;
    if (job->special.len)
        return times_special(job->special.at, job->special.len) != NULL;
    for (size_t i = 0; i < TIMES; i++) {
        if (job->times[i].len >= sizeof field)
            return 0;
        memcpy(field, job->times[i].at, job->times[i].len);
        field[job->times[i].len] = '\0';
        if (times_tidy(i, field, tidy, why, sizeof why) < 0)
            return 0;
    }
    return 1;
}

/* The job in line `at`, below the name and the environment of *job. */
static int
job_at(const struct rhost_lines *l, size_t at, int system, struct tab_job *job)
{
    struct tab_job off = *job;

    if (at == l->n)
        return 0;
    if (tab_is_job(l, at)) {
        job->there = parse_job(trim(&l->at[at]), system, job);
        return 1;
    }
    if (!parse_disabled(trim(&l->at[at]), system, &off))
        return 0;
    *job = off;
    job->there = job->disabled = 1;
    return 1;
}

int
tab_next(const struct rhost_lines *l, int system, size_t *from, struct tab_job *job)
{
    for (size_t i = *from; i < l->n; i++) {
        struct tab_part text = trim(&l->at[i]);
        size_t at = i + 1;

        if (text.len < sizeof MARK || memcmp(text.at, MARK, sizeof MARK - 1) != 0)
            continue;
        memset(job, 0, sizeof *job);
        job->from = i;
        job->n = 1;
        job->name = (struct tab_part){ text.at + sizeof MARK - 1, text.len - (sizeof MARK - 1) };
        while (job->name.len && is_blank(*job->name.at))
            job->name.at++, job->name.len--;
        while (at < l->n && is_setting(trim(&l->at[at])))
            at++;
        if (job_at(l, at, system, job)) {
            job->n_env = at - i - 1;
            job->n = at - i + 1;
        }
        *from = i + job->n;
        return 1;
    }
    return 0;
}

int
tab_find(const struct rhost_lines *l, int system, const char *name, struct tab_job *job)
{
    size_t from = 0;

    while (tab_next(l, system, &from, job))
        if (job->name.len == strlen(name) && memcmp(job->name.at, name, job->name.len) == 0)
            return 1;
    return 0;
}

void
tab_remove(struct rhost_lines *l, int system, const char *name)
{
    char *goes = (char *)calloc(l->n + 1, 1);
    struct tab_job job;
    size_t from = 0;

    if (!goes) {
        l->failed = l->edited = 1;
        return;
    }
    while (tab_next(l, system, &from, &job))
        if (job.name.len == strlen(name) && memcmp(job.name.at, name, job.name.len) == 0)
            memset(goes + job.from, 1, job.n);
    rhost_lines_remove_marked(l, goes);
    free(goes);
}
