/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-write - values as YAML, by the emitter of libyaml. */

#include "yaml-write.h"

#include "yaml-read.h"

#include "../json_setting/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <yaml.h>

struct output {
    rhost_ctx *ctx;
    yaml_emitter_t emitter;
    int flow;
    char *text; /* for free() */
    size_t len, room;
    const char *why;
};

static int
write_bytes(void *data, unsigned char *buffer, size_t size)
{
    struct output *o = data;

    if (o->len + size + 1 > o->room) {
        size_t room = (o->len + size + 1) * 2;
        char *more = realloc(o->text, room);

        if (!more)
            return 0;
        o->text = more;
        o->room = room;
    }
    memcpy(o->text + o->len, buffer, size);
    o->len += size;
    o->text[o->len] = '\0';
    return 1;
}

static int
emit(struct output *o, yaml_event_t *e, int made)
{
    if (made && yaml_emitter_emit(&o->emitter, e))
        return 1;
    if (!o->why)
        o->why = "libyaml cannot write the value";
    return 0;
}

static int
emit_scalar(struct output *o, const char *text, size_t len, int plain)
{
    yaml_event_t e;
    int made =
        len <= INT32_MAX
        && yaml_scalar_event_initialize(&e, NULL, NULL, (const yaml_char_t *)text, (int)len, plain, 1,
                                        plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);

    return emit(o, &e, made);
}

/* In quotes where readers would take it for something else. */
static int
emit_text(struct output *o, const char *text, size_t len)
{
    struct tree t = { .kind = TREE_NULL };

    yaml_resolve(&t, text, len);
    return emit_scalar(o, text, len, t.kind == TREE_STRING && !o->flow && !strpbrk(text, "\n\r\t"));
}

/* The shortest text that is the number again, with a point: without one YAML 1.1 reads text. */
static int
emit_real(struct output *o, double d)
{
    char text[48];
    const char *exponent, *whole;

    if (!isfinite(d)) {
        o->why = "infinity, and what is no number, have no value here";
        return 0;
    }
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, d);
        if (!(strtod(text, NULL) < d) && !(strtod(text, NULL) > d))
            break;
    }
    exponent = text + strcspn(text, "e");
    if (memchr(text, '.', (size_t)(exponent - text)))
        whole = text;
    else
        whole = rhost_fmt(o->ctx, "%.*s.0%s", (int)(exponent - text), text, exponent);
    return emit_scalar(o, whole, strlen(whole), 1);
}

static int emit_value(struct output *o, const rhost_value *value);

static int
emit_children(struct output *o, const rhost_value *value, int mapping)
{
    int flow = o->flow || !rhost_count(value), ok = 1;
    yaml_event_t e;

    ok = emit(o, &e,
              mapping ? yaml_mapping_start_event_initialize(
                  &e, NULL, NULL, 1, flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE)
                      : yaml_sequence_start_event_initialize(
                          &e, NULL, NULL, 1, flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE));
    for (size_t i = 0; ok && i < rhost_count(value); i++) {
        const char *key = NULL;
        const rhost_value *one = rhost_at(value, i, &key);

        ok = (!mapping || emit_text(o, key, strlen(key))) && emit_value(o, one);
    }
    return ok
           && emit(o, &e,
                   mapping ? yaml_mapping_end_event_initialize(&e) : yaml_sequence_end_event_initialize(&e));
}

static int
emit_value(struct output *o, const rhost_value *value)
{
    size_t len = 0;
    const char *text;

    switch (value ? value->host->kind(value) : RHOST_UNDEF) {
    case RHOST_UNDEF:
        return emit_scalar(o, "null", 4, 1);
    case RHOST_BOOLEAN:
        text = value->host->boolean(value, 0) ? "true" : "false";
        return emit_scalar(o, text, strlen(text), 1);
    case RHOST_INTEGER:
        text = rhost_fmt(o->ctx, "%lld", (long long)value->host->integer(value, 0));
        return emit_scalar(o, text, strlen(text), 1);
    case RHOST_FLOAT:
        return emit_real(o, value->host->real(value, 0));
    case RHOST_STRING:
        text = value->host->string(value, &len);
        return emit_text(o, text, len);
    case RHOST_ARRAY:
        return emit_children(o, value, 0);
    case RHOST_HASH:
        return emit_children(o, value, 1);
    default:
        o->why = "bytes are not written to YAML";
        return 0;
    }
}

static const char *
write_document(struct output *o, const rhost_value *value, const char *key, int unit)
{
    const char *text = NULL;
    yaml_event_t e;
    int ok = yaml_emitter_initialize(&o->emitter);

    if (!ok) {
        o->why = "out of memory";
        return NULL;
    }
    yaml_emitter_set_output(&o->emitter, write_bytes, o);
    yaml_emitter_set_unicode(&o->emitter, 1);
    yaml_emitter_set_width(&o->emitter, -1);
    yaml_emitter_set_indent(&o->emitter, unit);
    ok = emit(o, &e, yaml_stream_start_event_initialize(&e, YAML_UTF8_ENCODING))
         && emit(o, &e, yaml_document_start_event_initialize(&e, NULL, NULL, NULL, 1))
         && (key ? emit_text(o, key, strlen(key)) : emit_value(o, value))
         && emit(o, &e, yaml_document_end_event_initialize(&e, 1))
         && emit(o, &e, yaml_stream_end_event_initialize(&e)) && yaml_emitter_flush(&o->emitter);
    yaml_emitter_delete(&o->emitter);
    if (ok && o->text) {
        while (o->len > 0 && o->text[o->len - 1] == '\n')
            o->text[--o->len] = '\0';
        /* An open plain scalar is ended by "...". */
        if (o->len > 4 && strcmp(o->text + o->len - 4, "\n...") == 0)
            o->len -= 4;
        text = rhost_copy(o->ctx, o->text, o->len);
    }
    free(o->text);
    return text;
}

const char *
yaml_write(rhost_ctx *ctx, const rhost_value *value, int flow, int unit, const char **why)
{
    struct output o = { .ctx = ctx, .flow = flow };
    const char *text = write_document(&o, value, NULL, unit);

    if (!text)
        *why = o.why ? o.why : "out of memory";
    return text;
}

const char *
yaml_write_key(rhost_ctx *ctx, const char *key, int flow, const char **why)
{
    struct output o = { .ctx = ctx, .flow = flow };
    const char *text = write_document(&o, NULL, key, 2);

    if (!text)
        *why = o.why ? o.why : "out of memory";
    return text;
}

const char *
yaml_indented(rhost_ctx *ctx, const char *text, size_t blanks, const char *newline)
{
    struct buffer b = { .ctx = ctx };
    const char *front = rhost_fmt(ctx, "%s%*s", newline, (int)blanks, "");

    buffer_puts(&b, "");
    while (*text) {
        size_t len = strcspn(text, "\n");

        buffer_add(&b, text, len);
        text += len;
        if (*text == '\n') {
            buffer_puts(&b, front);
            text++;
        }
    }
    return b.text;
}
