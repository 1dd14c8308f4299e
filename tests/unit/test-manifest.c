/* SPDX-License-Identifier: Apache-2.0 */
/* test-manifest - manifests become a catalog, and everything that is wrong with them is said. */
#include "config.h"

#include "fixture.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/budget.h"
#include "schema/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
assert_accepts(struct fixture *f, const char *text)
{
    if (fixture_run(f, text) < 0)
        fail_msg("%s", fixture_said(f));
    assert_string_equal(fixture_said(f), "");
}

static void
assert_says(struct fixture *f, const char *words)
{
    if (!strstr(fixture_said(f), words))
        fail_msg("expected \"%s\" in:\n%s", words, fixture_said(f));
}

static void
assert_refuses(struct fixture *f, const char *text, const char *words)
{
    assert_int_equal(fixture_run(f, text), -1);
    assert_says(f, words);
}

static void
assert_only_complaint(struct fixture *f, const char *text, const char *words)
{
    assert_refuses(f, text, words);
    if (rh_complaints_count(&f->complaints) != 1)
        fail_msg("expected one complaint:\n%s", fixture_said(f));
}

/* What works. */

static void
an_entry_declares_a_resource_with_its_attributes(void **state)
{
    struct fixture *f = *state;
    const struct rh_resource *r;

    assert_accepts(f, "resources:\n  - file: /etc/motd\n    mode: 0644\n    content: 12\n"
                      "    backup: true\n");
    assert_string_equal(fixture_should(f, "file", "/etc/motd"),
                        "{mode: \"0644\", content: \"12\", backup: true, path: \"/etc/motd\", "
                        "ensure: \"present\"}");
    assert_string_equal(fixture_list(f), "file[/etc/motd]");
    r = rh_catalog_find(&f->catalog, "file", "/etc/motd");
    assert_int_equal(r->place.line, 2);
    assert_int_equal(r->place.column, 5);
}

static void
json_is_a_manifest_too(void **state)
{
    assert_accepts(*state, "{\"resources\":[{\"user\":\"b\",\"uid\":5,\"extra\":{\"a\":[null,1.5]}}]}");
    assert_string_equal(fixture_should(*state, "user", "b"),
                        "{uid: 5, extra: {a: [undef, 1.5]}, name: \"b\"}");
}

static void
the_type_need_not_stand_first(void **state)
{
    assert_accepts(*state, "resources:\n- {mode: 0644, noop: true, file: /x}\n");
    assert_string_equal(fixture_list(*state), "file[/x]");
}

static void
a_word_that_is_a_type_may_be_an_attribute_of_another(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- file: /x\n  group: root\n- group: root\n  file: /y\n");
    assert_string_equal(fixture_list(f), "file[/x] file[/y]");
    assert_accepts(f, "resources:\n- user: root\n  cron: job\n");
    assert_string_equal(rh_value_str(fixture_value(f, "cron", "job", "user"), ""), "root");
}

static void
attributes_that_are_words_of_other_types_load_no_type(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- file: /x\n  group: a\n- file: /y\n  group: b\n");
    assert_int_equal(f->asked, 2); /* whether a plugin has 'tree', and for 'file' */
}

static void
a_list_of_titles_is_that_many_resources(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- user: [a, 'b', 12]\n  uid: 5\n  require: user[x]\n- user: []\n"
                      "- user: x\n");
    assert_string_equal(fixture_list(f), "user[x] user[a] user[b] user[12]");
    assert_int_equal(rh_catalog_find(&f->catalog, "user", "b")->place.column, 13);
    assert_string_equal(fixture_should(f, "user", "12"), "{uid: 5, name: \"12\"}");
}

static void
a_title_is_the_text_as_written(void **state)
{
    assert_accepts(*state, "resources:\n- user: 0644\n- user: 1.10\n- user: true\n");
    assert_string_equal(fixture_list(*state), "user[0644] user[1.10] user[true]");
}

