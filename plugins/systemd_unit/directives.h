/* SPDX-License-Identifier: Apache-2.0 */
/* directives - the settings that systemd knows, by section. */
#ifndef SYSTEMD_UNIT_DIRECTIVES_H
#define SYSTEMD_UNIT_DIRECTIVES_H

#include <stddef.h>

/* The type of units that a section is for, "service"; "" for all. NULL: no such section is known. */
const char *directives_type_of(const char *section);

/* Whether systemd knows the setting in this section. */
int directives_has(const char *section, const char *setting);

/* The first section that has the setting, among those for units of this type; or NULL. */
const char *directives_section_of(const char *setting, const char *type);

/* The known name that `word` is a misspelling of, of a section, or of a setting in `section`; NULL: there is
 * none that is near. */
const char *directives_near_section(const char *word);
const char *directives_near_setting(const char *section, const char *word);

#endif
