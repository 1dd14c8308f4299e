/* SPDX-License-Identifier: Apache-2.0 */
/* system - which accounts and groups belong to the system: their numbers say so (login.defs(5)). */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/* A number of /etc/login.defs, from 0 to `most`; `otherwise` where it has none, or another. */
long long system_number(const char *setting, long long most, long long otherwise);

/* A text of /etc/login.defs; 0, and `to` as it was, where it has none or one that is too long. */
int system_text(const char *setting, char *to, size_t size);

/* A text of /etc/default/useradd; `to` stays as it was where it has none or one that is too long. */
void system_default(const char *setting, char *to, size_t size);

/* The first number of those for people: `setting` is "UID_MIN" or "GID_MIN" of /etc/login.defs. */
uint32_t system_first(const char *setting);

/* Whether a number is below that, or the one of nobody. */
int system_has(uint32_t id, uint32_t first);

#endif
