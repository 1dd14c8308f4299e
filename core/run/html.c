/* SPDX-License-Identifier: Apache-2.0 */
/* html - pages that need nothing else. */
#include "config.h"

#include "base/text.h"
#include "run/html.h"

#include <string.h>

static const struct rh_html_kind runs = { .style = rh_html_runs_style, .script = rh_html_runs_script };

/* Adds the frame from `at` up to a mark; returns what is behind it. */
static const char *
add_up_to(struct rh_buf *page, const char *at, const char *mark)
{
    const char *end = strstr(at, mark);

    if (!end) {
        rh_buf_add(page, at);
        return "";
    }
    rh_buf_addn(page, at, (size_t)(end - at));
    return end + strlen(mark);
}

void
rh_html_open(struct rh_buf *page, const struct rh_html_kind *kind)
{
    const char *rest = add_up_to(page, rh_html_frame, "@STYLE@");

    rh_buf_add(page, kind->style);
    rest = add_up_to(page, rest, "@PICTURE@");
    rh_buf_add(page, kind->picture ? kind->picture : "");
    (void)add_up_to(page, rest, "@DATA@");
}

void
rh_html_add(struct rh_buf *page, const char *json, size_t n)
{
    rh_buf_add_page_json(page, json, n);
}

void
rh_html_close(struct rh_buf *page, const struct rh_html_kind *kind)
{
    static const char data[] = "@DATA@";
    const char *rest = strstr(rh_html_frame, data);

    rest = add_up_to(page, rest ? rest + strlen(data) : "", "@SCRIPT@");
    rh_buf_add(page, kind->script);
    rh_buf_add(page, rest);
}

void
rh_html_begin(struct rh_buf *page)
{
    rh_html_open(page, &runs);
}

void
rh_html_end(struct rh_buf *page)
{
    rh_html_close(page, &runs);
}
