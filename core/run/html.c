/* SPDX-License-Identifier: Apache-2.0 */
/* html - runs as one page that needs nothing else. */
#include "config.h"

#include "run/html.h"

#include "base/text.h"

#include <string.h>

static const char mark[] = "@DATA@";

static const char *
find_mark(void)
{
    const char *at = strstr(rh_html_page, mark);

    return at ? at : rh_html_page + strlen(rh_html_page);
}

void
rh_html_begin(struct rh_buf *page)
{
    rh_buf_addn(page, rh_html_page, (size_t)(find_mark() - rh_html_page));
}

void
rh_html_add(struct rh_buf *page, const char *json, size_t n)
{
    rh_buf_add_page_json(page, json, n);
}

void
rh_html_end(struct rh_buf *page)
{
    const char *at = find_mark();

    if (*at)
        rh_buf_add(page, at + strlen(mark));
}
