/* SPDX-License-Identifier: Apache-2.0 */
/* status-line - lines at the bottom of a terminal that show what goes on. They are removed before anything
 * else is written to a standard stream (base/log.h, base/standard.h), and leave nothing behind. There is one
 * status line in a process. */
#ifndef RH_BASE_STATUS_LINE_H
#define RH_BASE_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `fd` is a terminal that can show one: TERM is set, and not "dumb". */
bool rh_status_line_possible(int fd);

/* From now on it is shown on `fd`; `dim`: in a weaker colour. */
void rh_status_line_open(int fd, bool dim);

/* Shows these lines in place of what is shown now. Each is cut at the terminal's width. They must be fit to
 * be shown (rh_buf_add_safe). Nothing is shown while the process is in the background. */
void rh_status_line_show(const char *const *lines, size_t n);

void rh_status_line_hide(void);
void rh_status_line_close(void);

/* For a signal handler: whether something is shown now. */
bool rh_status_line_is_shown(void);

#endif
