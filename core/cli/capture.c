/* SPDX-License-Identifier: Apache-2.0 */
/* capture - rhost capture: what makes this machine, as a manifest. */
#include "config.h"

#include "capture/capture.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output-file.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/capture-print.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "plugin/registry.h"
#include "provider/log-record.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPES = 32 };

struct capturing {
    struct rh_session *session;
    struct rh_capture_sheet sheet; /* with the type of each, NULL where there is none */
    bool asked[TYPES];
};

/* Whether the list "a,b" has the word. */
static bool
has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strncmp(list, word, n) == 0 && (!list[n] || list[n] == ','))
            return true;
    return false;
}

static bool
is_chosen(const struct rh_settings *o, const char *type)
{
    for (size_t i = 0; i < o->only.n; i++)
        if (has_word(o->only.v[i], type))
            return true;
    return o->only.n == 0;
}

static bool
wants(void *data, const char *type)
{
    struct capturing *c = data;
    int i = rh_capture_type(type);

    if (!is_chosen(c->session->settings, type))
        return false;
    if (!c->asked[i]) {
        rh_autoerror struct rh_error err = { 0 };

        c->asked[i] = true;
        c->sheet.types[i] = rh_registry_find(c->session->registry, type, NULL, &err);
        if (!c->sheet.types[i])
            c->sheet.missing[i] =
                rh_arena_strdup(c->session->arena, err.message ? err.message : "the type is not installed");
    }
    return c->sheet.types[i];
}

static void
take_item(void *data, const struct rh_value *item)
{
    struct rh_value *items = data;

    rh_value_append(items, rh_value_copy(rh_value_arena(items), item));
}

static int
read_type(void *data, const char *type, const struct rh_value *names, struct rh_value *items)
{
    struct capturing *c = data;
    const struct rh_type *t = c->sheet.types[rh_capture_type(type)];
    const struct rh_sink sink = { .data = items, .item = take_item, .log = rh_log_record_print };
    rh_autoerror struct rh_error err = { 0 };

    if (rh_worker_read(rh_pool_worker(&c->session->pool, t), names, &sink, &err) == 0)
        return 0;
    rh_log_error(RH_ERR, &err);
    c->sheet.missing[rh_capture_type(type)] = rh_arena_strdup(c->session->arena, err.message);
    return -1;
}

/* --only names types that are captured, and can be here. */
static int
check_only(struct capturing *c)
{
    const struct rh_settings *o = c->session->settings;

    for (size_t i = 0; i < o->only.n; i++)
        for (const char *word = o->only.v[i]; *word; word += strcspn(word, ","), word += *word == ',') {
            rh_autofree char *type = rh_xstrndup(word, strcspn(word, ","));
            int k = rh_capture_type(type);

            if (k < 0) {
                rh_autobuf struct rh_buf all = { 0 };

                for (int t = 0; rh_capture_types[t]; t++)
                    rh_buf_addf(&all, "%s%s", t ? ", " : "", rh_capture_types[t]);
                rh_refuse_hint(rh_buf_text(&all), "type '%s' cannot be captured; these can", type);
                return -1;
            }
            if (!wants(c, type)) {
                rh_refuse("type '%s' cannot be captured here: %s", type, c->sheet.missing[k]);
                return -1;
            }
        }
    return 0;
}

static bool
is_private(const struct stat *st)
{
    return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)
           || (S_ISREG(st->st_mode) && !(st->st_mode & 077) && st->st_uid == geteuid());
}

/* Secrets go where nobody else reads them: among that, into a new file. */
static int
check_secrets(const struct rh_settings *o)
{
    struct stat st;

    if (!o->secrets || (o->output && (lstat(o->output, &st) < 0 || S_ISREG(st.st_mode))))
        return 0;
    if ((o->output ? stat(o->output, &st) : fstat(STDOUT_FILENO, &st)) == 0 && is_private(&st))
        return 0;
    rh_refuse_hint("--output=FILE makes such a file",
                   "--secrets writes only to a pipe, or to a file that nobody but its owner may read");
    return -1;
}

static const char first_line[] = "# Captured by rhost";

