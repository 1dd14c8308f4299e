/* SPDX-License-Identifier: Apache-2.0 */
/* option-take - what becomes of the value of an option. */
#include "config.h"

#include "cli/option-take.h"

#include "base/alloc.h"
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The setting that the option is about. */
static void *
setting(const struct rh_option *o, struct rh_settings *s)
{
    return (char *)s + o->at;
}

int
rh_option_flag(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    bool *flag = setting(o, s);

    (void)value;
    *flag = true;
    return 0;
}

int
rh_option_text(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    const char **text = setting(o, s);

    *text = value;
    return 0;
}

int
rh_option_name(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)rh_option_text(o, s, value);
    return *value ? 0 : -1;
}

/* Kept as text: another program reads it. */
int
rh_option_revision(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)rh_option_text(o, s, value);
    return n && n <= 18 && !value[n] && value[0] != '0' ? 0 : -1;
}

/* Kept as text: another program reads it. */
int
rh_option_interval(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)rh_option_text(o, s, value);
    return n && n <= 9 && value[0] != '0' && (!value[n] || (strchr("smhd", value[n]) && !value[n + 1])) ? 0
                                                                                                        : -1;
}

int
rh_option_percent(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)rh_option_text(o, s, value);
    return n && n <= 3 && !value[n] && strtol(value, NULL, 10) <= 100 ? 0 : -1;
}

int
rh_option_more(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    struct rh_words *words = setting(o, s);

    words->v = rh_xgrow(words->v, &words->cap, words->n, sizeof *words->v);
    words->v[words->n++] = value;
    return 0;
}

int
rh_option_more_names(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)rh_option_more(o, s, value);
    return *value ? 0 : -1;
}

int
rh_option_more_tags(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)rh_option_more(o, s, value);
    return rh_is_tag_list(value) ? 0 : -1;
}

static int
take_number(const char *value, unsigned least, unsigned *to)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(value, &end, 10);
    if (errno || *end || end == value || n < (long)least || n > INT_MAX / 1000)
        return -1;
    *to = (unsigned)n;
    return 0;
}

int
rh_option_whole(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    return take_number(value, 0, setting(o, s));
}

int
rh_option_positive(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    return take_number(value, 1, setting(o, s));
}

int
rh_option_ssh_persist(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->ssh_persist_specified = true;
    return take_number(value, 0, &s->ssh_persist);
}

int
rh_option_verbose(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    (void)value;
    s->verbose++;
    return 0;
}

int
rh_option_debug(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    (void)value;
    s->verbose = 2;
    return 0;
}

/* One of some words, by its number; -1 when it is none of them. */
static int
word(const char *value, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(value, words[i]) == 0)
            return i;
    return -1;
}

int
rh_option_duplicates(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "refuse", "clone", "agree", NULL });

    (void)o;
    s->duplicates = (enum rh_duplicates)i;
    return i < 0 ? -1 : 0;
}

int
rh_option_strict(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "error", "warning", "off", NULL });

    (void)o;
    s->strict = (enum rh_strict)i;
    return i < 0 ? -1 : 0;
}

int
rh_option_isolation(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "worker", "none", "confined", NULL });

    (void)o;
    s->has_isolation = true;
    s->confined = i == 2;
    s->isolation = s->confined ? RH_ISOLATION_WORKER : (enum rh_isolation)i;
    return i < 0 ? -1 : 0;
}

int
rh_option_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", NULL });

    (void)o;
    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

int
rh_option_yaml_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", "yaml", NULL });

    (void)o;
    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