/* Those of Puppet's are no attributes (I10). A type may have attributes named like the others. */
static void
attributes_may_be_named_like_words_that_are_our_own(void **state)
{
    static const char *const reserved[] = {
        "alias",    "audit",   "before",   "consume", "export",    "loglevel", "noop",  "notify",
        "provider", "require", "schedule", "stage",   "subscribe", "tag",      "title",
    };

    (void)state;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (!rh_is_reserved_attribute(reserved[i]))
            fail_msg("'%s' is not reserved", reserved[i]);
    assert_false(rh_is_reserved_attribute("action"));
    assert_false(rh_is_reserved_attribute("insert_after"));
    assert_false(rh_is_reserved_attribute("when"));
    assert_false(rh_is_reserved_attribute("timeout"));
}

static void
what_comes_of_a_manifest_has_a_budget(void **state)
{
    static const struct rh_budget small = { .resources = 3, .elements = 10, .memory = 1 << 20, .text = 8 };
    struct fixture *f = *state;

    f->lookup.budget = &small;
    assert_accepts(f, "resources:\n- user: [a, b, c, d, e]\n- for_each: [1, 2, 3]\n  user: ${each.value}\n");
    assert_refuses(f,
                   "resources:\n- for_each: [f, g, h, i, j]\n  user: ${each.value}\n- user: k\n"
                   "  require: user[g]\n",
                   "site.yaml:3:3: error: definitions and loops declare more than 3 resources");
    assert_refuses(f,
                   "resources:\n- for_each: [12345]\n  file: /tmp\n  content: ${each.value}${each.value}\n",
                   "site.yaml:4:12: error: expressions expand this text to more than 0 MiB");
}

static void
an_instance_whose_edit_is_refused_is_named(void **state)
{
    static const char *const edits[] = { "provider: other", "uid: x", "name: c", "alias: c" };

    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        rh_autofree char *text = rh_printf("resources:\n- user: [b, c]\n- define: d\n  resources:\n"
                                           "  - edit: user[b]\n    %s\n- d: x\n",
                                           edits[i]);
        struct fixture f;

        fixture_open(&f);
        assert_refuses(&f, text, "error: ");
        assert_says(&f, "site.yaml:7:3: for the instance declared here");
        fixture_close(&f);
    }
}

static void
title_patterns_name_the_resource(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- package: nginx/1.2\n");
    assert_string_equal(fixture_should(f, "package", "nginx/1.2"), "{name: \"nginx\", version: \"1.2\"}");
    assert_refuses(f, "resources:\n- package: NGINX\n",
                   "site.yaml:2:3: error: no title pattern of 'package' matches the title 'NGINX'");
}

static void
nothing_in_a_file_is_fine(void **state)
{
    assert_accepts(*state, "");
    assert_accepts(*state, "resources:\n");
    assert_accepts(*state, "resources: []\n");
    assert_accepts(*state, "---\n");
}

static void
noop_and_action_are_noted(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- exec: a\n  noop: false\n- exec: b\n  action: [run, kill]\n"
                      "  noop: true\n- exec: c\n  action: nothing\n- exec: d\n  action: converge\n");
    assert_string_equal(fixture_list(f), "exec[a]:run exec[b]:run exec[b]:kill exec[d]");
    assert_false(rh_catalog_find(&f->catalog, "exec", "a")->noop);
    assert_true(rh_catalog_find(&f->catalog, "exec", "a")->noop_specified);
    assert_true(rh_catalog_find(&f->catalog, "exec", "b")->noop);
    assert_false(rh_catalog_find(&f->catalog, "exec", "c")->noop_specified);
}

static void
attributes_of_a_type_go_before_keywords(void **state)
{
    assert_accepts(*state, "resources:\n- exec: x\n  only_if: [test, -f, /x]\n  timeout: 5\n");
    assert_refuses(*state, "resources:\n- user: x\n  timeout: x\n",
                   "site.yaml:3:12: error: timeout must be a number of seconds between 0.1 and 604800");
}

