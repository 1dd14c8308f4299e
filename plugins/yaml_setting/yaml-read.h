/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-read - YAML texts to trees, by libyaml. */
#ifndef YAML_SETTING_YAML_READ_H
#define YAML_SETTING_YAML_READ_H

#include "../json_setting/setting.h"

/* parse() of struct setting_format. */
const char *yaml_read(struct pool *p, const struct document *d, struct tree **root);

/* What a plain scalar is for readers of YAML 1.1 and 1.2: TREE_OTHER where they do not agree. Fills in the
 * value. */
void yaml_resolve(struct tree *t, const char *text, size_t len);

#endif