int
rh_option_html_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_HTML };
    int i = word(value, (const char *const[]){ "text", "json", "html", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

int
rh_option_sarif_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_SARIF };
    int i = word(value, (const char *const[]){ "text", "json", "sarif", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

int
rh_option_graph_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_DOT, RH_FORMAT_SVG, RH_FORMAT_HTML, RH_FORMAT_TEXT,
                                              RH_FORMAT_JSON };
    int i = word(value, (const char *const[]){ "dot", "svg", "html", "text", "json", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    s->graph_format = true;
    return i < 0 ? -1 : 0;
}

int
rh_option_show_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT,     RH_FORMAT_JSON,  RH_FORMAT_HTML,
                                              RH_FORMAT_MARKDOWN, RH_FORMAT_JUNIT, RH_FORMAT_PROMETHEUS,
                                              RH_FORMAT_OTLP };
    int i = word(value, (const char *const[]){ "text", "json", "html", "markdown", "junit", "prometheus",
                                               "otlp", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

/* 90, 90s, 30m, 12h, 7d */
int
rh_option_age(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const char units[] = "smhd";
    static const long long seconds[] = { 1, 60, 3600, 86400 };
    unsigned *age = setting(o, s);
    const char *unit;
    long long n;
    char *end;

    errno = 0;
    n = strtoll(value, &end, 10);
    if (errno || *value < '0' || *value > '9' || n < 1 || n > UINT_MAX)
        return -1;
    unit = *end ? strchr(units, *end) : units;
    if (!unit || (*end && end[1]) || n * seconds[unit - units] > UINT_MAX)
        return -1;
    *age = (unsigned)(n * seconds[unit - units]);
    return 0;
}

/* 1048576, 512K, 500M, 2G, 1T */
int
rh_option_size(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const char units[] = "KMGT";
    uint64_t *size = setting(o, s);
    const char *unit;
    unsigned long long n;
    char *end;

    errno = 0;
    n = strtoull(value, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (errno || *value < '0' || *value > '9' || !n || (*end && (!unit || end[1])))
        return -1;
    for (; unit && unit >= units; unit--) {
        if (n > UINT64_MAX / 1024)
            return -1;
        n *= 1024;
    }
    *size = n;
    return 0;
}

int
rh_option_style(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->style = value;
    return word(value,
                (const char *const[]){ "load", "get-set", "simple", "converge", "remote", "program", NULL })
                   < 0
               ? -1
               : 0;
}

int
rh_option_build(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "make", "meson", NULL });

    (void)o;
    s->meson = i == 1;
    return i < 0 ? -1 : 0;
}

int
rh_option_page_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_MARKDOWN,
                                              RH_FORMAT_MAN };
    int i = word(value, (const char *const[]){ "text", "json", "markdown", "man", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

int
rh_option_colour(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "never", "always", "auto", NULL });

    (void)o;
    s->colour = i == 2 ? -1 : i;
    return i < 0 ? -1 : 0;
}

/* A descriptor that the caller has opened for us. */
static int
take_descriptor(const char *value, int *fd)
{
    unsigned number;

    if (take_number(value, 1, &number) < 0 || fcntl((int)number, F_GETFD) < 0)
        return -1;
    *fd = (int)number;
    return *fd > STDERR_FILENO ? fcntl(*fd, F_SETFD, FD_CLOEXEC) : 0;
}

int
rh_option_detail(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "all", "changes", NULL });

    (void)o;
    s->changes_only = i == 1;
    return i < 0 ? -1 : 0;
}

int
rh_option_events(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int fd;

    (void)rh_option_text(o, s, value);
    if (strncmp(value, "fd:", 3) == 0)
        return take_descriptor(value + 3, &fd);
    return *value ? 0 : -1;
}

int
rh_option_progress(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "auto", "none", "json", NULL });

    (void)o;
    s->progress_fd = STDERR_FILENO;
    s->progress = i < 0 ? RH_PROGRESS_JSON : (enum rh_progress_mode)i;
    if (i < 0 && strncmp(value, "json:", 5) == 0)
        return take_descriptor(value + 5, &s->progress_fd);
    return i < 0 ? -1 : 0;
}

int
rh_option_become(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->become = value;
    return word(value, (const char *const[]){ "sudo", "doas", "none", NULL }) < 0 ? -1 : 0;
}

int
rh_option_secret(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    const char *equals = strchr(value, '=');

    (void)rh_option_more(o, s, value);
    return equals && equals != value && equals[1] ? 0 : -1;
}

int
rh_option_seed(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    char *end;

    (void)o;
    errno = 0;
    s->seed = strtoull(value, &end, 10);
    return errno || *end || *value < '0' || *value > '9' || !s->seed ? -1 : 0;
}