static void
the_provider_is_looked_up_by_name(void **state)
{
    assert_accepts(*state, "resources:\n- user: a\n  provider: useradd\n");
    assert_refuses(*state, "resources:\n- user: b\n  provider: ldap\n",
                   "site.yaml:3:13: error: type 'user': unknown provider 'ldap'");
}

static void
append_and_remove_reach_the_catalog(void **state)
{
    assert_accepts(*state, "resources:\n- user: a\n  groups: !append [wheel, 10]\n");
    assert_int_equal(fixture_value(*state, "user", "a", "groups")->marks, RH_APPEND);
}

static void
an_escaped_dollar_is_a_dollar(void **state)
{
    assert_accepts(*state, "resources:\n- file: /x\n  content: 'a $${b} $$${c} $d $'\n"
                           "- user: '$${x}'\n");
    assert_string_equal(rh_value_str(fixture_value(*state, "file", "/x", "content"), ""),
                        "a ${b} $${c} $d $");
    assert_string_equal(rh_value_str(fixture_value(*state, "user", "${x}", "name"), ""), "${x}");
}

static void
an_alias_is_read_by_each_attribute_on_its_own(void **state)
{
    assert_accepts(*state, "resources:\n- user: a\n  uid: &n 12\n- file: /x\n  owner: *n\n");
    assert_int_equal(fixture_value(*state, "user", "a", "uid")->kind, RH_INTEGER);
    assert_string_equal(rh_value_str(fixture_value(*state, "file", "/x", "owner"), ""), "12");
}

/* What is refused. */

static void
all_mistakes_are_reported_at_once(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f,
                   "resources:\n- fiel: /a\n- file: /b\n  mod: 0644\n  backup: no\n- user: u\n"
                   "  uid: x\n  require: nobody\n- file: rel\n",
                   "site.yaml:2:3: error: unknown type 'fiel'");
    assert_says(f, "site.yaml:4:3: error: unknown attribute 'mod' for type 'file'");
    assert_says(f, "site.yaml:5:11: error: file[/b].backup expects a Boolean value, got String");
    assert_says(f, "site.yaml:7:8: error: user[u].uid expects an Integer value, got String");
    assert_says(f, "site.yaml:8:12: error: 'nobody' is not a reference");
    assert_says(f, "site.yaml:9:3: error: the title of file[rel]");
    assert_int_equal(rh_complaints_count(&f->complaints), 6);
}

static void
all_files_are_read_whatever_is_wrong_with_one(void **state)
{
    struct fixture *f = *state;
    char one[] = "/tmp/rhost-test-XXXXXX", other[] = "/tmp/rhost-test-XXXXXX";
    const char *const files[] = { one, "/nonexistent/x.yaml", "x.lua", other };
    int fds[] = { mkstemp(one), mkstemp(other) };

    assert_true(fds[0] >= 0 && fds[1] >= 0);
    assert_int_equal(dprintf(fds[0], "resources:\n- [\n"), 15);
    assert_int_equal(dprintf(fds[1], "resources:\n- fiel: x\n- user: a\n"), 31);
    assert_int_equal(rh_manifest_load(&f->catalog, &f->lookup, files, 4, &f->complaints), -1);
    (void)unlink(one);
    (void)unlink(other);
    (void)close(fds[0]);
    (void)close(fds[1]);
    assert_says(f, "cannot open '/nonexistent/x.yaml': No such file or directory");
    assert_says(f, "cannot open 'x.lua': No such file or directory");
    assert_says(f, "unexpected end of file: expected a value");
    assert_says(f, "unknown type 'fiel'");
    assert_non_null(rh_catalog_find(&f->catalog, "user", "a"));
}

static void
misspelt_words_are_guessed(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- fil: /x\n", "did you mean 'file'?");
    assert_refuses(f, "resources:\n- file: /x\n  contnet: x\n", "did you mean 'content'?");
    assert_refuses(f, "resources:\n- file: /x\n  requires: file[/x]\n", "did you mean 'require'?");
    assert_refuses(f, "resorces: []\n", "did you mean 'resources'?");
    assert_refuses(f, "resources:\n- gruop: x\n  file: /y\n", "did you mean 'group'?");
    assert_refuses(f, "resources:\n- zzzz: x\n", "'rhost types' lists what is installed");
}

