/* SPDX-License-Identifier: Apache-2.0 */
/* tidy - text of others, made fit for a message. */
#ifndef SERVICE_SYSTEMD_TIDY_H
#define SERVICE_SYSTEMD_TIDY_H

/* In place: what is no text, or would look like several lines, becomes '?'. */
void tidy_line(char *line);

#endif
