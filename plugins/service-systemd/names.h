/* SPDX-License-Identifier: Apache-2.0 */
/* names - names of units, and what they are aliases of, without asking anybody. */
#ifndef SERVICE_SYSTEMD_NAMES_H
#define SERVICE_SYSTEMD_NAMES_H

#include <stddef.h>

enum { NAMES_MAX = 256 };

/* What a name may consist of, for attribute tables; foo, foo.service, foo@bar.timer. */
#define NAMES_TYPE "Pattern[/\\A[A-Za-z0-9:_.\\\\@-]{1,255}\\z/]"

/* The type of unit that a full name ends with, with its dot (".timer"); NULL: it has none. */
const char *names_type(const char *name);

/* Whether it is a template without an instance: foo@.service. */
int names_is_template(const char *name);

/* The template of an instance, foo@.service of foo@bar.service. 0: it is no instance. */
int names_template(const char *name, char template[NAMES_MAX]);

/* The full name, with .service where it has no type. NULL, or why it is no name of a unit. */
const char *names_complete(const char *name, char full[NAMES_MAX]);

/* What a full name is an alias of, in place, as the links say that systemd would follow. A name without
 * a unit stays as it is. */
void names_follow(char name[NAMES_MAX]);

/* The path of the unit's file, or that of its template: the first in systemd's order. 0: there is none.
 * `path` has room for `size` bytes. */
int names_file(const char *name, char *path, size_t size);

/* How many letters differ between two names, at most `limit` and one more. */
unsigned names_distance(const char *a, const char *b, unsigned limit);

#endif
