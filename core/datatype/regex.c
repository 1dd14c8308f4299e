/* SPDX-License-Identifier: Apache-2.0 */
/* regex - patterns as Ruby reads them, matched by PCRE2 within limits. */
#include "config.h"

#include "datatype/regex.h"

#include "datatype/ruby-regex.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

/* What one search may cost: steps and KiB, and more of both for each byte of a long text. A pattern
 * that goes wrong (/(a+)+$/) reaches this within some hundredths of a second, where without it
 * years would pass. JIT_AFTER: compiling to machine code pays off for a pattern that is used again
 * and again, which most are not. */
enum {
    STEPS = 500000,
    STEPS_PER_BYTE = 10,
    HEAP = 16 * 1024,
    BYTES_PER_KIB = 2,
    MOST_HEAP = 64 * 1024,
    MOST_BYTES = 100 * 1000 * 1000,
    LONGEST_PATTERN = 64 * 1024,
    NESTED_PARENS = 100,
    LARGEST_CODE = 128 * 1024,
    JIT_AFTER = 32,
};

struct rh_regex {
    const char *source;
    size_t n;
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    unsigned *used; /* searches so far, up to JIT_AFTER */
};

static void
free_regex(void *data)
{
    struct rh_regex *r = data;

    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->data);
    pcre2_code_free(r->code);
}

static pcre2_code *
compile(const char *pattern, size_t n, int *number, PCRE2_SIZE *at)
{
    pcre2_compile_context *c = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;

    *number = 0;
    *at = 0;
    if (!c)
        return NULL;
    if (pcre2_set_newline(c, PCRE2_NEWLINE_LF) == 0 && pcre2_set_bsr(c, PCRE2_BSR_UNICODE) == 0
        && pcre2_set_max_pattern_length(c, LONGEST_PATTERN) == 0
        && pcre2_set_parens_nest_limit(c, NESTED_PARENS) == 0)
        code = pcre2_compile((PCRE2_SPTR)pattern, n,
                             PCRE2_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_DUPNAMES, number,
                             at, c);
    pcre2_compile_context_free(c);
    return code;
}

static bool
set_limits(const struct rh_regex *r, size_t n)
{
    uint32_t bytes = n < MOST_BYTES ? (uint32_t)n : MOST_BYTES;
    uint32_t steps = STEPS + bytes * STEPS_PER_BYTE, heap = HEAP + bytes / BYTES_PER_KIB;

    return pcre2_set_match_limit(r->limits, steps) == 0 && pcre2_set_depth_limit(r->limits, steps) == 0
           && pcre2_set_heap_limit(r->limits, heap < MOST_HEAP ? heap : MOST_HEAP) == 0;
}

/* The first search makes room for its steps; done here, so that matching takes no memory. */
static int
prepare(struct rh_regex *r)
{
    r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->data || !r->limits || !set_limits(r, 0))
        return -1;
    (void)pcre2_match(r->code, (PCRE2_SPTR) "", 0, 0, 0, r->data, r->limits);
    return 0;
}

const struct rh_regex *
rh_regex_new(struct rh_arena *a, const char *source, size_t n, struct rh_error *err)
{
    rh_autobuf struct rh_buf pattern = { 0 };
    struct rh_regex *r;
    PCRE2_SIZE at;
    size_t size = 0;
    int number;

    if (rh_ruby_regex(source, n, &pattern, err) < 0)
        return NULL;
    r = rh_arena_alloc(a, sizeof *r);
    r->source = rh_arena_strndup(a, source, n);
    r->n = n;
    r->used = rh_arena_alloc(a, sizeof *r->used);
    rh_arena_defer(a, free_regex, r);
    r->code = compile(rh_buf_text(&pattern), pattern.n, &number, &at);
    if (!r->code) {
        unsigned char text[160] = "out of memory";

        if (number)
            (void)pcre2_get_error_message(number, text, sizeof text);
        rh_error_set(err, RH_EINPUT, "bad pattern: %s", (char *)text);
        if (err)
            err->at = at < n ? at : n; /* of the rewritten pattern: nearly always the same byte */
        return NULL;
    }
    if (pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &size) != 0 || size > LARGEST_CODE) {
        rh_error_set(err, RH_EINPUT, "bad pattern: regular expression is too large");
        return NULL;
    }
    if (prepare(r) < 0) {
        rh_error_set(err, RH_ESYSTEM, "cannot prepare a pattern: out of memory");
        return NULL;
    }
    return r;
}

enum rh_regex_result
rh_regex_match(const struct rh_regex *r, const char *s, size_t n)
{
    int rc;

    if (!set_limits(r, n))
        return RH_REGEX_LIMIT;
    if (*r->used < JIT_AFTER && ++*r->used == JIT_AFTER)
        (void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* without it we are only slower */
    rc = pcre2_match(r->code, (PCRE2_SPTR)s, n, 0, 0, r->data, r->limits);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(r->code, (PCRE2_SPTR)s, n, 0, PCRE2_NO_JIT, r->data, r->limits);
    if (rc >= 0)
        return RH_REGEX_YES;
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT)
        return RH_REGEX_LIMIT;
    return RH_REGEX_NO;
}

const char *
rh_regex_source(const struct rh_regex *r, size_t *n)
{
    if (n)
        *n = r->n;
    return r->source;
}

bool
rh_regex_same(const struct rh_regex *a, const struct rh_regex *b)
{
    if (!a || !b)
        return a == b;
    return a->n == b->n && memcmp(a->source, b->source, a->n) == 0;
}

/* Entry i of the table of names: two bytes of group number, then the name. */
static const unsigned char *
name_entry(const struct rh_regex *r, size_t i)
{
    PCRE2_SPTR table = NULL;
    uint32_t size = 0;

    if (i >= rh_regex_groups(r) || pcre2_pattern_info(r->code, PCRE2_INFO_NAMETABLE, &table) != 0
        || pcre2_pattern_info(r->code, PCRE2_INFO_NAMEENTRYSIZE, &size) != 0)
        return NULL;
    return table + i * size;
}

size_t
rh_regex_groups(const struct rh_regex *r)
{
    uint32_t n = 0;

    return pcre2_pattern_info(r->code, PCRE2_INFO_NAMECOUNT, &n) == 0 ? n : 0;
}

const char *
rh_regex_group_name(const struct rh_regex *r, size_t i)
{
    const unsigned char *entry = name_entry(r, i);

    return entry ? (const char *)entry + 2 : "";
}

bool
rh_regex_group(const struct rh_regex *r, const char *s, size_t i, const char **at, size_t *n)
{
    const unsigned char *entry = name_entry(r, i);
    const PCRE2_SIZE *where = pcre2_get_ovector_pointer(r->data);
    size_t number = entry ? (size_t)entry[0] << 8 | entry[1] : 0;

    if (!entry || number >= pcre2_get_ovector_count(r->data) || where[2 * number] == PCRE2_UNSET)
        return false;
    *at = s + where[2 * number];
    *n = where[2 * number + 1] - where[2 * number];
    return true;
}
