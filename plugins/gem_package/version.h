/* SPDX-License-Identifier: Apache-2.0 */
/* version - versions of gems, and requirements of them, as RubyGems reads them. */
#ifndef GEM_PACKAGE_VERSION_H
#define GEM_PACKAGE_VERSION_H

#include <stddef.h>

/* Whether the text is a version, such as "1.2.3" or "2.0.0.rc1". */
int version_is(const char *text);

/* Whether the text is a version, or requirements that commas separate, such as "~> 1.2, >= 1.2.3". */
int version_is_requirement(const char *text);

/* Whether the version is what the requirement says, which version_is_requirement() has accepted. */
int version_matches(const char *version, const char *requirement);

/* <0, 0, >0; both are versions. */
int version_compare(const char *a, const char *b);

#endif
