/* SPDX-License-Identifier: Apache-2.0 */
/* option-table - each option: what it is called, and what becomes of its value. */
#include "config.h"

#include "cli/options.h"

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

static int
take_flag(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    bool *flag = setting(o, s);

    (void)value;
    *flag = true;
    return 0;
}

static int
take_text(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    const char **text = setting(o, s);

    *text = value;
    return 0;
}

static int
take_name(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)take_text(o, s, value);
    return *value ? 0 : -1;
}

/* Kept as text: another program reads it. */
static int
take_revision(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)take_text(o, s, value);
    return n && n <= 18 && !value[n] && value[0] != '0' ? 0 : -1;
}

/* Kept as text: another program reads it. */
static int
take_interval(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)take_text(o, s, value);
    return n && n <= 9 && value[0] != '0' && (!value[n] || (strchr("smhd", value[n]) && !value[n + 1])) ? 0
                                                                                                        : -1;
}

static int
take_percent(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    size_t n = strspn(value, "0123456789");

    (void)take_text(o, s, value);
    return n && n <= 3 && !value[n] && strtol(value, NULL, 10) <= 100 ? 0 : -1;
}

static int
take_more(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    struct rh_words *words = setting(o, s);

    words->v = rh_xgrow(words->v, &words->cap, words->n, sizeof *words->v);
    words->v[words->n++] = value;
    return 0;
}

static int
take_more_names(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)take_more(o, s, value);
    return *value ? 0 : -1;
}

static int
take_more_tags(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)take_more(o, s, value);
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

static int
take_whole(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    return take_number(value, 0, setting(o, s));
}

static int
take_positive(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    return take_number(value, 1, setting(o, s));
}

static int
take_ssh_persist(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->ssh_persist_given = true;
    return take_number(value, 0, &s->ssh_persist);
}

static int
take_verbose(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    (void)value;
    s->verbose++;
    return 0;
}

static int
take_debug(const struct rh_option *o, struct rh_settings *s, const char *value)
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

static int
take_duplicates(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "refuse", "clone", NULL });

    (void)o;
    s->clone = i == 1;
    return i < 0 ? -1 : 0;
}

static int
take_strict(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "error", "warning", "off", NULL });

    (void)o;
    s->strict = (enum rh_strict)i;
    return i < 0 ? -1 : 0;
}

static int
take_isolation(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "worker", "none", NULL });

    (void)o;
    s->isolation = (enum rh_isolation)i;
    return i < 0 ? -1 : 0;
}

static int
take_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", NULL });

    (void)o;
    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

static int
take_yaml_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", "yaml", NULL });

    (void)o;
    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

static int
take_html_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_HTML };
    int i = word(value, (const char *const[]){ "text", "json", "html", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

static int
take_sarif_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_SARIF };
    int i = word(value, (const char *const[]){ "text", "json", "sarif", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

static int
take_graph_format(const struct rh_option *o, struct rh_settings *s, const char *value)
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

static int
take_show_format(const struct rh_option *o, struct rh_settings *s, const char *value)
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
static int
take_age(const struct rh_option *o, struct rh_settings *s, const char *value)
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
static int
take_size(const struct rh_option *o, struct rh_settings *s, const char *value)
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

static int
take_style(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->style = value;
    return word(value,
                (const char *const[]){ "load", "get-set", "simple", "converge", "remote", "program", NULL })
                   < 0
               ? -1
               : 0;
}

static int
take_build(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "make", "meson", NULL });

    (void)o;
    s->meson = i == 1;
    return i < 0 ? -1 : 0;
}

static int
take_page_format(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_MARKDOWN,
                                              RH_FORMAT_MAN };
    int i = word(value, (const char *const[]){ "text", "json", "markdown", "man", NULL });

    (void)o;
    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

static int
take_colour(const struct rh_option *o, struct rh_settings *s, const char *value)
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

static int
take_detail(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "all", "changes", NULL });

    (void)o;
    s->changes_only = i == 1;
    return i < 0 ? -1 : 0;
}

static int
take_events(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int fd;

    (void)take_text(o, s, value);
    if (strncmp(value, "fd:", 3) == 0)
        return take_descriptor(value + 3, &fd);
    return *value ? 0 : -1;
}

