/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-datatype - type text on the first line, behind it a value in JSON, tagged ones among it, or
 * text: reads, prints, reads again, matches and explains. What is printed must read as a type that
 * prints the same. All of it is also tried as a file of data types. */
#include "config.h"

#include "datatype/alias.h"
#include "datatype/datatype.h"
#include "datatype/infer.h"
#include "datatype/match.h"
#include "datatype/normalize.h"
#include "datatype/tagged.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool ok, const char *what, const char *a, const char *b)
{
    if (ok)
        return;
    fprintf(stderr, "%s:\n  %s\n  %s\n", what, a, b);
    abort();
}

static const struct rh_aliases *
declare(struct rh_arena *a)
{
    static const char *const known[][2] = {
        { "A", "Variant[String, Array[A], B]" },
        { "B", "Struct[{Optional[a] => A, b => Optional[B]}]" },
    };
    struct rh_aliases *s = rh_aliases_new(a);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        check(rh_aliases_declare(s, known[i][0], known[i][1], NULL) == 0, "alias", "", "");
    check(rh_aliases_resolve(s, NULL) == 0, "aliases", "", "");
    return s;
}

static void
try_value(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v, const char *text)
{
    rh_autobuf struct rh_buf why = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    enum rh_fit fit = rh_datatype_fit(t, v);
    const struct rh_value *read;

    rh_datatype_explain(t, "x", v, &why);
    check((fit == RH_FITS) == !why.n, "explained, or not", text, rh_buf_text(&why));
    check(fit != RH_UNDECIDED || strstr(rh_buf_text(&why), "too many steps"), "undecided, unsaid", text,
          rh_buf_text(&why));
    check(rh_utf8_valid(rh_buf_text(&why), why.n), "not UTF-8", text, rh_buf_text(&why));
    read = rh_datatype_read(a, t, "x", v, &err);
    check(!read == (err.message != NULL), "read, and refused", text, "");
    (void)rh_infer(a, v);
}

/* Text read by the type fits it. */
static void
try_text(struct rh_arena *a, const struct rh_datatype *t, const char *type, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = rh_datatype_from_text(a, t, "x", text, &err);

    if (v)
        check(rh_datatype_fit(t, v) != RH_MISFITS, "read what does not fit", type, text);
    else
        check(err.message && rh_utf8_valid(err.message, strlen(err.message)), "no reason", type, text);
}

static void
try_file(struct rh_arena *a, const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_aliases *s = rh_aliases_new(a), *again;
    struct rh_value *v;

    if (rh_aliases_read(s, "x.types", text, n, &err) < 0 || rh_aliases_resolve(s, &err) < 0) {
        check(err.message && strncmp(err.message, "x.types:", 8) == 0, "no place", text,
              err.message ? err.message : "");
        return;
    }
    v = rh_aliases_to_value(a, s);
    again = rh_aliases_from_value(a, v, &err);
    check(again != NULL, "does not come back", text, err.message ? err.message : "");
    check(rh_value_equal(v, rh_aliases_to_value(a, again)), "comes back otherwise", text, "");
}

static void
try_type(struct rh_arena *a, const struct rh_aliases *aliases, const char *text, struct rh_value *v,
         const char *rest)
{
    rh_autobuf struct rh_buf once = { 0 };
    rh_autobuf struct rh_buf twice = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = rh_datatype_parse(a, aliases, text, &err), *again;

    if (!t) {
        check(err.message != NULL, "refused without a reason", text, "");
        check(err.at <= strlen(text), "refused beyond its end", text, err.message);
        return;
    }
    rh_datatype_print(t, &once);
    again = rh_datatype_parse(a, aliases, rh_buf_text(&once), &err);
    check(again != NULL, "does not read again", text, rh_buf_text(&once));
    rh_datatype_print(again, &twice);
    check(strcmp(rh_buf_text(&once), rh_buf_text(&twice)) == 0, "prints otherwise", rh_buf_text(&once),
          rh_buf_text(&twice));
    (void)rh_assignable(t, again);
    if (rest)
        try_text(a, t, text, rest);
    if (rh_datatype_fit(t, v) == RH_UNDECIDED)
        return;
    check(rh_datatype_match(t, v) == rh_datatype_match(rh_normalize(a, t), v),
          "matches otherwise when normalized", text, "");
    if (!v)
        return;
    check(rh_datatype_match(t, v) == rh_datatype_match(again, v), "matches otherwise", text,
          rh_buf_text(&once));
    try_value(a, t, v, text);
    v->marks |= RH_SENSITIVE;
    try_value(a, t, v, text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    size_t n = line ? (size_t)(line - data) : size;
    rh_autofree char *text = rh_xstrndup((const char *)data, n);
    rh_autofree char *all = rh_xstrndup((const char *)data, size);
    const char *rest = strchr(all, '\n');
    struct rh_value *v = NULL;

    if (line)
        v = rh_value_from_json(a, (const char *)line + 1, size - n - 1, NULL);
    if (v)
        v = rh_value_untag(a, v, NULL);
    rest = rest && rh_utf8_valid(rest + 1, strlen(rest + 1)) ? rest + 1 : NULL;
    try_type(a, declare(a), text, v, rest);
    try_file(a, all, strlen(all));
    return 0;
}
