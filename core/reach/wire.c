/* SPDX-License-Identifier: Apache-2.0 */
/* wire - what controller and receiver say to each other over one channel. */
#include "config.h"

#include "reach/wire.h"

#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 5 };

static void
add_one(struct rh_buf *out, enum rh_wire_kind kind, const void *content, size_t n)
{
    const unsigned char header[HEADER] = { (unsigned char)kind, (unsigned char)(n >> 24),
                                           (unsigned char)(n >> 16), (unsigned char)(n >> 8),
                                           (unsigned char)n };

    rh_buf_addn(out, header, HEADER);
    rh_buf_addn(out, content, n);
}

void
rh_wire_add(struct rh_buf *out, enum rh_wire_kind kind, const void *content, size_t n)
{
    const char *at = content;

    while (n > RH_WIRE_PART
           && (kind == RH_WIRE_DATA || kind == RH_WIRE_REPORT || kind == RH_WIRE_RESULT
               || kind == RH_WIRE_OUTPUT)) {
        add_one(out, kind, at, RH_WIRE_PART);
        at += RH_WIRE_PART;
        n -= RH_WIRE_PART;
    }
    add_one(out, kind, at, n);
}

void
rh_wire_add_value(struct rh_buf *out, enum rh_wire_kind kind, const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, v, false);
    rh_wire_add(out, kind, rh_buf_text(&text), text.n);
}

void
rh_wire_take(struct rh_wire *w, const void *bytes, size_t n)
{
    if (w->at) {
        memmove(w->in.s, w->in.s + w->at, w->in.n - w->at);
        rh_buf_truncate(&w->in, w->in.n - w->at);
        w->at = 0;
    }
    rh_buf_addn(&w->in, bytes, n);
}

void
rh_wire_clear(struct rh_wire *w)
{
    rh_buf_clear(&w->in);
    w->at = 0;
}

int
rh_wire_next(struct rh_wire *w, enum rh_wire_kind *kind, const char **content, size_t *n,
             struct rh_error *err)
{
    static const char kinds[] = "qfdgspahoejrkxw";
    const unsigned char *at;
    size_t there = w->in.n - w->at, length;

    if (!there)
        return 0;
    at = (const unsigned char *)w->in.s + w->at;
    if (!*at || !strchr(kinds, *at))
        return rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
    if (there < HEADER)
        return 0;
    length = (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
    if (length > RH_WIRE_LARGEST)
        return rh_error_set(err, RH_EINPUT, "a frame on the channel has %zu bytes, more than %d", length,
                            RH_WIRE_LARGEST);
    if (there - HEADER < length)
        return 0;
    *kind = (enum rh_wire_kind) * at;
    *content = (const char *)at + HEADER;
    *n = length;
    w->at += HEADER + length;
    return 1;
}

bool
rh_wire_is_small(const char *text, size_t n, size_t most)
{
    size_t parts = 0, values = 0;
    bool quoted = false;

    for (size_t i = 0; i < n; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{'))
            parts++;
        else if (!quoted && text[i] == ',')
            values++;
    }
    return parts <= most && values <= 8 * most;
}

struct rh_value *
rh_wire_value(struct rh_arena *a, const char *content, size_t n, struct rh_error *err)
{
    struct rh_value *v;

    if (!rh_wire_is_small(content, n, RH_WIRE_MOST_PARTS)) {
        (void)rh_error_set(err, RH_EINPUT, "a frame on the channel has too many values");
        return NULL;
    }
    v = rh_value_from_json(a, content, n, err);
    if (v && !rh_value_is(v, RH_HASH)) {
        (void)rh_error_set(err, RH_EINPUT, "a frame on the channel is not a hash");
        return NULL;
    }
    return v;
}

bool
rh_wire_is_path(const char *path)
{
    if (strlen(path) >= PATH_MAX / 2)
        return false;
    for (;;) {
        size_t n = strcspn(path, "/");

        if (!n || n > NAME_MAX || (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
            return false;
        if (!path[n])
            return true;
        path += n + 1;
    }
}
