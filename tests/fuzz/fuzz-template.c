/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-template - any text as a template, rendered within small limits. A text without a delimiter
 * comes out as it is; a problem has a message and a line that the template has. */
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

/* The file that every path names. */
static const char *
read_file(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    static const char text[] = "<{{ web.port }}{{ include('again') }}>";

    (void)data;
    (void)path;
    (void)from;
    (void)a;
    (void)err;
    *n = sizeof text - 1;
    return text;
}

static bool
has_tags(const char *text, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (text[i] == '{' && text[i + 1] && strchr("{%#", text[i + 1]))
            return true;
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char names[] = "{\"ports\": [80, 443], \"web\": {\"port\": 80, \"name\": \"x\"}}";
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *scope = rh_value_from_json(a, names, sizeof names - 1, NULL), *v;
    struct rh_sources sources = { 0 };
    struct rh_error p = { 0 };
    const char *text = (const char *)data;
    struct rh_script *s;
    uint32_t lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n' || data[i] == '\r'; /* Lua has both in texts */
    rh_sources_add(&sources, "site.tmpl", "", 0);
    s = rh_script_new(&(struct rh_script_options){
        .arena = a,
        .sources = &sources,
        .world = { .read_file = read_file },
        .limits = { .instructions = 200000, .memory = 8 << 20, .output = 1 << 20 },
    });
    v = rh_script_render(s, text, size, 1, scope, &p);
    check(v || (p.message && *p.message), "neither a text nor a problem", text, size);
    check(!v || v->kind == RH_STRING || v->kind == RH_BINARY, "no text", text, size);
    if (v && !has_tags(text, size))
        check(v->count == size && memcmp(v->u.string, text, size) == 0, "not as it is", text, size);
    if (!v && p.place.file == 1)
        check(p.place.line >= 1 && p.place.line <= lines, "a line that is not there", text, size);
    rh_error_clear(&p);
    rh_script_free(s);
    rh_sources_clear(&sources);
    return 0;
}