/* Only an earlier capture is written over: a manifest may have been edited since. A device or a pipe keeps
 * nothing that could be lost. */
static int
check_output(const char *path)
{
    char text[sizeof first_line] = "";
    rh_autoclose int fd = -1;
    struct stat st;
    ssize_t n;

    if (!path || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n == 0 || (n > 0 && strcmp(text, first_line) == 0))
        return 0;
    if (n < 0)
        rh_refuse("cannot read '%s': %s", path, strerror(errno));
    else
        rh_refuse_hint("remove it, or give another name",
                       "'%s' exists and was not written by 'rhost capture': it is not overwritten", path);
    return -1;
}

static int
write_out(const struct rh_settings *o, const struct rh_buf *b)
{
    rh_autoerror struct rh_error err = { 0 };
    mode_t mask = umask(077);

    (void)umask(mask);
    if (!o->output) {
        (void)fwrite(b->s, 1, b->n, stdout);
        return 0;
    }
    if (rh_write_output(o->output, b->s, b->n, o->secrets ? 0600 : 0666 & ~mask, &err) == 0)
        return 0;
    rh_refuse_error(NULL, &err);
    return -1;
}

static void
warn(const struct rh_settings *o, const struct rh_capture_sheet *sheet)
{
    if (sheet->n_secrets)
        rh_log(RH_WARNING, "secrets of %zu resource%s were not captured: --secrets captures them",
               sheet->n_secrets, sheet->n_secrets == 1 ? "" : "s");
    if (sheet->n_impossible)
        rh_log(RH_WARNING, "%zu resource%s cannot be captured: see the comments 'left out' in %s",
               sheet->n_impossible, sheet->n_impossible == 1 ? "" : "s",
               o->output ? o->output : "the output");
    if (geteuid() != 0)
        rh_log(RH_WARNING, "not everything can be read without root's rights");
}

static int
capture(struct capturing *c)
{
    const struct rh_settings *o = c->session->settings;
    const struct rh_capture_options options = {
        .arena = c->session->arena,
        .versions = o->versions,
        .secrets = o->secrets,
        .files = o->files.v,
        .n_files = o->files.n,
        .data = c,
        .wants = wants,
        .read = read_type,
    };
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_capture found;
    int status = RH_EXIT_OK;

    if (rh_capture_machine(&found, &options, &err) < 0) {
        status = RH_EXIT_FAILED;
        if (err.message)
            rh_refuse_error(NULL, &err);
    }
    if (!err.message) {
        c->sheet.secrets = o->secrets;
        rh_buf_addf(&b, "%s on", first_line);
        rh_capture_print(&b, c->session->arena, &found, &c->sheet);
        if (write_out(o, &b) < 0)
            status = RH_EXIT_FAILED;
        else
            warn(o, &c->sheet);
    }
    rh_capture_clear(&found);
    if (b.s)
        explicit_bzero(b.s, b.n);
    return status;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct capturing c = { 0 };
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    if (argc > 0)
        return rh_usage_error(&rh_command_capture, "unexpected argument '%s'; --output=FILE writes to a file",
                              argv[0]);
    for (size_t i = 0; i < settings->files.n; i++)
        if (*settings->files.v[i] != '/')
            return rh_usage_error(&rh_command_capture, "'%s' is not an absolute path", settings->files.v[i]);
    if (check_secrets(settings) < 0 || check_output(settings->output) < 0)
        return status;
    rh_session_open(&s, settings);
    c.session = &s;
    if (settings->secrets)
        rh_arena_keep_secret(s.arena);
    if (check_only(&c) == 0)
        status = capture(&c);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_capture = {
    .name = "capture",
    .arguments = "",
    .summary = "write down what makes this machine, as a manifest",
    .text =
        "Prints what neither the distribution nor its packages brought: package sources, packages, groups,\n"
        "users, keys of SSH, kernel parameters, hosts, file systems, changed configuration files, jobs of\n"
        "cron, units and services. Secrets are not captured. Exits with 4 if something could not be read.",
    .options = RH_OPT_COMMON | RH_OPT_PROVIDER | RH_OPT_CAPTURE,
    .run = run,
};
