/* SPDX-License-Identifier: Apache-2.0 */
/* event-file - where the events of a run are written as they happen, a JSON object on a line of its own each.
 *
 * The run does not depend on who reads them. What a reader does not take at once waits in memory. When too
 * much waits, and at the end, the reader gets ten seconds for each part that it takes; then the rest is left
 * out. Regular files are written at once. */
#ifndef RH_RUN_EVENT_FILE_H
#define RH_RUN_EVENT_FILE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_buf;
struct rh_error;
struct rh_event_file;

/* `to` is the name of a file, "-" for standard output, or "fd:N" for a descriptor that the caller has opened.
 * A regular file is replaced at once; a FIFO needs a reader. NULL when nothing can be written there. */
RH_CHECKED struct rh_event_file *rh_event_file_open(const char *to, struct rh_error *err);

/* The same for a descriptor, which stays the caller's. */
struct rh_event_file *rh_event_file_of(int fd);

/* Begins a line, `{"event": EVENT, "n": ..., "time": ...`, and returns the buffer that the rest of the object
 * is added to. */
struct rh_buf *rh_event_file_begin(struct rh_event_file *f, const char *event);

/* Ends the line, and writes it. */
void rh_event_file_end(struct rh_event_file *f);

/* Writes what waits, as far as it is taken at once. */
void rh_event_file_flush(struct rh_event_file *f);

/* Writes what waits, and frees it. -1 when lines were lost, though somebody may still want them: the disk is
 * full, or the reader was too slow. When the reader has gone away that is no error. */
RH_CHECKED int rh_event_file_close(struct rh_event_file *f, struct rh_error *err);

#endif
