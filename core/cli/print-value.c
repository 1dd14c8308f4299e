/* SPDX-License-Identifier: Apache-2.0 */
/* print-value - a value on standard output, as --format asks for it. */
#include "config.h"

#include "cli/print-value.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value-yaml.h"
#include "base/value.h"
#include "run/html.h"

#include <stdio.h>

void
rh_print_value(enum rh_format format, const struct rh_value *v)
{
    rh_autobuf struct rh_buf b = { 0 };

    if (format == RH_FORMAT_JSON) {
        rh_value_to_json_pretty(&b, v, false);
        rh_buf_addc(&b, '\n');
    } else if (format == RH_FORMAT_TEXT && v->kind == RH_STRING && !rh_value_sensitive(v)) {
        rh_buf_add_safe(&b, v->u.string, v->count, true);
        rh_buf_addc(&b, '\n');
    } else {
        rh_yaml_add_block(&b, v, false);
    }
    (void)fputs(rh_buf_text(&b), stdout);
}

void
rh_print_json(enum rh_format format, const struct rh_buf *json)
{
    rh_autobuf struct rh_buf page = { 0 };

    if (format == RH_FORMAT_HTML) {
        rh_html_begin(&page);
        rh_html_add(&page, json->s, json->n);
        rh_html_end(&page);
        json = &page;
    }
    (void)fwrite(json->s, 1, json->n, stdout);
}
