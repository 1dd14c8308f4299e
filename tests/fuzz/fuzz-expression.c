/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-expression - any text as what stands behind "${": its end is found, and what is in front of
 * that evaluated within small limits. It says the same twice, a problem has a message and a place
 * within the text, and Lua agrees on where the expression ends: what compiles alone has no end
 * within. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "script/script.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool ok, const char *what, const char *text, size_t n)
{
    if (ok)
        return;
    fprintf(stderr, "%s:\n%.*s\n", what, (int)n, text);
    abort();
}

static struct rh_value *
scope_of(struct rh_arena *a)
{
    static const char text[] = "{\"each\": {\"key\": \"bob\", \"value\": {\"groups\": [\"a\", \"b\"]}},"
                               " \"web\": {\"port\": 80, \"ratio\": 1.5, \"on\": true, \"none\": null}}";
    struct rh_value *scope = rh_value_from_json(a, text, sizeof text - 1, NULL), *secret;

    if (!scope)
        abort();
    secret = rh_value_string(a, "correct horse battery staple");
    secret->marks |= RH_SENSITIVE;
    rh_value_put(scope, "secret", secret);
    rh_value_put(scope, "later", rh_value_new(a, RH_UNKNOWN));
    return scope;
}

/* What came out, as text: the value, or the problem. */
static void
evaluate(struct rh_script *s, const char *text, size_t n, const struct rh_value *scope, struct rh_buf *out)
{
    struct rh_error p = { 0 };
    struct rh_value *v = rh_script_evaluate(s, text, n, scope, 1, &p);

    if (v) {
        check(!p.message, "a value and a problem", text, n);
        rh_value_to_json(out, v, false);
        return;
    }
    check(p.message && *p.message, "no value and no problem", text, n);
    check(p.at <= n, "a problem behind the end", text, n);
    check(!strstr(p.message, "correct horse") || memmem(text, n, "correct", 7), "a secret is shown", text, n);
    check(!strchr(p.message, '\x01') || memchr(text, '\x01', n) || memchr(text, '\\', n),
          "a mark of ours is shown", text, n);
    rh_buf_addf(out, "%zu %s", p.at, p.message);
    rh_error_clear(&p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf first = { 0 }, again = { 0 };
    struct rh_sources sources = { 0 };
    const struct rh_value *scope = scope_of(a);
    const char *text = (const char *)data;
    size_t end = rh_script_expression_end(text, size), n = end == SIZE_MAX ? size : end;
    struct rh_script *s;

    check(end == SIZE_MAX || text[end] == '}', "the end is not a brace", text, size);
    rh_sources_add(&sources, "site.yaml", "", 0);
    s = rh_script_new(&(struct rh_script_options){
        .arena = a,
        .sources = &sources,
        .limits = { .instructions = 200000, .memory = 8 << 20, .output = 1 << 20 },
    });
    evaluate(s, text, n, scope, &first);
    evaluate(s, text, n, scope, &again);
    /* What is kept from the first time makes the second one cheaper. */
    if (!strstr(rh_buf_text(&first), "too m") && !strstr(rh_buf_text(&again), "too m"))
        check(strcmp(rh_buf_text(&first), rh_buf_text(&again)) == 0, "says something else", text, n);
    rh_script_free(s);
    rh_sources_clear(&sources);
    return 0;
}