static void
a_slip_in_the_type_makes_no_type_of_an_attribute(void **state)
{
    assert_only_complaint(*state, "resources:\n- crno: x\n  user: root\n  hour: 5\n",
                          "site.yaml:2:3: error: unknown type 'crno'");
}

static void
two_types_in_one_entry_are_refused(void **state)
{
    assert_only_complaint(*state, "resources:\n- file: /x\n  user: bob\n",
                          "site.yaml:3:3: error: two types in one entry: 'user' is not an attribute "
                          "of 'file'");
}

static void
one_mistake_is_one_complaint(void **state)
{
    static const char *const texts[] = {
        "resources:\n- file: /a\n  content: {{ x }}\n",
        "resources:\n- file: {{ x }}\n",
        "resources:\n- file: /b\n  content: *x\n",
        "resources:\n- *x\n",
        "resources:\n- file: /c\n  require: *x\n",
        "resources:\n- {x: y}: z\n",
        "resources: *x\n",
        "*x\n",
        "resources:\n- file: /d\n  provider: *x\n",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        rh_complaints_clear(&f->complaints);
        assert_only_complaint(f, texts[i], "site.yaml");
    }
}

static void
a_type_that_is_refused_says_why(void **state)
{
    assert_only_complaint(*state, "resources:\n- refused: x\n  a: b\n",
                          "site.yaml:2:3: error: plugin 'refused.so' is refused: missing "
                          "attributes");
}

static void
a_title_must_be_there_and_be_text(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- file:\n  mode: 0644\n",
                   "site.yaml:2:3: error: missing title for type 'file'");
    assert_refuses(f, "resources:\n- file: ''\n", "missing title for type 'file'");
    assert_refuses(f, "resources:\n- file: ~\n", "missing title for type 'file'");
    assert_refuses(f, "resources:\n- user: [a, '']\n",
                   "site.yaml:2:13: error: missing title for type 'user'");
    assert_refuses(f, "resources:\n- file:\n    path: /x\n", "the title of 'file' must be text, not a hash");
    assert_refuses(f, "resources:\n- user: [[a]]\n", "the title of 'user' must be text, not a list");
    assert_refuses(f, "resources:\n- user: \"a\\0b\"\n", "must not contain a NUL");
}

static void
what_is_wrong_with_shared_attributes_is_said_once(void **state)
{
    assert_only_complaint(*state, "resources:\n- user: [a, b, c]\n  uid: x\n",
                          "user[a].uid expects an Integer");
}

static void
entries_must_be_hashes(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- file /etc/motd\n", "write it with a ':': - file: /etc/motd");
    assert_refuses(f, "resources:\n-\n", "this entry is empty");
    assert_refuses(f, "resources:\n- {}\n", "missing type in an entry");
    assert_refuses(f, "resources:\n- noop: true\n", "missing type in an entry");
    assert_refuses(f, "resources:\n  file: /x\n", "'resources' must be a list of entries, not a hash");
    assert_refuses(f, "- file: /x\n", "put 'resources:' on a line above the list");
    assert_refuses(f, "hello\n", "a manifest must be a hash, not a string");
    assert_refuses(f, "user: /x\n", "write entries in the list under 'resources:', each as '- user: ...'");
}

