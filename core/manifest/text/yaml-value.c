/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-value - a text of YAML that is no file, as a value. */
#include "config.h"

#include "manifest/text/yaml.h"

#include "base/complaint.h"
#include "base/draft.h"
#include "base/source.h"
#include "base/value.h"
#include "manifest/text/scalar.h"

struct rh_value *
rh_yaml_value(struct rh_arena *a, const char *text, size_t n, struct rh_error *err)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_value *v = rh_yaml_read(a, text, n, 0, &complaints);

    if (v && !rh_complaints_count(&complaints)) {
        v = rh_scalar_read(a, NULL, v);
    } else {
        rh_complaints_take_first(&complaints, err);
        v = NULL;
    }
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return v;
}
