/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a text as the tree that a lens of augeas makes of it. No file is read or written but the lenses. */
#ifndef RH_AUGEAS_TREE_H
#define RH_AUGEAS_TREE_H

#include <rhost/provider.h>

/* Gives back the lenses that were loaded: they stay from call to call, in the state of the provider. */
void tree_close(rhost_ctx *ctx);

/* Makes the changes of `wanted` in a text, if its conditions are true. 0 with the new text in memory of the
 * call, which is `text` itself where nothing is changed; or -1 with the attribute at fault and the reason. */
int tree_change(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char **result,
                const char **attribute, const char **why);

/* Takes all changes and conditions apart, without a tree: 0, or -1 after each that is wrong was given to
 * fail(). */
int tree_check(rhost_ctx *ctx, const rhost_value *wanted);

/* Whether `changes`, `conditions` or `context` have something that no message may show. */
int tree_has_secret(const rhost_value *wanted);

#endif
