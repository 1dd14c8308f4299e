/* SPDX-License-Identifier: Apache-2.0 */
/* parsed - records of large files, kept from one run to the next: with them the same text is read without a
 * parser. They have no text of a file, and so no secret: see manifest/text/yaml-record.h. */
#ifndef RH_MANIFEST_LOAD_PARSED_H
#define RH_MANIFEST_LOAD_PARSED_H

#include "manifest/text/yaml.h"

#include <stddef.h>

/* Files that are smaller have none; and how many are kept, and how many bytes. */
enum { RH_PARSED_SMALLEST = 16 << 10, RH_PARSED_MOST = 64, RH_PARSED_LARGEST = 64 << 20 };

struct rh_parsed {
    struct rh_yaml_record record;
    const char *directory; /* NULL: nothing is kept */
    int fd;                /* of it; -1: it is not there yet */
    char name[65];         /* of the record in it */
    char *bytes;
};

/* The record of this text, where there is one in `directory` (NULL: nothing is kept), which stays until
 * rh_parsed_close(). What cannot be read, is not this user's, or is of another version of rhost or libyaml is
 * as if it were not there. */
void rh_parsed_open(struct rh_parsed *p, const char *directory, const char *text, size_t n);

/* What rh_yaml_read_again() takes; NULL: nothing is kept of this text. */
struct rh_yaml_record *rh_parsed_record(struct rh_parsed *p);

/* Keeps what was made, if anything, and removes the oldest records that are too many, and no other file. That
 * it cannot be kept costs time later, and is no error. */
void rh_parsed_close(struct rh_parsed *p);

#endif