static int
take_progress(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "auto", "none", "json", NULL });

    (void)o;
    s->progress_fd = STDERR_FILENO;
    s->progress = i < 0 ? RH_PROGRESS_JSON : (enum rh_progress_mode)i;
    if (i < 0 && strncmp(value, "json:", 5) == 0)
        return take_descriptor(value + 5, &s->progress_fd);
    return i < 0 ? -1 : 0;
}

static int
take_become(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    (void)o;
    s->become = value;
    return word(value, (const char *const[]){ "sudo", "doas", "none", NULL }) < 0 ? -1 : 0;
}

static int
take_secret(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    const char *equals = strchr(value, '=');

    (void)take_more(o, s, value);
    return equals && equals != value && equals[1] ? 0 : -1;
}

static int
take_seed(const struct rh_option *o, struct rh_settings *s, const char *value)
{
    char *end;

    (void)o;
    errno = 0;
    s->seed = strtoull(value, &end, 10);
    return errno || *end || *value < '0' || *value > '9' || !s->seed ? -1 : 0;
}

#define AT(field) offsetof(struct rh_settings, field)

const struct rh_option rh_option_table[] = {
    { "noop", NULL, "show what would change, without changing it", NULL,
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_PUSHED, 'n', take_flag, AT(noop) },
    { "verify", NULL, "read changed resources again; fail if a change did not hold", NULL,
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_PUSHED, 0, take_flag, AT(verify) },
    { "no-verify", NULL, "do not read changed resources again", NULL,
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_PUSHED, 0, take_flag, AT(no_verify) },
    { "diff", NULL, "show how texts change, line by line", NULL,
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_DIFF | RH_OPT_PUSHED, 0, take_flag, AT(diff) },
    { "count", "COUNT", "show only the last N", "a whole number, 1 or more", RH_OPT_COUNT, 'n', take_positive,
      AT(count) },
    { "drop", "REF", "drop the notifications for this resource, type[title]; repeatable", NULL, RH_OPT_DROP,
      0, take_more, AT(drop) },
    { "abort", NULL, "roll the run back at once", NULL, RH_OPT_CONFIRM, 0, take_flag, AT(abort) },
    { "watch", NULL, "wait for the deadline, and roll back then: for timers and the boot", NULL,
      RH_OPT_CONFIRM, 0, take_flag, AT(watch) },
    { "confirm-within", "SECONDS", "roll back unless 'rhost confirm' is run so soon after the run",
      "a whole number of seconds, 1 or more", RH_OPT_APPLY | RH_OPT_PUSHED, 0, take_positive,
      AT(confirm_within) },
    { "all", NULL, "list all codes, with their first messages", NULL, RH_OPT_ALL, 0, take_flag, AT(all) },
    { "drop-all", NULL, "drop all pending notifications", NULL, RH_OPT_DROP, 0, take_flag, AT(drop_all) },
    { "duplicates", "MODE", "refuse duplicate declarations (default), or clone the first", "refuse or clone",
      RH_OPT_MANIFEST | RH_OPT_PUSHED, 0, take_duplicates, 0 },
    { "level", "NAME", "only what this level has, or combined_default, combined_override",
      "the name of a level", RH_OPT_LEVEL, 0, take_name, AT(level) },
    { "environment", "NAME", "use this environment instead of that of the manifests",
      "the name of an environment", RH_OPT_MANIFEST | RH_OPT_PUSHED, 0, take_name, AT(environment) },
    { "role", "NAME", "add this role to those of the manifests; repeatable", "the name of a role",
      RH_OPT_MANIFEST | RH_OPT_PUSHED, 0, take_more_names, AT(roles) },
    { "attribute", "SETTING", "set an attribute: web.port=80, default.web.port=80; repeatable", NULL,
      RH_OPT_MANIFEST | RH_OPT_PUSHED, 0, take_more, AT(attributes) },
    { "attributes", "FILE", "attributes by level, or operations on them; repeatable", "the name of a file",
      RH_OPT_MANIFEST | RH_OPT_PUSHED, 0, take_more_names, AT(attribute_files) },
    { "allow-outside", NULL, "manifests may name files that are not below their own directory", NULL,
      RH_OPT_MANIFEST, 0, take_flag, AT(outside) },
    { "placeholder-secrets", NULL, "use placeholders for secrets that cannot be read here", NULL,
      RH_OPT_VALIDATE, 0, take_flag, AT(placeholder_secrets) },
    { "allow-unsafe-files", NULL, "as root, apply files that other users can change", NULL, RH_OPT_RUN, 0,
      take_flag, AT(unsafe_files) },
    { "only", "REF", "only this resource, type[title]; repeatable", NULL, RH_OPT_LIST | RH_OPT_PUSHED, 0,
      take_more, AT(only) },
    { "tags", "TAGS", "only resources with one of these tags, as in a,b; repeatable",
      "tags with commas between", RH_OPT_LIST | RH_OPT_PUSHED, 0, take_more_tags, AT(tags) },
    { "skip-tags", "TAGS", "no resources with one of these tags; repeatable", "tags with commas between",
      RH_OPT_LIST | RH_OPT_PUSHED, 0, take_more_tags, AT(skip_tags) },
    { "targets", "FILE", "a file of devices: for types that manage a device", "the name of a file",
      RH_OPT_TARGET, 0, take_name, AT(targets) },
    { "target", "NAME", "which device of --targets", "the name of a target", RH_OPT_TARGET, 0, take_name,
      AT(target) },
    { "targets", "FILE", "a file of targets, or a program that prints one", "the name of a file", RH_OPT_PUSH,
      0, take_name, AT(targets) },
    { "list", NULL, "list the selected targets, without connecting to them", NULL, RH_OPT_PUSH, 0, take_flag,
      AT(list_targets) },
    { "last", NULL, "show what the last push came to, and connect to no target", NULL, RH_OPT_PUSH, 0,
      take_flag, AT(last_push) },
    { "jobs", "N", "how many targets at once (10)", "a whole number, 1 or more", RH_OPT_PUSH, 'j',
      take_positive, AT(jobs) },
    { "batch", "N", "so many targets, or 10%, before the next ones begin", "a whole number, or one with %",
      RH_OPT_PUSH, 0, take_name, AT(batch_share) },
    { "canary", "TARGETS", "these targets first, or the first N; the others only when they succeed",
      "targets with commas between, or a number", RH_OPT_PUSH, 0, take_name, AT(canary) },
    { "max-failures", "N", "begin no further target when more than N, or N%, have failed",
      "a whole number, or one with %", RH_OPT_PUSH, 0, take_name, AT(max_failures) },
    { "remote-rhost", "PATH", "the rhost that is installed on the targets", "an absolute path", RH_OPT_PUSH,
      0, take_name, AT(remote_rhost) },
    { "become", "METHOD", "become root on the targets: sudo, doas or none", "sudo, doas or none", RH_OPT_PUSH,
      0, take_become, 0 },
    { "ask-become", NULL, "ask for the password of sudo", NULL, RH_OPT_PUSH, 0, take_flag, AT(ask_become) },
    { "become-password-file", "FILE", "read the password of sudo from this file", "the name of a file",
      RH_OPT_PUSH, 0, take_name, AT(become_password_file) },
    { "connect-timeout", "SECONDS", "how long to wait for a connection (10)", "a whole number, 1 or more",
      RH_OPT_PUSH, 0, take_positive, AT(connect_timeout) },
    { "ssh-persist", "SECONDS", "how long a connection of ssh is kept for the next push (60); 0: not at all",
      "a whole number of seconds", RH_OPT_PUSH, 0, take_ssh_persist, 0 },
    { "secret", "SECRET", "send a file as secrets/NAME of the site, NAME=FILE; repeatable", "NAME=FILE",
      RH_OPT_PUSH, 0, take_secret, AT(secret_files) },
    { "detach", NULL, "let the run go on when the connection is lost", NULL, RH_OPT_PUSH, 0, take_flag,
      AT(detach) },
    { "resolv-conf", NULL, "chroot: targets get /etc/resolv.conf of this machine for the time of the push",
      NULL, RH_OPT_PUSH, 0, take_flag, AT(resolv_conf) },
    { "fixture", "FILE", "states to try the provider with", "the name of a file", RH_OPT_CHECK, 0, take_name,
      AT(fixture) },
    { "only", "CHECK", "only this check, or group of checks; repeatable", NULL, RH_OPT_CHECK, 0, take_more,
      AT(only) },
    { "only", "TYPES", "only resources of these types, as in user,file; repeatable",
      "types with commas between", RH_OPT_CAPTURE, 0, take_more_tags, AT(only) },
    { "versions", NULL, "capture the versions of packages as well", NULL, RH_OPT_CAPTURE, 0, take_flag,
      AT(versions) },
    { "secrets", NULL, "capture secrets; only into a pipe or a file of mode 0600", NULL, RH_OPT_CAPTURE, 0,
      take_flag, AT(secrets) },
    { "files", "PATH", "capture this file, or what no package has below this directory; repeatable",
      "the name of a file or directory", RH_OPT_CAPTURE, 0, take_more_names, AT(files) },
    { "output", "FILE", "write to this file instead of standard output", "the name of a file", RH_OPT_CAPTURE,
      0, take_name, AT(output) },
    { "seed", "NUMBER", "seed of the random input; each run prints its own", "a whole number, 1 or more",
      RH_OPT_CHECK, 0, take_seed, 0 },
    { "report", "FILE", "write a report of the run, as JSON", "the name of a file", RH_OPT_RUN, 0, take_name,
      AT(reports[RH_REPORT_JSON]) },
    { "report-html", "FILE", "write a report of the run, as a page for browsers", "the name of a file",
      RH_OPT_RUN, 0, take_name, AT(reports[RH_REPORT_HTML]) },
    { "report-junit", "FILE", "write a report of the run, as JUnit's XML", "the name of a file", RH_OPT_RUN,
      0, take_name, AT(reports[RH_REPORT_JUNIT]) },
    { "report-prometheus", "FILE", "write metrics of the run, for Prometheus", "the name of a file",
      RH_OPT_RUN, 0, take_name, AT(reports[RH_REPORT_PROMETHEUS]) },
    { "report-otlp", "FILE", "write a trace of the run, for OpenTelemetry; a URL: send it there",
      "the name of a file, or a URL", RH_OPT_RUN, 0, take_name, AT(reports[RH_REPORT_OTLP]) },
    { "otlp-headers", "FILE", "headers for the URL of --report-otlp, such as Authorization",
      "the name of a file", RH_OPT_RUN, 0, take_name, AT(otlp_headers) },
    { "report-detail", "DETAIL", "all (default), or changes: what is in sync is only counted",
      "all or changes", RH_OPT_RUN | RH_OPT_PUSHED, 0, take_detail, 0 },
    { "events", "FILE", "write JSON lines as things happen, to a file, '-' or fd:N",
      "the name of a file, '-', or fd: and the number of an open descriptor", RH_OPT_RUN, 0, take_events,
      AT(events) },
    { "revision", "TEXT", "the revision of the manifests, for reports and the journal", "a text",
      RH_OPT_RUN | RH_OPT_PUSHED, 0, take_name, AT(revision) },
    { "output", "PLAN", "the file that the plan is written to", "the name of a file", RH_OPT_OUTPUT, 'o',
      take_name, AT(output) },
    { "max-age", "AGE", "refuse a plan that is older: 90s, 30m, 12h, 7d",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_AGE, 0, take_age, AT(max_age) },
    { "force", "REF", "restore this resource whatever its state is now; 'all': each of them",
      "type[title], or 'all'", RH_OPT_UNDO, 0, take_more, AT(force) },
    { "rollback-on-failure", NULL, "undo the run when a resource fails", NULL, RH_OPT_APPLY | RH_OPT_PUSHED,
      0, take_flag, AT(rollback) },
    { "no-backup", NULL, "do not keep the states before changes: the run cannot be undone", NULL,
      RH_OPT_RUN | RH_OPT_PUSHED, 0, take_flag, AT(no_backup) },
    { "backup-limit", "SIZE", "how much is kept of all runs, for undo: 500M, 2G (1G)",
      "a number of bytes, or one with K, M, G or T", RH_OPT_RUN | RH_OPT_PUSHED, 0, take_size,
      AT(backup_limit) },
    { "backup-age", "AGE", "how long replaced contents are kept: 12h, 30d (while the journal is)",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_RUN | RH_OPT_PUSHED, 0, take_age,
      AT(backup_age) },
    { "progress", "MODE", "what is shown while it runs: auto, none, json or json:FD",
      "auto, none, json, or json: and the number of an open descriptor", RH_OPT_RUN | RH_OPT_NOOP, 0,
      take_progress, 0 },
    { "fail-fast", NULL, "end the run when a resource fails; apply one at a time", NULL,
      RH_OPT_RUN | RH_OPT_PUSHED, 0, take_flag, AT(fail_fast) },
    { "detailed-exitcodes", NULL, "exit with 2 when something changed, 6 when also something failed", NULL,
      RH_OPT_RUN | RH_OPT_PUSHED, 0, take_flag, AT(detailed) },
    { "wait-lock", "SECONDS", "how long to wait for another run to end (0)", "a whole number of seconds",
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_LOCK | RH_OPT_PUSHED, 0, take_whole, AT(wait_lock) },
    { "backup-key", "FILE", "the key that encrypts sensitive values for undo; 'none': it is lost",
      "the name of a file", RH_OPT_RUN, 0, take_name, AT(backup_key) },
    { "format", "FORMAT", "text or json", "text or json", RH_OPT_FORMAT, 0, take_format, 0 },
    { "format", "FORMAT", "text, json or html", "text, json or html", RH_OPT_HTML, 0, take_html_format, 0 },
    { "format", "FORMAT", "text, json or sarif", "text, json or sarif", RH_OPT_SARIF, 0, take_sarif_format,
      0 },
    { "format", "FORMAT", "text, json, html, junit, prometheus, otlp; of a plan markdown",
      "text, json, html, markdown, junit, prometheus or otlp", RH_OPT_SHOW, 0, take_show_format, 0 },
    { "format", "FORMAT", "text, json or yaml", "text, json or yaml", RH_OPT_YAML, 0, take_yaml_format, 0 },
    { "format", "FORMAT", "text, json, markdown or man", "text, json, markdown or man", RH_OPT_PAGE, 0,
      take_page_format, 0 },
    { "format", "FORMAT", "dot (default), svg, html, text or json", "dot, svg, html, text or json",
      RH_OPT_GRAPH, 0, take_graph_format, 0 },
    { "around", "REF", "only this resource, type[title], what it needs and what needs it",
      "a reference to a resource", RH_OPT_GRAPH, 0, take_name, AT(around) },
    { "depth", "N", "how many relations away from --around (2)", "a whole number, 1 or more", RH_OPT_GRAPH, 0,
      take_positive, AT(depth) },
    { "why", "REF", "the relations that put this resource before the next one: --why A B",
      "a reference to a resource", RH_OPT_GRAPH, 0, take_name, AT(why) },
    { "style", "STYLE", "load (default), get-set, simple, converge, remote or program",
      "load, get-set, simple, converge, remote or program", RH_OPT_NEW, 0, take_style, 0 },
    { "build", "TOOL", "make (default) or meson", "make or meson", RH_OPT_NEW, 0, take_build, 0 },
    { "templates", "DIR", "directory of the files", "the name of a directory", RH_OPT_NEW, 0, take_name,
      AT(templates) },
    { "aliases", "FILE", "data types with names of their own, as beside a plugin", "the name of a file",
      RH_OPT_DATA_TYPE, 0, take_name, AT(aliases) },
    { "batch", NULL, "answer lines of JSON from standard input, a line each", NULL, RH_OPT_DATA_TYPE, 0,
      take_flag, AT(batch) },
    { "text", "VALUE", "a value as text, to be read by the type", NULL, RH_OPT_DATA_TYPE, 0, take_text,
      AT(text) },
    { "provider", "NAME", "this provider of the type, where it has several", "the name of a provider",
      RH_OPT_WHICH, 0, take_name, AT(provider) },
    { "suits", NULL, "ask the providers how well they suit this machine", NULL, RH_OPT_SUITS, 0, take_flag,
      AT(suits) },
    { "strict", "MODE", "error, warning or off: when a provider returns invalid data (error)",
      "error, warning or off", RH_OPT_PROVIDER | RH_OPT_PUSHED, 0, take_strict, 0 },
    { "isolation", "MODE", "worker or none: where providers run (worker)", "worker or none", RH_OPT_PROVIDER,
      0, take_isolation, 0 },
    { "time-limit", "SECONDS", "kill a provider that does not respond for this long (600)",
      "a whole number of seconds, 1 or more", RH_OPT_PROVIDER | RH_OPT_PUSHED, 0, take_positive,
      AT(time_limit) },
    { "time-limit", "SECONDS", "for each check (20)", "a whole number of seconds, 1 or more", RH_OPT_CHECK, 0,
      take_positive, AT(time_limit) },
    { "allocations", "NUMBER", "how many allocations to let fail, one at a time (120)",
      "a whole number, 1 or more", RH_OPT_CHECK, 0, take_positive, AT(allocations) },
    { "rounds", "NUMBER", "how many random resources to generate (200)", "a whole number, 1 or more",
      RH_OPT_CHECK, 0, take_positive, AT(rounds) },
    { "facts-dir", "DIR", "read custom facts also from here; repeatable", "the name of a directory",
      RH_OPT_FACTS | RH_OPT_MANIFEST, 0, take_more_names, AT(facts_dirs) },
    { "plugin-dir", "DIR", "search this directory for plugins first; repeatable", NULL, RH_OPT_COMMON, 0,
      take_more, AT(plugin_dirs) },
    { "no-installed-plugins", NULL, "use plugins only from --plugin-dir and RHOST_PLUGIN_PATH", NULL,
      RH_OPT_COMMON, 0, take_flag, AT(no_installed_plugins) },
    { "state-dir", "DIR", "where the lock, journals, caches and pending notifications are kept",
      "the name of a directory", RH_OPT_COMMON, 0, take_name, AT(state_dir) },
    { "color", "WHEN", "always, never or auto", "always, never or auto", RH_OPT_COMMON, 0, take_colour, 0 },
    { "verbose", NULL, "print more; twice: everything", NULL, RH_OPT_COMMON, 'v', take_verbose, 0 },
    { "debug", NULL, "say everything", NULL, RH_OPT_COMMON, 0, take_debug, 0 },
    { "quiet", NULL, "print failures only", NULL, RH_OPT_COMMON, 'q', take_flag, AT(quiet) },
    { "help", NULL, "show this", NULL, RH_OPT_COMMON, 'h', take_flag, AT(help) },
    { "arch", "ARCH", "the architecture of the kit: x86_64, aarch64, i386, or as Debian names it",
      "the name of an architecture", RH_OPT_KIT, 0, take_name, AT(arch) },
    { "plugins", "LIST", "only these plugins, or those of these types, as in file,package",
      "names with commas between", RH_OPT_KIT, 0, take_name, AT(chosen_plugins) },
    { "from", "DIR", "make the kit of the packages (.deb, .rpm) in this directory", "the name of a directory",
      RH_OPT_KIT, 0, take_name, AT(packages) },
    { "output", "FILE", "the file, or the directory, that the kit is written to", "the name of a file",
      RH_OPT_KIT, 'o', take_name, AT(output) },
    { "manifest", "FILE", "the manifest of the bundle, in the directory (default: site.yaml)",
      "the name of a file", RH_OPT_BUNDLE, 0, take_name, AT(bundle_manifest) },
    { "revision", "NUMBER", "the revision (default: the one after the highest in the output directory)",
      "a whole number, 1 or more", RH_OPT_BUNDLE, 0, take_revision, AT(bundle_revision) },
    { "parent", "NUMBER", "the revision before it (default: the highest in the output directory)",
      "a whole number, 1 or more", RH_OPT_BUNDLE, 0, take_revision, AT(parent) },
    { "commit", "ID", "the commit of the sources, as version control says it", "a text", RH_OPT_BUNDLE, 0,
      take_name, AT(commit) },
    { "min-rhost", "VERSION", "the oldest rhost that may apply it", "a version", RH_OPT_BUNDLE, 0, take_name,
      AT(min_rhost) },
    { "key", "FILE", "the key of SSH that signs: a private key, or a public one that an agent has",
      "the name of a file", RH_OPT_BUNDLE, 0, take_name, AT(signing_key) },
    { "output", "DIR", "where the bundle goes (default: the working directory)", "the name of a directory",
      RH_OPT_BUNDLE, 'o', take_name, AT(output) },
    { "signers", "FILE", "whose bundles count (default: /etc/rhost/allowed_signers)", "the name of a file",
      RH_OPT_SIGNERS, 0, take_name, AT(signers) },
    { "to", "NUMBER", "the revision that the channel names", "a whole number, 1 or more", RH_OPT_CHANNEL, 0,
      take_revision, AT(want) },
    { "else", "NUMBER", "the revision of machines that are not chosen (default: what they have)",
      "a whole number, 1 or more", RH_OPT_CHANNEL, 0, take_revision, AT(other) },
    { "percent", "NUMBER", "how many machines are chosen (default: 100; with --host 0)",
      "a whole number, 0 to 100", RH_OPT_CHANNEL, 0, take_percent, AT(percent) },
    { "host", "HOST", "the id or name of a machine that is chosen; repeatable", "the id or name of a machine",
      RH_OPT_CHANNEL, 0, take_more_names, AT(hosts) },
    { "expires", "AGE", "how long the channel counts: 12h, 30d (30d)",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_CHANNEL, 0, take_age, AT(expires) },
    { "min-revision", "NUMBER", "the lowest revision that machines may get; it never goes down",
      "a whole number, 1 or more", RH_OPT_CHANNEL, 0, take_revision, AT(min_revision) },
    { "serial", "NUMBER", "the serial of the channel (default: the one after the last)",
      "a whole number, 1 or more", RH_OPT_CHANNEL, 0, take_revision, AT(serial) },
    { "source", "URL", "where channel and bundles are: https://..., or file:///...", "a URL", RH_OPT_AGENT, 0,
      take_name, AT(source) },
    { "interval", "TIME", "how often the source is asked: 90s, 30m, 12h (30m)",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_AGENT, 0, take_interval, AT(interval) },
    { "once", NULL, "one cycle, now", NULL, RH_OPT_AGENT, 0, take_flag, AT(once) },
    { "at-boot", NULL, "first apply the last good revision, before the source is asked", NULL, RH_OPT_AGENT,
      0, take_flag, AT(at_boot) },
    { "settings", "FILE", "the settings (default: /etc/rhost/agent.yaml)", "the name of a file", RH_OPT_AGENT,
      0, take_name, AT(agent_settings) },
    { "signers", "FILE", "whose signatures count (default: /etc/rhost/allowed_signers)", "the name of a file",
      RH_OPT_AGENT, 0, take_name, AT(signers) },
    { "until", "TIME", "when the agent goes on: 2026-12-31T12:00:00Z, 2h, 7d", "a time", RH_OPT_AGENT, 0,
      take_name, AT(until) },
    { "reason", "TEXT", "why the agent is disabled", "a text", RH_OPT_AGENT, 0, take_name, AT(reason) },
    { "insecure", NULL, "take bundles without verifying their signature", NULL, RH_OPT_SIGNERS, 0, take_flag,
      AT(insecure) },
    { "from", "SOURCE", "where reports come from: dir:DIRECTORY", "dir: and the name of a directory",
      RH_OPT_COLLECT, 0, take_name, AT(collect_from) },
    { "to", "URL", "the database: sqlite:FILE or postgresql://HOST/DATABASE", "the URL of a database",
      RH_OPT_COLLECT, 0, take_name, AT(database) },
    { "once", NULL, "take what is there, and end (default)", NULL, RH_OPT_COLLECT, 0, take_flag, AT(once) },
    { "watch", NULL, "go on, and take reports as they come", NULL, RH_OPT_COLLECT, 0, take_flag, AT(watch) },
    { "retention", "AGE", "remove what is older: 90d (default: nothing is removed)",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_COLLECT, 0, take_age, AT(retention) },
    { "silent-after", "AGE", "a host without a report for this long is silent (2h)",
      "a whole number, 1 or more, with s, m, h or d", RH_OPT_COLLECT, 0, take_age, AT(silent_after) },
    { "quarantine", "DIR", "where reports go that cannot be stored (default: .quarantine in the folder)",
      "the name of a directory", RH_OPT_COLLECT, 0, take_name, AT(quarantine) },
    { "db", "URL", "the database: sqlite:FILE or postgresql://HOST/DATABASE", "the URL of a database",
      RH_OPT_FLEET, 0, take_name, AT(database) },
    { "output", "FILE", "write to this file instead of standard output", "the name of a file", RH_OPT_FLEET,
      'o', take_name, AT(output) },
    { "from-kit", "DIR", "the directory of the kit that rhost was started from", "the name of a directory",
      RH_OPT_FRONT, 0, take_name, AT(from_kit) },
    { "kit-loader", "FILE", "the dynamic loader that started it", "the name of a file", RH_OPT_FRONT, 0,
      take_name, AT(kit_loader) },
    { "version", NULL, "show the version", NULL, RH_OPT_FRONT, 0, take_flag, AT(version) },
};
