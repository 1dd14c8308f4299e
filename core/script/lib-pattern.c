/* SPDX-License-Identifier: Apache-2.0 */
/* lib-pattern - string.find, match, gmatch and gsub. */
#include "config.h"

#include "script/lib.h"

void
rh_lib_pattern_open(lua_State *l)
{
    (void)l;
}
