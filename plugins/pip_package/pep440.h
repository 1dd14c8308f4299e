/* SPDX-License-Identifier: Apache-2.0 */
/* pep440 - versions of Python packages, and what a manifest says of them: PEP 440. */
#ifndef PIP_PACKAGE_PEP440_H
#define PIP_PACKAGE_PEP440_H

#include <rhost/provider.h>

/* Whether the text is a version, such as "2!1.0rc1" or "1.0+local.1", or specifiers that commas separate,
 * such as ">=1.2, <2" or "==1.*". */
int pep440_is_wanted(const char *text);

/* Whether `version` is what `wanted` says, which pep440_is_wanted() has accepted. A version alone, without
 * an operator, is that one in any spelling; with a local part only where `wanted` has none or the same. A
 * version that is none by PEP 440 matches itself alone. */
int pep440_matches(const char *version, const char *wanted);

/* Specifiers as pip takes them, in memory of the call: a version alone gets "==". */
const char *pep440_specifiers(rhost_ctx *ctx, const char *wanted);

#endif
