/* SPDX-License-Identifier: Apache-2.0 */
/* rhost explain - what the code of a message means, and what to do. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/message-text.h"
#include "cli/refusal.h"

#include <stdio.h>
#include <string.h>

/* False after saying that there is no such code. */
static bool
find(const char *word, struct rh_message_text *e)
{
    char name[RH_CODE_NAME] = "";
    unsigned code = rh_message_code_read(word);
    struct rh_suggest near;

    (void)rh_message_code_name(code, name);
    rh_suggest_init(&near, code ? name : word);
    for (const char *at = rh_message_texts; (at = rh_message_text_next(at, e));) {
        if (rh_message_code_read(e->code) == code && code)
            return true;
        rh_suggest_try(&near, e->code);
    }
    rh_refuse_unknown(near.best,
                      strchr(word, '[') ? "'rhost why REF FILE...' explains a resource"
                                        : "'rhost explain --all' lists all codes",
                      "unknown code '%s'", word);
    return false;
}

static void
print_text(const struct rh_message_text *e)
{
    (void)printf("%s\n", e->code);
    for (const char *line = e->wordings, *end; (end = strchr(line, '\n')); line = end + 1)
        (void)printf("    %.*s\n", (int)(end - line), line);
    (void)printf("\n%s", e->explanation);
}

static void
add_json(struct rh_value *list, const struct rh_message_text *e)
{
    struct rh_arena *a = rh_value_arena(list);
    struct rh_value *v = rh_value_new(a, RH_HASH), *wordings = rh_value_new(a, RH_ARRAY);
    size_t n = strlen(e->explanation);

    while (n && e->explanation[n - 1] == '\n')
        n--;
    for (const char *line = e->wordings, *end; (end = strchr(line, '\n')); line = end + 1)
        rh_value_append(wordings, rh_value_stringn(a, line, (size_t)(end - line)));
    rh_value_put(v, "code", rh_value_string(a, e->code));
    rh_value_put(v, "messages", wordings);
    rh_value_put(v, "explanation", rh_value_stringn(a, e->explanation, n));
    rh_value_append(list, v);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    bool json = settings->format == RH_FORMAT_JSON;
    struct rh_message_text e;

    if (settings->all && argc)
        return rh_usage_error(&rh_command_explain, "'--all' lists all codes: do not name one");
    if (!settings->all && !argc)
        return rh_usage_error(&rh_command_explain, "no code given, such as RH1001");
    for (int i = 0; i < argc; i++)
        if (!find(argv[i], &e))
            return RH_EXIT_REFUSED;
    for (int i = 0; i < argc; i++) {
        (void)find(argv[i], &e);
        if (json)
            add_json(list, &e);
        else
            print_text(&e);
        if (!json && i + 1 < argc)
            (void)putchar('\n');
    }
    for (const char *at = rh_message_texts; settings->all && (at = rh_message_text_next(at, &e));) {
        if (json)
            add_json(list, &e);
        else
            (void)printf("%s  %.*s\n", e.code, (int)strcspn(e.wordings, "\n"), e.wordings);
    }
    if (json) {
        rh_autobuf struct rh_buf text = { 0 };

        rh_value_to_json_pretty(&text, list, false);
        (void)puts(rh_buf_text(&text));
    }
    return RH_EXIT_OK;
}

const struct rh_command rh_command_explain = {
    .name = "explain",
    .arguments = "CODE...",
    .summary = "explain the codes of messages",
    .text = "For each CODE, such as RH1001, it prints the messages that have it, when they appear and what "
            "to do.\n"
            "'rhost explain --all' lists all codes.\n",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_ALL,
    .run = run,
};
