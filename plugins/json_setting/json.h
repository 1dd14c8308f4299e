/* SPDX-License-Identifier: Apache-2.0 */
/* json - JSON texts: json-c says whether a text is JSON and what its scalars are, and writes new values;
 * where each stands is found here, since json-c does not tell. */
#ifndef JSON_SETTING_JSON_H
#define JSON_SETTING_JSON_H

#include "setting.h"

extern const struct setting_format json_format;

#endif
