/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-problem - why text is not YAML, in words that say what to do.
 *
 * libyaml says what it did not find, and where it gave up. What was meant can mostly be told from
 * the character and the line there. A handler that does not recognise its case leaves it to the
 * table's own words. */
#include "config.h"

#include "manifest/text/yaml-parts.h"
#include "manifest/text/yaml.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/resembles-secret.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct problem {
    const yaml_parser_t *parser;
    const char *text; /* all of it */
    size_t n;
    unsigned file;
    struct rh_complaints *complaints;
    struct rh_place place, context;
    const char *line;    /* on which it happened */
    size_t length, at;   /* of the line; of the place in it, in bytes */
    size_t context_line; /* from 1 */
};

static struct rh_place
place_at(unsigned file, size_t line, size_t column)
{
    return (struct rh_place){
        .line = (uint32_t)line + 1,
        .column = (uint16_t)(column < UINT16_MAX ? column + 1 : UINT16_MAX),
        .file = (uint16_t)file,
    };
}

static struct rh_place
place_of_byte(unsigned file, const char *text, size_t at)
{
    size_t line = 0, start = 0;

    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    return place_at(file, line, rh_utf8_count(text + start, at - start));
}

int
rh_yaml_check_text(const char *text, size_t n, unsigned file, struct rh_complaints *complaints)
{
    size_t at = 0;

    if (rh_utf8_valid(text, n))
        return 0;
    while (at < n) {
        size_t len = rh_utf8_length(text + at, n - at);

        if (!len)
            break;
        at += len;
    }
    if (n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        rh_complain(complaints, place_of_byte(file, text, at), "convert it: iconv -f UTF-16 -t UTF-8",
                    "the file is UTF-16; manifests and recipes must be UTF-8");
    else
        rh_complain(complaints, place_of_byte(file, text, at),
                    "convert it, for example: iconv -f ISO-8859-1 -t UTF-8", "invalid UTF-8: byte 0x%02x",
                    (unsigned char)text[at]);
    return -1;
}

/* What happened on the line before the place. */

static size_t
first_text(const struct problem *p)
{
    size_t i = 0;

    while (i < p->length && p->line[i] == ' ')
        i++;
    return i;
}

static bool
is_first_on_line(const struct problem *p)
{
    return first_text(p) >= p->at;
}

/* The character at the place as text that can be shown. */
static void
name_character(const struct problem *p, char *out, size_t size)
{
    size_t len = p->at < p->length ? rh_utf8_length(p->line + p->at, p->length - p->at) : 0;

    if (!len || len >= size)
        len = 0;
    memcpy(out, p->line + p->at, len);
    out[len] = '\0';
}

static void
bad_start(const struct problem *p)
{
    char c[8];

    name_character(p, c, sizeof c);
    if (strcmp(c, "\t") == 0)
        rh_complain(p->complaints, p->place, "indent with spaces",
                    "YAML does not allow tabs for indentation");
    else
        rh_complain(p->complaints, p->place, "quote the text", "text cannot start with '%s' in YAML", c);
}

/* Whether there is a "${" before the place. */
static bool
has_expression(const struct problem *p)
{
    return p->at && memmem(p->line, p->at, "${", 2);
}

static void
second_colon(const struct problem *p)
{
    const char *colon = memchr(p->line, ':', p->at);

    if (colon && !is_first_on_line(p))
        rh_complain(p->complaints, p->place,
                    has_expression(p) ? "quote all of the value: '${...}'"
                                      : "quote the text after the first ':'",
                    "unquoted text must not contain ': '");
    else if (!rh_yaml_missing_space(p->text, p->n, p->place.line, p->file, p->complaints))
        rh_complain(p->complaints, p->place, "align this key with the others of its entry",
                    "this line is indented too deep: the key above it already has a value");
}

static void
no_key(const struct problem *p)
{
    char c[8];

    name_character(p, c, sizeof c);
    if (p->at >= p->length && p->place.line == p->context.line)
        return;
    if (strcmp(c, ":") == 0) {
        rh_complain(p->complaints, p->place, "write the key before the ':'", "missing key");
        return;
    }
    if (is_first_on_line(p) && rh_yaml_missing_space(p->text, p->n, p->place.line, p->file, p->complaints))
        return;
    if (!is_first_on_line(p))
        rh_complain(p->complaints, p->place,
                    has_expression(p) ? "quote all of the value; texts in an expression stand in the "
                                        "other kind of quotes: \"${upper('x')}\""
                                      : "quote all of the text, or none of it",
                    "text after the end of a value");
    else if (strcmp(c, "-") == 0)
        rh_complain(p->complaints, p->place, "align it with the '-' of the other items",
                    "a list item among the keys of a hash");
    else
        rh_complain(p->complaints, p->place, "keys of one hash start in the same column",
                    "expected a key in column %u, like the one in line %u", p->context.column,
                    p->context.line);
    if (is_first_on_line(p))
        rh_complain_also(p->complaints, p->context, "the hash starts here");
}

static void
no_dash(const struct problem *p)
{
    if (rh_yaml_missing_space(p->text, p->n, p->place.line, p->file, p->complaints))
        return;
    rh_complain(p->complaints, p->place,
                "items of a list start with '- ', and what belongs to an item is indented deeper",
                "expected '-' in column %u, like the one in line %u", p->context.column, p->context.line);
    rh_complain_also(p->complaints, p->context, "the list starts here");
}

static void
no_colon(const struct problem *p)
{
    rh_complain(p->complaints, p->context, "write 'key: value', with a space after the colon",
                "missing ':' after a key");
}

/* file[/x] inside of [...]: the most usual slip of all. */
static void
no_comma(const struct problem *p)
{
    bool list = strchr(p->parser->problem, ']') != NULL;
    size_t word = p->at;

    while (word && (p->line[word - 1] == '_' || rh_is_name((char[]){ p->line[word - 1], '\0' })))
        word--;
    if (p->at < p->length && p->line[p->at] == '[' && word < p->at
        && !rh_place_resembles_secret(p->text, p->n, (size_t)(p->line - p->text))) {
        const char *close = memchr(p->line + p->at, ']', p->length - p->at);
        size_t end = close ? (size_t)(close - p->line) + 1 : p->length;
        rh_autofree char *hint =
            rh_printf("quote a reference inside [...]: \"%.*s\"", (int)(end - word), p->line + word);

        rh_complain(p->complaints, p->place, hint, "expected ',' or ']'");
        return;
    }
    if (p->at && p->at < p->length && p->line[p->at - 1] == '$' && p->line[p->at] == '{') {
        rh_complain(p->complaints, p->place,
                    list ? "quote an expression inside [...]: [\"${...}\"]"
                         : "quote an expression inside {...}: {key: \"${...}\"}",
                    list ? "expected ',' or ']'" : "expected ',' or '}'");
        return;
    }
    if (p->at < p->length && p->place.line == p->context.line) {
        rh_complain(p->complaints, p->place, "quote text that contains ',', ':', brackets or quotes",
                    list ? "expected ',' or ']'" : "expected ',' or '}'");
        return;
    }
    rh_complain(p->complaints, p->context, list ? "close it with ']'" : "close it with '}'",
                list ? "the list that starts here is not closed" : "the hash that starts here is not closed");
    rh_complain_also(p->complaints, p->place, list ? "expected ',' or ']' here" : "expected ',' or '}' here");
}

static void
open_quote(const struct problem *p)
{
    if (!p->parser->context || !strstr(p->parser->context, "quoted"))
        return;
    rh_complain(p->complaints, p->context, "close the quote; a ' within '...' is written ''",
                "the quote that opens here is not closed");
}

static void
bad_name(const struct problem *p)
{
    bool alias = p->parser->context && strstr(p->parser->context, "alias");

    rh_complain(p->complaints, p->context,
                alias ? "quote text that starts with '*'" : "quote text that starts with '&'",
                alias ? "missing name after '*', which starts an alias in YAML"
                      : "missing name after '&', which starts an anchor in YAML");
}

static void
bad_escape(const struct problem *p)
{
    rh_complain(p->complaints, p->place,
                "in double quotes '\\' starts an escape: write '\\\\', or use single quotes",
                "unknown escape in double quotes");
}

static void
bad_tag(const struct problem *p)
{
    rh_complain(p->complaints, p->context, "quote text that starts with '!'", "invalid tag after '!'");
}

static void
bad_block(const struct problem *p)
{
    if (p->parser->context && !strstr(p->parser->context, "block scalar"))
        return;
    rh_complain(p->complaints, p->context,
                "write the block on the lines below, or quote text that starts with '|' or '>'",
                "unexpected text after '|' or '>', which start a block of text");
}

static void
no_value(const struct problem *p)
{
    if (p->line + p->at < p->text + p->n)
        return;
    rh_complain(p->complaints, p->place, "a '[', '{' or quote that was opened may not be closed",
                "unexpected end of file: expected a value");
}

static const struct known {
    const char *problem;                      /* what libyaml's words contain */
    void (*explain)(const struct problem *p); /* or NULL; it may have nothing to say */
    const char *message, *hint;
} problems[] = {
    { "cannot start any token", bad_start, NULL, NULL },
    { "mapping values are not allowed", second_colon, NULL, NULL },
    { "did not find expected key", no_key, "expected a key and ':'", NULL },
    { "did not find expected '-' indicator", no_dash, NULL, NULL },
    { "could not find expected ':'", no_colon, NULL, NULL },
    { "did not find expected ',' or", no_comma, NULL, NULL },
    { "found unexpected end of stream", open_quote, "unexpected end of file", NULL },
    { "expected alphabetic or numeric", bad_name, NULL, NULL },
    { "unknown escape character", bad_escape, NULL, NULL },
    { "expected whitespace or line break", bad_tag, NULL, NULL },
    { "tag handle", bad_tag, NULL, NULL },
    { "expected tag URI", bad_tag, NULL, NULL },
    { "expected '>'", bad_tag, NULL, NULL },
    { "expected '!'", bad_tag, NULL, NULL },
    { "URI escaped", bad_tag, NULL, NULL },
    { "expected comment or line break", bad_block, "unexpected text", NULL },
    { "tab character", NULL, "YAML does not allow tabs for indentation", "indent with spaces" },
    { "block sequence entries are not allowed", NULL, "a list cannot start on the line of its key",
      "put each '- item' on a line of its own, or write [a, b]" },
    { "did not find expected node content", no_value, "missing value", NULL },
    { "expected <document start>", NULL, "text after the end of the manifest",
      "everything in a manifest belongs to one hash; check the indentation" },
    { "mapping keys are not allowed", NULL, "a key cannot start here", NULL },
    { "expected hexdecimal number", bad_escape, NULL, NULL },
    { "Unicode character escape", NULL, "invalid character in an escape",
      "characters beyond U+FFFF are written as they are, or as \\UXXXXXXXX" },
    { "unexpected document indicator", NULL, "'---' or '...' inside quoted text",
      "close the quote before it" },
    { "unknown directive", NULL, "text cannot start with a percent sign in YAML", "quote the text" },
    { "incompatible", NULL, "unsupported version of YAML", NULL },
};

static void
find_line(struct problem *p)
{
    const char *at = p->text, *end = p->text + p->n;

    for (unsigned i = 1; i < p->place.line; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        if (!newline)
            break;
        at = newline + 1;
    }
    p->line = at;
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    p->length = (size_t)(at - p->line);
    for (unsigned i = 1; i < p->place.column && p->at < p->length; i++)
        p->at += rh_utf8_length(p->line + p->at, p->length - p->at);
}

void
rh_yaml_problem(const yaml_parser_t *parser, const char *text, size_t n, unsigned file,
                struct rh_complaints *complaints)
{
    struct problem p = { .parser = parser, .text = text, .n = n, .file = file, .complaints = complaints };
    const char *reason = parser->problem ? parser->problem : "out of memory";
    size_t before = rh_complaints_count(complaints);

    if (parser->error == YAML_READER_ERROR) {
        size_t at = parser->problem_offset < n ? parser->problem_offset : n;

        if (strstr(reason, "control characters"))
            rh_complain(complaints, place_of_byte(file, text, at),
                        "in double quotes it can be written as an escape: \"\\e\", \"\\x07\"",
                        "control character 0x%02x is not allowed", (unsigned)parser->problem_value);
        else
            rh_complain(complaints, place_of_byte(file, text, at), NULL, "invalid YAML: %s", reason);
        return;
    }
    p.place = place_at(file, parser->problem_mark.line, parser->problem_mark.column);
    p.context = place_at(file, parser->context_mark.line, parser->context_mark.column);
    if (!parser->context)
        p.context = p.place;
    find_line(&p);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const struct known *k = &problems[i];

        if (!strstr(reason, k->problem))
            continue;
        if (k->explain)
            k->explain(&p);
        if (k->message && rh_complaints_count(complaints) == before)
            rh_complain(complaints, p.place, k->hint, "%s", k->message);
        if (rh_complaints_count(complaints) != before)
            return;
    }
    rh_complain(complaints, p.place, NULL, "invalid YAML: %s%s%s", reason, parser->context ? " " : "",
                parser->context ? parser->context : "");
}
