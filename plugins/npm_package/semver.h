/* SPDX-License-Identifier: Apache-2.0 */
/* semver - versions of npm's packages, and ranges of them, as npm reads them. */
#ifndef NPM_PACKAGE_SEMVER_H
#define NPM_PACKAGE_SEMVER_H

/* Whether the text is a range: "1.2.3", "^1.2", "~1.2.3", "1.x", ">=1 <2", "1.2 - 1.4", or several with "||".
 */
int semver_is_range(const char *text);

/* Whether the text is one version and no range. */
int semver_is_version(const char *text);

/* Whether `version` is in the range, which semver_is_range() has accepted. What is no version is in none. */
int semver_matches(const char *version, const char *range);

#endif
