/* SPDX-License-Identifier: Apache-2.0 */
/* test-order - the action list is in the order as written, unless relations say otherwise. */
#include "config.h"

#include "fixture.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "catalog/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
assert_order(struct fixture *f, const char *text, const char *order)
{
    int rc = fixture_run(f, text);

    if (rc < 0)
        fail_msg("%s", fixture_said(f));
    assert_string_equal(fixture_list(f), order);
}

static void
assert_refused(struct fixture *f, const char *text, const char *words)
{
    assert_int_equal(fixture_run(f, text), -1);
    if (!strstr(fixture_said(f), words))
        fail_msg("expected \"%s\" in:\n%s", words, fixture_said(f));
}

static void
without_relations_the_order_is_as_written(void **state)
{
    assert_order(*state, "resources:\n- user: c\n- user: a\n- user: b\n", "user[c] user[a] user[b]");
}

static void
require_and_before_move_only_what_they_must(void **state)
{
    assert_order(*state,
                 "resources:\n- user: a\n  require: user[d]\n- user: b\n- user: c\n- user: d\n"
                 "- user: e\n  before: user[b]\n",
                 "user[c] user[d] user[a] user[e] user[b]");
}

static void
relations_that_fit_change_nothing(void **state)
{
    assert_order(*state,
                 "resources:\n- user: a\n  before: [\"user[c]\", \"user[b]\"]\n- user: b\n"
                 "- user: c\n  require: user[b]\n",
                 "user[a] user[b] user[c]");
}

static void
relations_pass_through_what_is_only_in_the_set(void **state)
{
    assert_order(*state,
                 "resources:\n- user: a\n  require: user[b]\n- user: b\n  action: nothing\n"
                 "  require: user[c]\n- user: c\n",
                 "user[c] user[a]");
}

static void
all_entries_of_a_resource_wait(void **state)
{
    assert_order(*state, "resources:\n- exec: x\n  action: [run, kill]\n  require: user[a]\n- user: a\n",
                 "user[a] exec[x]:run exec[x]:kill");
}

/* L6 */
static void
automatic_relations_order_too(void **state)
{
    assert_order(*state, "resources:\n- file: /a/b/c\n  owner: bob\n- user: bob\n- file: /a\n",
                 "user[bob] file[/a] file[/a/b/c]");
}

static void
an_automatic_relation_may_name_several_attributes(void **state)
{
    assert_order(*state,
                 "resources:\n- cron: x\n  user: nginx\n  hour: 3\n- cron: y\n  user: nginx\n"
                 "- package: web\n  name: nginx\n  version: \"3\"\n",
                 "cron[y] package[web] cron[x]");
}

static void
an_automatic_relation_may_give_namevars(void **state)
{
    assert_order(*state,
                 "resources:\n- pin: x\n  packages: [a/b, c]\n  version: 3\n"
                 "- pin: y\n  packages: [c]\n"
                 "- package: one\n  name: a/b\n  version: v3\n"
                 "- package: two\n  name: c\n  version: v3\n"
                 "- package: three\n  name: c\n  version: v4\n",
                 "pin[y] package[one] package[two] pin[x] package[three]");
}

static void
a_namevar_is_taken_as_its_type_has_it_and_left_out_with_its_default(void **state)
{
    assert_order(*state,
                 "resources:\n- pin: x\n  port: \"80\"\n- pin: y\n  port: 81\n"
                 "- listener: a\n  port: 80\n- listener: b\n  port: 81\n"
                 "- listener: c\n  port: 81\n  address: localhost\n",
                 "listener[a] pin[x] listener[b] pin[y] listener[c]");
}

static void
a_relation_that_gives_what_is_no_namevar_is_none(void **state)
{
    assert_order(*state, "resources:\n- pin: bob\n- user: bob\n", "pin[bob] user[bob]");
}

static void
above_is_the_nearest_by_parts_of_the_path(void **state)
{
    assert_order(*state, "resources:\n- file: /a/b/\n- file: /a\n- file: /\n",
                 "file[/] file[/a] file[/a/b/]");
}

static void
what_the_manifest_states_wins_over_the_automatic(void **state)
{
    assert_order(*state, "resources:\n- file: /a/b\n  before: file[/a]\n- file: /a\n", "file[/a/b] file[/a]");
}

static void
between_two_that_go_automatic_relations_are_turned_round(void **state)
{
    assert_order(*state,
                 "resources:\n- file: /a\n  ensure: absent\n- file: /a/b\n  ensure: absent\n"
                 "- file: /a/b/c\n  ensure: absent\n",
                 "file[/a/b/c] file[/a/b] file[/a]");
}

static void
between_one_that_goes_and_one_that_stays_they_are_not(void **state)
{
    assert_order(*state,
                 "resources:\n- file: /a/b\n  ensure: absent\n- file: /a\n"
                 "- file: /c/d\n- file: /c\n  ensure: absent\n",
                 "file[/a] file[/a/b] file[/c] file[/c/d]");
}

static void
between_two_that_go_the_manifest_has_its_way_too(void **state)
{
    assert_order(*state,
                 "resources:\n- file: /a\n  ensure: absent\n  before: file[/a/b]\n- file: /a/b\n"
                 "  ensure: absent\n",
                 "file[/a] file[/a/b]");
}

static void
a_cycle_is_shown_as_a_path_with_reasons_and_places(void **state)
{
    assert_refused(*state, "resources:\n- user: a\n  require: user[b]\n- user: b\n  require: user[a]\n",
                   "resources depend on each other in a cycle:\n"
                   "  user[a] must come before user[b] (require, site.yaml:5)\n"
                   "  user[b] must come before user[a] (require, site.yaml:3)\n");
}

