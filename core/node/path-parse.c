/* SPDX-License-Identifier: Apache-2.0 */
/* path-parse - paths as people write them: web.port, a.b[0].c, users['j.doe'].shell */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "node/node.h"
#include "node/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *text, *p;
    struct rh_arena *arena;
    struct rh_error *err;
};

static int
refuse(struct reader *r, const char *what)
{
    rh_autofree char *shown = rh_safe_text(r->text);

    rh_error_set(r->err, RH_EINPUT, "invalid path '%s': %s at character %zu", shown, what,
                 rh_utf8_count(r->text, (size_t)(r->p - r->text)) + 1);
    return -1;
}

/* A name up to the next dot or bracket. */
static int
read_name(struct reader *r, struct rh_value *path)
{
    size_t n = strcspn(r->p, ".[]");

    if (!n)
        return refuse(r, *r->p ? "missing name" : "missing name after the last '.'");
    rh_value_append(path, rh_value_stringn(r->arena, r->p, n));
    r->p += n;
    return 0;
}

static int
read_quoted(struct reader *r, struct rh_value *path)
{
    rh_autobuf struct rh_buf b = { 0 };
    char quote = *r->p++;

    for (; *r->p && *r->p != quote; r->p++) {
        if (*r->p == '\\' && (r->p[1] == quote || r->p[1] == '\\'))
            r->p++;
        rh_buf_addc(&b, *r->p);
    }
    if (!*r->p)
        return refuse(r, "missing closing quote");
    r->p++;
    rh_value_append(path, rh_value_stringn(r->arena, rh_buf_text(&b), b.n));
    return 0;
}

static int
read_bracket(struct reader *r, struct rh_value *path)
{
    r->p++;
    if (*r->p == '\'' || *r->p == '"') {
        if (read_quoted(r, path) < 0)
            return -1;
    } else {
        char *end;
        long long i;

        errno = 0;
        i = strtoll(r->p, &end, 10);
        if (end == r->p || errno || *r->p == ' ' || *r->p == '+')
            return refuse(r, "expected a position or a quoted key in brackets");
        rh_value_append(path, rh_value_integer(r->arena, i));
        r->p = end;
    }
    if (*r->p != ']')
        return refuse(r, "missing ']'");
    r->p++;
    return 0;
}

struct rh_value *
rh_node_path_parse(struct rh_arena *a, const char *text, struct rh_error *err)
{
    struct reader r = { .text = text, .p = text, .arena = a, .err = err };
    struct rh_value *path = rh_value_new(a, RH_ARRAY);

    if (!rh_utf8_valid(text, strlen(text))) {
        rh_error_set(err, RH_EINPUT, "the path is not UTF-8");
        return NULL;
    }
    if (*text && *text != '[' && read_name(&r, path) < 0)
        return NULL;
    while (*r.p) {
        int rc;

        if (*r.p == '.') {
            r.p++;
            rc = read_name(&r, path);
        } else if (*r.p == '[') {
            rc = read_bracket(&r, path);
        } else {
            rc = refuse(&r, "expected '.' or '['");
        }
        if (rc < 0)
            return NULL;
    }
    if (path->count > RH_PATH_DEEPEST) {
        rh_error_set(err, RH_EINPUT, "the path has %u keys; the limit is %d", path->count, RH_PATH_DEEPEST);
        return NULL;
    }
    return path;
}
