/* SPDX-License-Identifier: Apache-2.0 */
/* content - comparing and reporting what is in a file, without reading more than that needs. */
#ifndef FILE_CONTENT_H
#define FILE_CONTENT_H

#include <rhost/provider.h>

#include <sys/stat.h>

/* What is in the file, `fd`, of size st->st_size, into current.content. Equal to what is wanted it
 * is reported whatever its size; different, or when somebody only looks (`should` NULL), only
 * up to 64 KiB. A file of another size than wanted is not read beyond that. */
int32_t content_report(rhost_ctx *ctx, int fd, const struct stat *st, const rhost_value *should,
                       rhost_value *current);

/* The same for somebody who watches the file: all of it, up to 64 MiB. */
int32_t content_report_whole(rhost_ctx *ctx, int fd, const struct stat *st, rhost_value *current);

/* Under noop: what copying `source` would lack. 0, or -1 with the reason given. */
int32_t content_foresee_source(rhost_ctx *ctx, const char *source);

/* current.source: `source`, when what is in the file is what is in that one; else nothing. */
int32_t content_report_source(rhost_ctx *ctx, int fd, const struct stat *st, const char *source,
                              rhost_value *current);

/* As content_report_source(), with the line ending that is wanted. */
int32_t content_report_lines(rhost_ctx *ctx, int fd, const struct stat *st, const char *source,
                             const rhost_value *should, rhost_value *current);

/* current.checksum: the SHA-256 of the file. */
int32_t content_report_checksum(rhost_ctx *ctx, int fd, rhost_value *current);

#endif
