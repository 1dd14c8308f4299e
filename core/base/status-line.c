/* SPDX-License-Identifier: Apache-2.0 */
/* status-line - lines at the bottom of a terminal that show what goes on. */
#include "config.h"

#include "base/status-line.h"

#include "base/io.h"
#include "base/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { MOST_LINES = 8, USUAL_WIDTH = 80, LEAST_WIDTH = 8 };

static struct {
    int fd; /* -1: closed */
    bool dim;
    size_t widths[MOST_LINES]; /* in columns, of what is shown */
    struct rh_buf shown;       /* as it was written */
} line = { .fd = -1 };

static volatile sig_atomic_t rows; /* lines that are shown */

bool
rh_status_line_possible(int fd)
{
    const char *term = getenv("TERM");

    return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void
rh_status_line_open(int fd, bool dim)
{
    line.fd = fd;
    line.dim = dim;
}

bool
rh_status_line_is_shown(void)
{
    return rows > 0;
}

static size_t
terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long from_environment;

    if (ioctl(line.fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col < LEAST_WIDTH ? (size_t)LEAST_WIDTH : size.ws_col;
    from_environment = columns ? strtol(columns, NULL, 10) : 0;
    return from_environment >= LEAST_WIDTH && from_environment < 10000 ? (size_t)from_environment
                                                                       : (size_t)USUAL_WIDTH;
}

/* Its columns are for another process now. */
static bool
in_background(void)
{
    pid_t front = tcgetpgrp(line.fd);

    return front > 0 && front != getpgrp();
}

/* Adds what fits into so many columns; returns how many that takes. */
static size_t
add_cut(struct rh_buf *b, const char *s, size_t columns)
{
    size_t used = 0, left = strlen(s);
    mbstate_t state = { 0 };

    while (left) {
        wchar_t c;
        size_t n = mbrtowc(&c, s, left, &state);
        int wide = n > 0 && n <= left ? wcwidth(c) : -1;

        if (wide < 0) { /* no character that is known here: a column, as terminals do */
            memset(&state, 0, sizeof state);
            n = rh_utf8_length(s, left);
            n = n ? n : 1;
            wide = 1;
        }
        if (used + (size_t)wide > columns)
            break;
        rh_buf_addn(b, s, n);
        used += (size_t)wide;
        s += n;
        left -= n;
    }
    return used;
}

/* A terminal that has become narrower has wrapped what was shown. */
static size_t
shown_rows(size_t width)
{
    size_t n = 0;

    for (size_t i = 0; i < (size_t)rows; i++)
        n += line.widths[i] ? (line.widths[i] + width - 1) / width : 1;
    return n;
}

static void
add_removal(struct rh_buf *b, size_t width)
{
    rh_buf_addc(b, '\r');
    for (size_t n = shown_rows(width); n > 1; n--)
        rh_buf_add(b, "\033[A");
    rh_buf_add(b, "\033[J");
}

/* A terminal that can't be written to has nobody who watches. */
static void
write_out(const struct rh_buf *b)
{
    if (rh_write_all(line.fd, b->s, b->n) < 0)
        line.fd = -1;
}

void
rh_status_line_hide(void)
{
    rh_autobuf struct rh_buf out = { 0 };

    if (!rows)
        return;
    add_removal(&out, terminal_width());
    write_out(&out);
    rows = 0;
    rh_buf_truncate(&line.shown, 0);
}

void
rh_status_line_show(const char *const *lines, size_t n)
{
    rh_autobuf struct rh_buf out = { 0 }, text = { 0 };
    size_t widths[MOST_LINES], width;

    if (line.fd < 0)
        return;
    if (in_background()) {
        rows = 0; /* the shell has written below it */
        return;
    }
    width = terminal_width();
    n = n > MOST_LINES ? (size_t)MOST_LINES : n;
    if (line.dim)
        rh_buf_add(&text, "\033[2m");
    for (size_t i = 0; i < n; i++) {
        if (i)
            rh_buf_add(&text, "\r\n");
        widths[i] = add_cut(&text, lines[i], width - 1); /* the last column may wrap */
    }
    if (line.dim)
        rh_buf_add(&text, "\033[0m");
    if (rows && strcmp(rh_buf_text(&text), rh_buf_text(&line.shown)) == 0)
        return;
    if (rows)
        add_removal(&out, width);
    rh_buf_addn(&out, text.s, text.n);
    write_out(&out);
    memcpy(line.widths, widths, n * sizeof *widths);
    rows = line.fd < 0 ? 0 : (sig_atomic_t)n;
    rh_buf_truncate(&line.shown, 0);
    rh_buf_addn(&line.shown, text.s, text.n);
}

void
rh_status_line_close(void)
{
    rh_status_line_hide();
    rh_buf_clear(&line.shown);
    line.fd = -1;
    rows = 0;
}