static void
a_resource_that_waits_for_itself_is_a_cycle(void **state)
{
    assert_refused(*state, "resources:\n- user: a\n  require: user[a]\n",
                   "  user[a] must come before user[a] (require, site.yaml:3)");
}

static void
what_is_between_two_cycles_is_no_part_of_them(void **state)
{
    assert_refused(*state,
                   "resources:\n- user: a\n  require: user[b]\n- user: b\n  require: user[c]\n"
                   "- user: c\n  require: user[b]\n- user: d\n  require: [\"user[a]\", \"user[e]\"]\n"
                   "- user: e\n  require: user[d]\n",
                   "  user[c] must come before user[b]");
    assert_null(strstr(fixture_said(*state), "user[a]"));
}

static void
of_several_cycles_the_shortest_is_shown(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, "resources:\n");
    for (int i = 0; i < 30; i++) /* a ring of thirty, with a chain behind it */
        rh_buf_addf(&b, "- user: r%d\n  require: user[r%d]\n", i, (i + 1) % 30);
    for (int i = 0; i < 30; i++)
        rh_buf_addf(&b, "- user: c%d\n  require: user[%s%d]\n", i, i ? "c" : "r", i ? i - 1 : 0);
    rh_buf_add(&b, "- group: x\n  require: group[y]\n- group: y\n  require: [\"group[x]\", "
                   "\"user[c29]\"]\n");
    assert_refused(*state, rh_buf_text(&b), "  group[x] must come before group[y]");
    assert_null(strstr(fixture_said(*state), "user[r1]"));
}

static void
a_long_cycle_is_cut(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, "resources:\n");
    for (int i = 0; i < 20000; i++)
        rh_buf_addf(&b, "- user: r%d\n  require: user[r%d]\n", i, (i + 1) % 20000);
    assert_refused(*state, rh_buf_text(&b), "  ... and so on");
    assert_true(strlen(fixture_said(*state)) < 4000);
}

static void
a_chain_written_backwards_is_turned_around(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct fixture *f = *state;

    rh_buf_add(&b, "resources:\n");
    for (int i = 0; i < 20000; i++)
        rh_buf_addf(&b, "- user: r%d\n%s%d%s", i, i < 19999 ? "  require: user[r" : "  noop: true #", i + 1,
                    i < 19999 ? "]\n" : "\n");
    assert_int_equal(fixture_run(f, rh_buf_text(&b)), 0);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(f->order.entries[i], 19999 - i);
}

static void
references_that_name_nothing_are_refused_with_a_guess(void **state)
{
    assert_refused(*state, "resources:\n- user: nginx\n- user: b\n  require: user[ngnix]\n",
                   "site.yaml:4:12: error: user[b]: require names user[ngnix], which is not in the "
                   "manifest\n");
    assert_non_null(strstr(fixture_said(*state), "did you mean 'user[nginx]'?"));
}

static void
the_graph_is_valid_dot_whatever_titles_hold(void **state)
{
    struct fixture *f = *state;
    rh_autobuf struct rh_buf text = { 0 };

    assert_int_equal(fixture_run(f, "resources:\n- exec: \"say \\\"hi\\\\n\\\"\\n\"\n  before: user[a]\n"
                                    "- user: a\n- user: s\n  action: nothing\n- file: /x\n"
                                    "  owner: a\n"),
                     0);
    rh_catalog_to_dot(&f->catalog, &f->order, NULL, &text);
    assert_non_null(strstr(text.s, "n0 [label=\"exec[say \\\"hi\\\\n\\\"\\\\n]\\n1 run\"];"));
    assert_non_null(strstr(text.s, "n2 [label=\"user[s]\", style=dashed];"));
    assert_non_null(strstr(text.s, "n0 -> n1 [label=\"before\"];"));
    assert_non_null(strstr(text.s, "n1 -> n3 [label=\"autorequire\", style=dashed];"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(without_relations_the_order_is_as_written),
        CASE(require_and_before_move_only_what_they_must),
        CASE(relations_that_fit_change_nothing),
        CASE(relations_pass_through_what_is_only_in_the_set),
        CASE(all_entries_of_a_resource_wait),
        CASE(automatic_relations_order_too),
        CASE(an_automatic_relation_may_name_several_attributes),
        CASE(an_automatic_relation_may_give_namevars),
        CASE(a_namevar_is_taken_as_its_type_has_it_and_left_out_with_its_default),
        CASE(a_relation_that_gives_what_is_no_namevar_is_none),
        CASE(above_is_the_nearest_by_parts_of_the_path),
        CASE(what_the_manifest_states_wins_over_the_automatic),
        CASE(between_two_that_go_automatic_relations_are_turned_round),
        CASE(between_one_that_goes_and_one_that_stays_they_are_not),
        CASE(between_two_that_go_the_manifest_has_its_way_too),
        CASE(a_cycle_is_shown_as_a_path_with_reasons_and_places),
        CASE(a_resource_that_waits_for_itself_is_a_cycle),
        CASE(what_is_between_two_cycles_is_no_part_of_them),
        CASE(of_several_cycles_the_shortest_is_shown),
        CASE(a_long_cycle_is_cut),
        CASE(a_chain_written_backwards_is_turned_around),
        CASE(references_that_name_nothing_are_refused_with_a_guess),
        CASE(the_graph_is_valid_dot_whatever_titles_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
