/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-input - what the fuzzers of the plugins' parsers share: a host, and the input cut into texts.
 *
 * The first lines of an input are what a manifest would say (a name, a value); the rest is the file. */
#ifndef TESTS_FUZZ_PLUGIN_INPUT_H
#define TESTS_FUZZ_PLUGIN_INPUT_H

#include <rhost/fake-host.h>
#include <rhost/lines.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const char *at;
    size_t n;
};

/* The next line without its newline, up to a NUL, in memory of the call. */
static inline char *
input_line(rhost_ctx *ctx, struct input *in)
{
    const char *end = in->n ? (const char *)memchr(in->at, '\n', in->n) : NULL;
    size_t len = end ? (size_t)(end - in->at) : in->n;
    char *text = (char *)rhost_alloc(ctx, len + 1);

    if (len)
        memcpy(text, in->at, len);
    text[len] = '\0';
    len += end != NULL;
    in->at += len;
    in->n -= len;
    return text;
}

/* All of the rest, with a NUL behind it. */
static inline char *
input_rest(rhost_ctx *ctx, const struct input *in)
{
    char *text = (char *)rhost_alloc(ctx, in->n + 1);

    if (in->n)
        memcpy(text, in->at, in->n);
    text[in->n] = '\0';
    return text;
}

/* For whoever looks at a finding. */
static inline void
input_show(const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        fprintf(stderr, "%zu: %.*s\n", i, (int)l->at[i].len, l->at[i].text);
}

/* A promise of the parser that is broken. */
static inline void
must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

#endif
