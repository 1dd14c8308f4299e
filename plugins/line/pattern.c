/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - regular expressions as data types have them, by the same library, and with an end to
 * what one match may cost. regexec(3) knows no such end, nor \d or \s everywhere. */

#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MOST_STEPS = 1000000, MOST_DEPTH = 100000, MOST_MEMORY = 65536 /* KiB */ };

#ifdef PCRE2_MATCH_INVALID_UTF /* a line in another encoding is no reason to fail */
enum { OPTIONS = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C };
#else
enum { OPTIONS = PCRE2_NEVER_BACKSLASH_C };
#endif

/* A text is known to be UTF-8 or not: to have each match of it look at all of it once more would take for
 * ever. */
static pcre2_code *
compile_text(const char *text, size_t len, enum pattern_how how, int *number, PCRE2_SIZE *at)
{
    uint32_t options = PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (how == PATTERN_TEXT ? PCRE2_UTF : 0u);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;

    *number = PCRE2_ERROR_NOMEMORY;
    if (context && pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF) == 0)
        code = pcre2_compile((PCRE2_SPTR)text, len, options, number, at, context);
    pcre2_compile_context_free(context);
    return code;
}

int
pattern_init(struct pattern *p, const char *text, enum pattern_how how, char *why, size_t size)
{
    PCRE2_SIZE at = 0;
    int number = 0;
    size_t used;

    memset(p, 0, sizeof *p);
    if (!text)
        return 0;
    p->text = text;
    p->len = strlen(text);
    if (how == PATTERN_LITERAL)
        return 0;
    p->code = how == PATTERN_REGEX ? pcre2_compile((PCRE2_SPTR)text, p->len, OPTIONS, &number, &at, NULL)
                                   : compile_text(text, p->len, how, &number, &at);
    if (p->code) {
        p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
        p->limits = pcre2_match_context_create(NULL);
        if (p->data && p->limits && pcre2_set_match_limit(p->limits, MOST_STEPS) == 0
            && pcre2_set_depth_limit(p->limits, MOST_DEPTH) == 0
            && pcre2_set_heap_limit(p->limits, MOST_MEMORY) == 0)
            return 0;
        snprintf(why, size, "out of memory");
    } else {
        snprintf(why, size, "'%s' is not a regular expression: ", text);
        used = strlen(why);
        if (pcre2_get_error_message(number, (PCRE2_UCHAR *)why + used, size - used) < 0)
            why[used] = '\0';
        used = strlen(why);
        snprintf(why + used, size - used, " at character %zu", (size_t)at + 1);
    }
    pattern_clear(p);
    return -1;
}

void
pattern_clear(struct pattern *p)
{
    pcre2_match_context_free(p->limits);
    pcre2_match_data_free(p->data);
    pcre2_code_free(p->code);
    memset(p, 0, sizeof *p);
}

int
pattern_matches(const struct pattern *p, const char *line, size_t len)
{
    int rc;

    if (!p->text)
        return 0;
    if (!p->code)
        return p->len == len && memcmp(p->text, line, len) == 0;
    rc = pcre2_match(p->code, (PCRE2_SPTR)line, len, 0, 0, p->data, p->limits);
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT)
        return -1;
    return rc >= 0;
}