static void
expressions_are_read_wherever_they_stand(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- user: a\n  extra: {k: [x, \"a ${b}\"]}\n",
                   "site.yaml:3:23: error: unknown name 'b'");
    assert_refuses(f, "resources:\n- user: ${x}\n", "site.yaml:2:11: error: unknown name 'x'");
    assert_refuses(f, "resources:\n- user: b\n  require: user[${x}]\n",
                   "site.yaml:3:19: error: unknown name 'x'");
    assert_refuses(f, "resources:\n- user: c\n  extra: {k: \"a ${b\"}\n",
                   "site.yaml:3:17: error: missing '}' after '${'");
    assert_says(f, "a literal '${' is written '$${'");
}

static void
references_have_a_form(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- user: a\n  require: User[b]\n", "write types in lower case: user[b]");
    assert_refuses(f, "resources:\n- user: b\n  before: user[\n", "add the missing ']'");
    assert_refuses(f, "resources:\n- user: c\n  before: [x, {}]\n", "'x' is not a reference");
    assert_says(f, "site.yaml:3:15: error: expected a reference, like package[nginx]");
    assert_refuses(f, "resources:\n- user: d\n  before:\n", "expected a reference");
}

static void
actions_are_those_of_the_type(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- exec: a\n  action: walk\n",
                   "site.yaml:3:11: error: unknown action 'walk' for type 'exec'");
    assert_says(f, "its actions are: converge, nothing, run, kill");
    assert_refuses(f, "resources:\n- exec: b\n  action: [run, nothing]\n",
                   "'nothing' cannot be combined with other actions");
}

static void
noop_is_a_boolean(void **state)
{
    assert_refuses(*state, "resources:\n- user: a\n  noop: yes\n",
                   "site.yaml:3:9: error: noop must be a boolean, not a string");
}

static void
duplicates_show_both_places(void **state)
{
    struct fixture *f = *state;

    assert_refuses(f, "resources:\n- user: a\n- user: [b, a]\n",
                   "site.yaml:3:13: error: user[a] is declared twice");
    assert_says(f, "site.yaml:2:3: first declared here");
    assert_refuses(f, "resources:\n- user: other\n  name: a\n",
                   "user[other] is declared twice, the "
                   "first as user[a]");
}

static void
what_was_refused_is_no_second_error_for_relations(void **state)
{
    struct fixture *f = *state;

    assert_only_complaint(f, "resources:\n- user: a\n  uid: x\n- user: b\n  require: user[a]\n",
                          "user[a].uid");
    rh_complaints_clear(&f->complaints);
    assert_only_complaint(f, "resources:\n- usre: c\n- user: d\n  require: user[c]\n", "unknown type 'usre'");
    rh_complaints_clear(&f->complaints);
    assert_refuses(f, "resources:\n- user: e\n  require: user[nobody]\n", "which is not in the manifest");
}

static void
after_a_file_that_cannot_be_read_relations_are_not_judged(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(fixture_load(f, "resources: [\n"), -1);
    assert_refuses(f, "resources:\n- user: a\n  require: user[b]\n", "unexpected end of file");
    assert_int_equal(rh_complaints_count(&f->complaints), 1);
}

static void
read_only_attributes_are_refused(void **state)
{
    assert_refuses(*state, "resources:\n- file: /x\n  size: 5\n",
                   "site.yaml:3:3: error: attribute 'size' of 'file' is read-only");
}

/* Secrets. */

static void
assert_silent(struct fixture *f, const char *text)
{
    rh_complaints_clear(&f->complaints);
    (void)fixture_run(f, text);
    assert_true(rh_complaints_count(&f->complaints) > 0);
    if (strstr(fixture_said(f), "hunter2"))
        fail_msg("the secret leaks:\n%s", fixture_said(f));
}

