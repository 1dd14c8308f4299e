/* SPDX-License-Identifier: Apache-2.0 */
/* bench-manifest - what reading a manifest costs for each resource, beside what libyaml alone takes
 * for the same text. */
#include "config.h"

#include "../unit/fixture.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/order.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yaml.h>

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static size_t
taken(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static void
only_events(const char *text, size_t n)
{
    yaml_parser_t parser;
    bool more = true;

    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    while (more) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event))
            abort();
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

static void
measure(unsigned n)
{
    rh_autobuf struct rh_buf text = { 0 };
    struct fixture f;
    double t[5];
    size_t before, after;

    rh_buf_add(&text, "resources:\n");
    for (unsigned i = 0; i < n; i++)
        rh_buf_addf(&text,
                    "  - file: /srv/data/f%06u.txt\n    content: hello number %u\n"
                    "    mode: 0644\n    owner: root\n",
                    i, i);
    fixture_open(&f);
    t[0] = now();
    only_events(text.s, text.n);
    before = taken();
    t[1] = now();
    if (rh_manifest_load_text(&f.catalog, &f.lookup, "site.yaml", text.s, text.n, &f.complaints) < 0)
        abort();
    t[2] = now();
    after = taken();
    rh_relations_resolve(&f.catalog, &f.complaints);
    if (rh_complaints_count(&f.complaints) > 0)
        abort();
    t[3] = now();
    if (rh_order_make(&f.catalog, &f.order, &f.complaints) < 0)
        abort();
    t[4] = now();
    (void)printf("%7u resources, each: libyaml alone %.2f us, load %.2f us, relations %.2f us, "
                 "order %.3f us; %zu bytes\n",
                 n, (t[1] - t[0]) / n, (t[2] - t[1]) / n, (t[3] - t[2]) / n, (t[4] - t[3]) / n,
                 (after - before) / n);
    fixture_close(&f);
}

int
main(int argc, char **argv)
{
    if (argc > 1) {
        measure((unsigned)strtoul(argv[1], NULL, 10));
        return 0;
    }
    measure(10000);
    measure(100000);
    return 0;
}
