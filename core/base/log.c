/* SPDX-License-Identifier: Apache-2.0 */
/* log - lines for people, on standard error. */
#include "config.h"

#include "base/log.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/message-code.h"
#include "base/status-line.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rh_level least_level = RH_NOTICE;

void
rh_log_set_level(enum rh_level least)
{
    least_level = least;
}

bool
rh_log_enabled(enum rh_level level)
{
    return level >= least_level;
}

const char *
rh_level_name(enum rh_level level)
{
    static const char *const names[] = { "debug", "info", "notice", "warning", "error" };

    return (unsigned)level < 5 ? names[level] : "notice";
}

bool
rh_log_is_journal(int fd)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;

    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(fd, &st) == 0
           && st.st_dev == device && st.st_ino == inode;
}

const char *
rh_level_prefix(enum rh_level level)
{
    static const char *const prefixes[] = { "<7>", "<6>", "<5>", "<4>", "<3>" };

    return (unsigned)level < 5 ? prefixes[level] : "<5>";
}

static void __attribute__((format(printf, 3, 0)))
log_line(enum rh_level level, unsigned code, const char *fmt, va_list ap)
{
    rh_autobuf struct rh_buf line = { 0 };
    rh_autofree char *text = rh_vprintf(fmt, ap);

    if (rh_log_is_journal(STDERR_FILENO))
        rh_buf_add(&line, rh_level_prefix(level));
    rh_buf_addf(&line, "%s: ", rh_level_name(level));
    rh_buf_add_message(&line, text, strlen(text));
    if (level >= RH_WARNING)
        rh_message_add_code(&line, rh_message_code_of(code, fmt, text), false);
    rh_buf_addc(&line, '\n');
    rh_status_line_hide();
    /* A closed or full stderr is not an error of the run, and cannot be reported. */
    if (rh_write_all(STDERR_FILENO, line.s, line.n) < 0)
        return;
}

void
rh_log(enum rh_level level, const char *fmt, ...)
{
    va_list ap;

    if (!rh_log_enabled(level))
        return;
    va_start(ap, fmt);
    log_line(level, 0, fmt, ap);
    va_end(ap);
}

void
rh_log_code(enum rh_level level, unsigned code, const char *fmt, ...)
{
    va_list ap;

    if (!rh_log_enabled(level))
        return;
    va_start(ap, fmt);
    log_line(level, code, fmt, ap);
    va_end(ap);
}

void
rh_log_error(enum rh_level level, const struct rh_error *err)
{
    if (rh_log_enabled(level))
        rh_log_code(level, rh_error_code(err), "%s%s%s", err->message ? err->message : "no reason given",
                    err->hint ? ": " : "", err->hint ? err->hint : "");
}