static void
no_complaint_shows_a_secret(void **state)
{
    static const char *const texts[] = {
        "resources:\n- user: a\n  password: hunter2\n", /* too short */
        "resources:\n- user: b\n  password: [hunter2]\n",
        "resources:\n- {user: c, password: hunter2hunter2, mod: x}\n",
        "resources:\n- {user: d, password: \"x\n    hunter2hunter2\", mod: x}\n",
        "resources:\n- {user: d, tokens: [a, hunter2], mod: x}\n",
        "resources:\n- {user: e, paswsord: hunter2hunter2}\n",
        "resources:\n- {user: f, extra: hunter2, sensitive: extra, mod: x}\n",
        "resources:\n- {user: f, uid: hunter2, sensitive: [uid]}\n",
        "resources:\n- {user: f, extra: {k: [1, hunter2]}, sensitive: [extra], mod: x}\n",
        "resources:\n- user: g\n  password: hunter2hunter2\n  password: hunter2hunter3\n",
        "resources:\n- user: h\n  password: \"hunter2\n",
        "resources:\n- {user: g, password: *hunter2}\n",
        "resources:\n- {user: g, password: !hunter2, mod: x}\n",
        "resources:\n- {user: g, tokens: [a[hunter2], x]}\n",
        "resources:\n- {user: i, tokens: [\"${hunter2}\"]}\n",
        "resources:\n- {user: i, extra: \"${hunter2}\", sensitive: [extra, x]}\n",
        "resources:\n- {user: i, password: \"${hunter2hunter2}\"}\n",
        "resources:\n- {user: [j, j], password: hunter2hunter2}\n",
        "resources:\n- {user: [k, l], tokens: {hunter2: hunter2}}\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_silent(*state, texts[i]);
}

static void
sensitive_marks_what_it_names(void **state)
{
    struct fixture *f = *state;

    assert_accepts(f, "resources:\n- user: a\n  extra: {k: v}\n  uid: 5\n  sensitive: [extra, uid]\n"
                      "- user: b\n  password: 12345678\n");
    assert_string_equal(fixture_should(f, "user", "a"), "{extra: [redacted], uid: [redacted], name: \"a\"}");
    assert_string_equal(fixture_should(f, "user", "b"), "{password: [redacted], name: \"b\"}");
    assert_refuses(f, "resources:\n- user: c\n  sensitive: [uidd]\n", "did you mean 'uid'?");
}

/* Compiled catalogs. */

static void
a_compiled_catalog_reads_back_as_it_was(void **state)
{
    struct fixture again, *f = *state;
    rh_autofree char *json = NULL;

    assert_accepts(f, "resources:\n- user: a\n  groups: !append [x, '12']\n  uid: 5\n"
                      "  extra: {a: .inf, b: {$append: 1}, c: [~, 1.5, \"~\", '$${x}', -.INF, .nan]}\n"
                      "  require: exec[z]\n- exec: z\n  action: [kill, run]\n  noop: false\n"
                      "- file: /x\n  owner: a\n  before: user[s]\n- user: s\n  action: nothing\n"
                      "  since: 1.2.3\n- package: n/1.2\n");
    json = rh_xstrdup(fixture_json(f));
    fixture_open(&again);
    assert_int_equal(fixture_run(&again, json), 0);
    assert_string_equal(fixture_said(&again), "");
    assert_string_equal(fixture_json(&again), json);
    assert_int_equal(fixture_value(&again, "user", "s", "since")->kind, RH_SEMVER);
    assert_int_equal(fixture_value(&again, "user", "a", "groups")->marks, RH_APPEND);
    assert_int_equal(rh_catalog_find(&again.catalog, "exec", "z")->place.line, 7);
    fixture_close(&again);
}

static void
a_compiled_catalog_holds_no_secret_and_says_which_is_missing(void **state)
{
    struct fixture again, *f = *state;
    rh_autofree char *json = NULL;

    assert_accepts(f, "resources:\n- user: a\n  password: hunter2hunter2\n"
                      "- user: b\n  extra: {k: hunter2}\n  sensitive: extra\n");
    json = rh_xstrdup(fixture_json(f));
    assert_null(strstr(json, "hunter2"));
    assert_non_null(strstr(json, "\"$sensitive\": true"));
    fixture_open(&again);
    assert_int_equal(fixture_run(&again, json), -1);
    assert_says(&again, "user[a]: 'password' is sensitive");
    assert_says(&again, "user[b]: 'extra' is sensitive");
    fixture_close(&again);
}

static void
a_compiled_catalog_is_held_against_the_types(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "{\"catalog\": 2}", "this rhost reads version 1" },
        { "{\"catalog\": 1}", "'resources' is not a list" },
        { "{\"catalog\": 1, \"resources\": [1], \"list\": []}", "'type' is missing" },
        { "{\"catalog\": 1, \"resources\": [{\"type\": \"x\", \"title\": \"y\", \"provider\": "
          "\"z\","
          "\"attributes\": {}}], \"list\": []}",
          "unknown type 'x'" },
        { "{\"catalog\": 1, \"resources\": [{\"type\": \"user\", \"title\": \"y\", \"provider\": "
          "\"useradd\", \"attributes\": {\"uid\": \"x\"}}], \"list\": []}",
          "user[y].uid expects an Integer" },
        { "{\"catalog\": 1, \"resources\": [{\"type\": \"user\", \"title\": \"y\", \"provider\": "
          "\"useradd\", \"attributes\": {\"extra\": {\"$new\": 1}}}], \"list\": []}",
          "unknown mark '$new'" },
        { "{\"catalog\": 1, \"resources\": [], \"list\": [{\"resource\": \"user[q]\", \"action\": "
          "\"converge\"}]}",
          "user[q] is not in 'resources'" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_complaints_clear(&f->complaints);
        assert_refuses(f, cases[i].text, cases[i].says);
    }
}

