/* SPDX-License-Identifier: Apache-2.0 */
/* zypper-ask - questions to zypper that change nothing, and what it answers as XML. */
#ifndef PACKAGE_ZYPPER_ASK_H
#define PACKAGE_ZYPPER_ASK_H

#include "rpm-plan.h"

/* The exit statuses of zypper that are no errors of what was asked for. */
enum {
    ZYPPER_NO_REPOSITORIES = 6,
    ZYPPER_LOCKED = 7,
    ZYPPER_REBOOT_NEEDED = 102,
    ZYPPER_RESTART_NEEDED = 103,
    ZYPPER_NOT_FOUND = 104,
    ZYPPER_REPOSITORIES_SKIPPED = 106,
    ZYPPER_SCRIPT_FAILED = 107,
};
/* Whether it did what it was to do, though perhaps not with everything. */
int zypper_worked(int64_t status);

/* "zypper --non-interactive", and of the attribute `options` those that go before a command, or (commands)
 * those that go after it. `xml`: it is to answer as XML. */
void zypper_start(rhost_ctx *ctx, struct words *argv, const rhost_value *options, int xml);
void zypper_options(rhost_ctx *ctx, struct words *argv, const rhost_value *options);

/* What it complained of, as lines of text: errors, and problems of its solver. */
const char *zypper_complaints(rhost_ctx *ctx, const char *printed);

/* What it printed as text, with a conflict of files on one line, and of that the lines that say that a script
 * of a package failed ("": none). */
const char *zypper_unfold(rhost_ctx *ctx, const char *printed);
const char *zypper_script_errors(rhost_ctx *ctx, const char *printed);

/* Repositories that it did without, in what it printed, as XML or as text; or NULL. */
const char *zypper_left_out(rhost_ctx *ctx, const char *printed);

/* What repositories have: of these names; or those that provide these names; or (NULL) the names of all,
 * without versions. The newest comes first. `without` (NULL: nobody asks) is set to zypper_left_out(), and to
 * "" where there is no repository at all. -1 after fail(). */
int32_t zypper_search(rhost_ctx *ctx, const rhost_value *options, const struct words *names, int provided,
                      struct rpms *found, const char **without);

/* The newest versions that zypper would update to, of all packages that are not locked. -1 after fail(). */
int32_t zypper_updates(rhost_ctx *ctx, const rhost_value *options, struct rpms *found);

/* Reads the summary of a transaction. */
void zypper_parse_plan(rhost_ctx *ctx, const char *printed, struct rpm_plan *plan);

#endif
