/* SPDX-License-Identifier: Apache-2.0 */
/* sarif - what is wrong with what was read, as a log in SARIF 2.1.0. The codes of messages are its rules,
 * with the explanations of `rhost explain` as their help. */
#include "config.h"

#include "cli/sarif.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/message-text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* {"text": "..."} */
static void
add_text(struct rh_buf *b, const char *key, const char *text)
{
    rh_json_key(b, key);
    rh_buf_addc(b, '{');
    rh_json_text(b, "text", text);
    rh_buf_addc(b, '}');
}

/* Rules: each code once, in the order in which they are first met. */

struct rules {
    const char **v;
    size_t n, cap;
};

static size_t
find_rule(struct rules *rules, const char *code)
{
    for (size_t i = 0; i < rules->n; i++)
        if (strcmp(rules->v[i], code) == 0)
            return i;
    rules->v = rh_xgrow(rules->v, &rules->cap, rules->n, sizeof *rules->v);
    rules->v[rules->n] = code;
    return rules->n++;
}

static void
add_rule(struct rh_buf *b, const char *code)
{
    struct rh_message_text text;

    rh_json_element(b);
    rh_buf_add(b, "\n     {");
    rh_json_text(b, "id", code);
    for (const char *at = rh_message_texts; (at = rh_message_text_next(at, &text));) {
        rh_autofree char *first = NULL;

        if (strcmp(text.code, code) != 0)
            continue;
        first = rh_printf("%.*s", (int)strcspn(text.wordings, "\n"), text.wordings);
        add_text(b, "shortDescription", first);
        add_text(b, "fullDescription", text.explanation);
        add_text(b, "help", text.explanation);
        break;
    }
    rh_buf_addc(b, '}');
}

/* Results. */

/* A path as a URI: a relative one stays relative. */
static void
add_uri(struct rh_buf *b, const char *path)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    rh_autobuf struct rh_buf uri = { 0 };
    const char *name = path + strcspn(path, "/");

    if (*path == '/')
        rh_buf_add(&uri, "file://");
    else if (memchr(path, ':', (size_t)(name - path))) /* else it looked like a scheme */
        rh_buf_add(&uri, "./");
    for (const char *p = path; *p; p++) {
        if (strchr(kept, *p))
            rh_buf_addc(&uri, *p);
        else
            rh_buf_addf(&uri, "%%%02X", (unsigned char)*p);
    }
    rh_json_text(b, "uri", rh_buf_text(&uri));
}

static int64_t
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *number = rh_value_get(v, key);

    return rh_value_is(number, RH_INTEGER) ? number->u.integer : 0;
}

static void
add_location(struct rh_buf *b, const struct rh_value *place)
{
    int64_t line = number_of(place, "line"), column = number_of(place, "column");

    rh_buf_add(b, "{\"physicalLocation\": {\"artifactLocation\": {");
    add_uri(b, rh_value_get_str(place, "file", ""));
    rh_buf_addc(b, '}');
    if (line > 0) {
        rh_json_key(b, "region");
        rh_buf_addc(b, '{');
        rh_json_number(b, "startLine", line);
        if (column > 0)
            rh_json_number(b, "startColumn", column);
        rh_buf_addc(b, '}');
    }
    rh_buf_add(b, "}}");
}

static void
add_result(struct rh_buf *b, struct rules *rules, const struct rh_value *finding)
{
    const char *code = rh_value_get_str(finding, "code", NULL);
    const char *hint = rh_value_get_str(finding, "hint", NULL);
    const struct rh_value *place = rh_value_get(finding, "location");
    rh_autobuf struct rh_buf message = { 0 };

    rh_buf_add(&message, rh_value_get_str(finding, "message", ""));
    if (hint)
        rh_buf_addf(&message, "\n%s", hint);
    if (number_of(finding, "more") > 0)
        rh_buf_addf(&message, "\nand %" PRId64 " more like it", number_of(finding, "more"));
    rh_json_element(b);
    rh_buf_add(b, "\n   {");
    if (code) {
        rh_json_text(b, "ruleId", code);
        rh_json_number(b, "ruleIndex", (int64_t)find_rule(rules, code));
    }
    rh_json_text(b, "level", rh_value_get_str(finding, "level", "error"));
    add_text(b, "message", rh_buf_text(&message));
    rh_json_key(b, "locations");
    rh_buf_addc(b, '[');
    if (rh_value_is(place, RH_HASH))
        add_location(b, place);
    rh_buf_add(b, "]}");
}

static bool
any_error(const struct rh_value *findings)
{
    for (size_t i = 0; i < rh_value_count(findings); i++)
        if (strcmp(rh_value_get_str(rh_value_at(findings, i), "level", "error"), "error") == 0)
            return true;
    return false;
}

void
rh_sarif_add(struct rh_buf *b, const struct rh_value *findings)
{
    rh_autobuf struct rh_buf results = { 0 };
    struct rules rules = { 0 };

    for (size_t i = 0; i < rh_value_count(findings); i++)
        add_result(&results, &rules, rh_value_at(findings, i));
    rh_buf_add(b,
               "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\": \"2.1.0\",\n"
               " \"runs\": [\n  {\"tool\": {\"driver\": {\"name\": \"rhost\"");
    rh_json_text(b, "version", PACKAGE_VERSION);
    rh_json_key(b, "rules");
    rh_buf_addc(b, '[');
    for (size_t i = 0; i < rules.n; i++)
        add_rule(b, rules.v[i]);
    rh_buf_add(b, "]}},\n   \"columnKind\": \"unicodeCodePoints\",\n   \"invocations\": [{");
    rh_json_boolean(b, "executionSuccessful", true);
    rh_json_number(b, "exitCode", any_error(findings));
    rh_buf_add(b, "}],\n   \"results\": [");
    rh_buf_add(b, rh_buf_text(&results));
    rh_buf_add(b, "]}]}\n");
    free(rules.v);
}