static void
many_mistakes_are_counted_and_do_not_take_long(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct fixture *f = *state;

    rh_buf_add(&b, "resources:\n");
    for (int i = 0; i < 20000; i++)
        rh_buf_addf(&b, "- user: user-number-%d\n  require: user[user-nubmer-%d]\n", i, i);
    assert_refuses(f, rh_buf_text(&b), "and 19900 more");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_entry_declares_a_resource_with_its_attributes),
        CASE(json_is_a_manifest_too),
        CASE(the_type_need_not_stand_first),
        CASE(a_word_that_is_a_type_may_be_an_attribute_of_another),
        CASE(attributes_that_are_words_of_other_types_load_no_type),
        CASE(a_list_of_titles_is_that_many_resources),
        CASE(a_title_is_the_text_as_written),
        CASE(what_comes_of_a_manifest_has_a_budget),
        CASE(an_instance_whose_edit_is_refused_is_named),
        CASE(title_patterns_name_the_resource),
        CASE(attributes_may_be_named_like_words_that_are_our_own),
        CASE(nothing_in_a_file_is_fine),
        CASE(noop_and_action_are_noted),
        CASE(attributes_of_a_type_go_before_keywords),
        CASE(the_provider_is_looked_up_by_name),
        CASE(append_and_remove_reach_the_catalog),
        CASE(an_escaped_dollar_is_a_dollar),
        CASE(an_alias_is_read_by_each_attribute_on_its_own),
        CASE(all_mistakes_are_reported_at_once),
        CASE(all_files_are_read_whatever_is_wrong_with_one),
        CASE(misspelt_words_are_guessed),
        CASE(a_slip_in_the_type_makes_no_type_of_an_attribute),
        CASE(two_types_in_one_entry_are_refused),
        CASE(one_mistake_is_one_complaint),
        CASE(a_type_that_is_refused_says_why),
        CASE(a_title_must_be_there_and_be_text),
        CASE(what_is_wrong_with_shared_attributes_is_said_once),
        CASE(entries_must_be_hashes),
        CASE(expressions_are_read_wherever_they_stand),
        CASE(references_have_a_form),
        CASE(actions_are_those_of_the_type),
        CASE(noop_is_a_boolean),
        CASE(duplicates_show_both_places),
        CASE(what_was_refused_is_no_second_error_for_relations),
        CASE(after_a_file_that_cannot_be_read_relations_are_not_judged),
        CASE(read_only_attributes_are_refused),
        CASE(no_complaint_shows_a_secret),
        CASE(sensitive_marks_what_it_names),
        CASE(a_compiled_catalog_reads_back_as_it_was),
        CASE(a_compiled_catalog_holds_no_secret_and_says_which_is_missing),
        CASE(a_compiled_catalog_is_held_against_the_types),
        CASE(many_mistakes_are_counted_and_do_not_take_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
