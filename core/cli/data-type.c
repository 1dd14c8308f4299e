/* SPDX-License-Identifier: Apache-2.0 */
/* data-type - rhost data-type TYPE [VALUE]: what a data type is, and whether a value fits it.
 *
 * One question is a type with or without a value; --batch reads many of them, a JSON hash a line,
 * and gives each its answer before it waits for more. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/data-type-batch.h"
#include "datatype/alias.h"
#include "datatype/datatype.h"
#include "datatype/tagged.h"

#include <stdio.h>
#include <string.h>

/* The type, or NULL after showing where it can't be read. */
static const struct rh_datatype *
read_type(struct rh_arena *a, const struct rh_aliases *aliases, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = NULL;
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_place place = { .line = 1, .column = 1 };
    unsigned line, column;

    if (!rh_utf8_valid(text, strlen(text)))
        rh_error_set(&err, RH_EINPUT, "it is not UTF-8");
    else
        t = rh_datatype_parse(a, aliases, text, &err);
    if (!t) {
        place.file = (uint16_t)rh_sources_add(&sources, "TYPE", text, strlen(text));
        rh_alias_place(text, err.at, &line, &column);
        place.line = line;
        place.column = column < UINT16_MAX ? (uint16_t)column : UINT16_MAX;
        rh_complain_error(&complaints, place, NULL, &err);
        rh_complaints_print(&complaints, stderr, false);
    }
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return t;
}

static int
print_answer(const struct rh_settings *settings, const struct rh_value *answer)
{
    rh_autobuf struct rh_buf text = { 0 };
    const struct rh_value *instance = rh_value_get(answer, "instance");
    bool fits = !instance || instance->u.integer;

    if (rh_value_get(answer, "error")) {
        rh_log(RH_ERR, "%s", rh_value_get_str(answer, "error", ""));
        return RH_EXIT_FAILED;
    }
    if (settings->format == RH_FORMAT_JSON)
        rh_value_to_json(&text, answer, false);
    else if (!instance)
        rh_buf_add(&text, rh_value_get_str(answer, "type", ""));
    else if (!fits)
        rh_buf_add(&text, rh_value_get_str(answer, "message", ""));
    else
        rh_buf_add(&text, "it fits");
    if (fits && instance && settings->text && settings->format == RH_FORMAT_TEXT) {
        rh_buf_add(&text, ", as ");
        rh_value_show(&text, rh_value_get(answer, "value"), 0);
    }
    if (!settings->quiet || settings->format == RH_FORMAT_JSON || !instance || !fits)
        (void)puts(rh_buf_text(&text));
    return fits ? RH_EXIT_OK : RH_EXIT_REFUSED;
}

static int
answer_one(const struct rh_settings *settings, struct rh_arena *a, const struct rh_aliases *aliases,
           const char *type, const char *json)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_type_question q = { .type = read_type(a, aliases, type), .subject = "" };

    if (!q.type)
        return RH_EXIT_REFUSED;
    if (json) {
        q.value = rh_value_from_json(a, json, strlen(json), &err);
        if (q.value)
            q.value = rh_value_untag(a, q.value, &err);
        if (!q.value) {
            rh_autoerror struct rh_error whole = { 0 };

            (void)rh_error_set(&whole, RH_EINPUT, "cannot read the value '%.200s': %s", json, err.message);
            whole.hint = rh_take(&err.hint);
            rh_log_error(RH_ERR, &whole);
            return RH_EXIT_REFUSED;
        }
    }
    q.text = settings->text;
    return print_answer(settings, rh_type_question_answer(a, &q));
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_aliases *aliases = NULL;

    if (settings->batch && (argc > 0 || settings->text))
        return rh_usage_error(
            &rh_command_data_type,
            "--batch reads types and values from standard input: remove the arguments and --text");
    if (!settings->batch && (argc < 1 || argc > 2))
        return rh_usage_error(&rh_command_data_type, "expected a TYPE, and optionally a value in JSON");
    if (settings->text && argc > 1)
        return rh_usage_error(&rh_command_data_type, "expected one value: as an argument, or with --text");
    if (settings->aliases) {
        aliases = rh_aliases_load(a, settings->aliases, &err);
        if (!aliases) {
            rh_log_error(RH_ERR, &err);
            return RH_EXIT_REFUSED;
        }
    }
    if (settings->batch)
        return rh_data_type_batch(aliases);
    return answer_one(settings, a, aliases, argv[0], argc > 1 ? argv[1] : NULL);
}

const struct rh_command rh_command_data_type = {
    .name = "data-type",
    .arguments = "[TYPE [VALUE-AS-JSON]]",
    .summary = "check a value against a data type",
    .text = "Without a value, prints the canonical text of the type.\n"
            "Exit status: 0 when the value fits, 1 when it does not or cannot be read.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_DATA_TYPE,
    .run = run,
};
