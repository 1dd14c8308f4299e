/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-regex - a pattern on the first line, a subject behind it: the pattern is read as Ruby does,
 * compiled and searched for. It ends within its limits, says the same again and again (which is
 * when it is compiled to machine code), and finds its groups within the subject. */
#include "config.h"

#include "datatype/regex.h"
#include "datatype/ruby-regex.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool ok, const char *what, const char *pattern)
{
    if (ok)
        return;
    fprintf(stderr, "%s:\n  /%s/\n", what, pattern);
    abort();
}

static void
look_at_groups(const struct rh_regex *r, const char *pattern, const char *subject, size_t n)
{
    for (size_t i = 0; i < rh_regex_groups(r); i++) {
        const char *at;
        size_t len;

        check(*rh_regex_group_name(r, i) != '\0', "a group without its name", pattern);
        if (rh_regex_group(r, subject, i, &at, &len))
            check(at >= subject && at + len <= subject + n, "a group outside", pattern);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    size_t n = line ? (size_t)(line - data) : size, left = line ? size - n - 1 : 0;
    rh_autofree char *pattern = rh_xstrndup((const char *)data, n);
    rh_autofree char *subject = rh_xstrndup(line ? (const char *)line + 1 : "", left);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_regex *r;
    enum rh_regex_result first, again;

    /* Types and titles are UTF-8 before a pattern sees them. */
    if (!rh_utf8_valid(pattern, n) || !rh_utf8_valid(subject, left))
        return 0;
    r = rh_regex_new(a, pattern, n, &err);
    if (!r) {
        check(err.message != NULL, "refused without a reason", pattern);
        check(err.at <= n, "refused beyond its end", pattern);
        return 0;
    }
    check(rh_regex_same(r, r), "not the same as itself", pattern);
    first = rh_regex_match(r, subject, left);
    if (first == RH_REGEX_YES)
        look_at_groups(r, pattern, subject, left);
    if (first == RH_REGEX_LIMIT)
        return 0;
    for (int i = 0; i < AGAIN; i++) {
        again = rh_regex_match(r, subject, left);
        if (again == RH_REGEX_LIMIT)
            return 0;
        check(again == first, "says something else", pattern);
    }
    if (again == RH_REGEX_YES)
        look_at_groups(r, pattern, subject, left);
    return 0;
}
