/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-edit - values of a YAML text replaced, added and removed where they stand; comments and all else stay.
 */
#ifndef YAML_SETTING_YAML_EDIT_H
#define YAML_SETTING_YAML_EDIT_H

#include "../json_setting/setting.h"

extern const struct setting_format yaml_format;

#endif
