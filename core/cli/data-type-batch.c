/* SPDX-License-Identifier: Apache-2.0 */
/* data-type-batch - questions about data types, and many of them on standard input. */
#include "config.h"

#include "cli/data-type-batch.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "datatype/datatype.h"
#include "datatype/tagged.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A type is compiled once for the lines that use it; MOST_TYPES later all are forgotten. */
enum { AT_ONCE = 64 * 1024, LONGEST_LINE = 64 << 20, MOST_TYPES = 4096 };

struct batch {
    const struct rh_aliases *aliases;
    struct rh_arena *types; /* what was compiled */
    struct rh_map known;    /* type texts to types */
    size_t n_known;
    struct rh_arena *line; /* what one line needs */
    struct rh_buf input;
    bool wrong; /* some line could not be answered */
};

static void
put_text(struct rh_value *answer, const char *key, const struct rh_buf *text)
{
    rh_value_put(answer, key, rh_value_stringn(rh_value_arena(answer), rh_buf_text(text), text->n));
}

static void
answer_text(struct rh_arena *a, const struct rh_type_question *q, struct rh_value *answer)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = rh_datatype_from_text(a, q->type, q->subject, q->text, &err);

    rh_value_put(answer, "instance", rh_value_boolean(a, v != NULL));
    rh_value_put(answer, "message", v ? rh_value_new(a, RH_UNDEF) : rh_value_string(a, err.message));
    if (v)
        rh_value_put(answer, "value", v);
}

struct rh_value *
rh_type_question_answer(struct rh_arena *a, const struct rh_type_question *q)
{
    struct rh_value *answer = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf text = { 0 };
    enum rh_fit fit;

    if (q->text) {
        answer_text(a, q, answer);
        return answer;
    }
    if (!q->value) {
        rh_datatype_print(q->type, &text);
        put_text(answer, "type", &text);
        return answer;
    }
    fit = rh_datatype_fit(q->type, q->value);
    if (fit != RH_FITS)
        rh_datatype_explain(q->type, q->subject, q->value, &text);
    if (fit == RH_UNDECIDED) {
        put_text(answer, "error", &text);
        return answer;
    }
    rh_value_put(answer, "instance", rh_value_boolean(a, fit == RH_FITS));
    if (fit == RH_FITS)
        rh_value_put(answer, "message", rh_value_new(a, RH_UNDEF));
    else
        put_text(answer, "message", &text);
    return answer;
}

static void
forget_types(struct batch *b)
{
    rh_map_clear(&b->known);
    rh_arena_free(b->types);
    b->types = rh_arena_new(NULL);
    b->n_known = 0;
}

static const struct rh_datatype *
find_type(struct batch *b, const char *text, struct rh_error *err)
{
    const struct rh_datatype *t = rh_map_get_const(&b->known, text);

    if (t)
        return t;
    if (b->n_known >= MOST_TYPES)
        forget_types(b);
    t = rh_datatype_parse(b->types, b->aliases, text, err);
    if (!t)
        return NULL;
    b->n_known++;
    (void)rh_map_put_const(&b->known, rh_arena_strdup(b->types, text), t);
    return t;
}

static struct rh_value *
refuse(struct batch *b, const struct rh_error *err)
{
    struct rh_value *answer = rh_value_new(b->line, RH_HASH);

    b->wrong = true;
    rh_value_put(answer, "error", rh_value_string(b->line, err->message));
    return answer;
}

/* What a line says becomes a question. */
static int
read_question(struct batch *b, const struct rh_value *line, struct rh_type_question *q, struct rh_error *err)
{
    const struct rh_value *type = rh_value_get(line, "type"), *value = rh_value_get(line, "value");
    const struct rh_value *text = rh_value_get(line, "text");

    if (!rh_value_is(line, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "expected a hash with 'type' and 'value'");
    if (!rh_value_is(type, RH_STRING) || strlen(type->u.string) != type->count)
        return rh_error_set(err, RH_EINPUT, type ? "'type' must be a string" : "missing key 'type'");
    if (text && (value || !rh_value_is(text, RH_STRING) || strlen(text->u.string) != text->count))
        return rh_error_set(err, RH_EINPUT,
                            value ? "'value' and 'text' exclude each other" : "'text' must be a string");
    q->subject = rh_value_get_str(line, "subject", "");
    q->text = rh_value_str(text, NULL);
    q->type = find_type(b, type->u.string, err);
    if (!q->type)
        return rh_error_prefix(err, "cannot parse the type at character %zu", err->at + 1);
    if (value) {
        q->value = rh_value_untag(b->line, value, err);
        if (!q->value)
            return rh_error_prefix(err, "cannot read the value");
    }
    return 0;
}

static void
answer_line(struct batch *b, const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_type_question q = { 0 };
    const struct rh_value *line = rh_value_from_json(b->line, text, n, &err), *answer;

    if (err.message || read_question(b, line, &q, &err) < 0)
        answer = refuse(b, &err);
    else
        answer = rh_type_question_answer(b->line, &q);
    b->wrong |= rh_value_get(answer, "error") != NULL;
    rh_value_to_json(&out, answer, false);
    rh_buf_addc(&out, '\n');
    (void)fwrite(out.s, 1, out.n, stdout);
    rh_arena_reset(b->line);
}

/* Answers the whole lines that have come, and with `end` what is left behind the last. */
static void
answer_lines(struct batch *b, bool end)
{
    const char *at = b->input.s, *newline;
    size_t left = b->input.n;

    while (left && (newline = memchr(at, '\n', left))) {
        size_t n = (size_t)(newline - at);

        answer_line(b, at, n);
        at += n + 1;
        left -= n + 1;
    }
    if (end && left) {
        answer_line(b, at, left);
        left = 0;
    }
    if (left && at != b->input.s)
        memmove(b->input.s, at, left);
    rh_buf_truncate(&b->input, left);
}

static int
read_lines(struct batch *b)
{
    char chunk[AT_ONCE];
    ssize_t n;

    for (;;) {
        /* Who asks line by line waits for the answer before asking on. */
        if (fflush(stdout) != 0)
            return -1;
        n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rh_log(RH_ERR, "cannot read standard input: %s", strerror(errno));
            return -1;
        }
        if (n == 0)
            break;
        rh_buf_addn(&b->input, chunk, (size_t)n);
        if (memchr(chunk, '\n', (size_t)n))
            answer_lines(b, false);
        if (b->input.n > LONGEST_LINE) {
            rh_log(RH_ERR, "a line is longer than %d MiB", LONGEST_LINE >> 20);
            return -1;
        }
    }
    answer_lines(b, true);
    return fflush(stdout);
}

int
rh_data_type_batch(const struct rh_aliases *aliases)
{
    struct batch b = { .aliases = aliases, .types = rh_arena_new(NULL), .line = rh_arena_new(NULL) };
    int rc = read_lines(&b);

    rh_map_clear(&b.known);
    rh_arena_free(b.types);
    rh_arena_free(b.line);
    rh_buf_clear(&b.input);
    if (rc != 0)
        return RH_EXIT_FAILED;
    return b.wrong ? RH_EXIT_REFUSED : RH_EXIT_OK;
}
