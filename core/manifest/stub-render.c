/* SPDX-License-Identifier: Apache-2.0 */
/* stub-render - nothing yet. */
#include "script/script.h"
struct rh_value *rh_script_render(struct rh_script *s, const char *text, size_t n, unsigned file, const struct rh_value *scope, struct rh_script_problem *problem) { return rh_script_evaluate(s,text,n,scope,file,problem); }
