/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-bundle - what bundles are made of. The first byte of an input says which part the rest is: a
 * signature, a file of allowed signers, a description, a channel, a preview, an archive, or a key with a
 * signature of its own format. With FUZZ_PART in the environment it is always that part. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "bundle/blob.h"
#include "bundle/channel.h"
#include "bundle/description.h"
#include "bundle/files.h"
#include "bundle/key.h"
#include "bundle/signers.h"
#include "bundle/sshsig.h"
#include "reach/wire.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 50, BYTES = 1 << 20, NOW = 1800000000 };

static void
must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void
try_signature(const char *text, size_t n)
{
    rh_autosshsig struct rh_sshsig s = { 0 };
    rh_autoerror struct rh_error err = { 0 };

    if (rh_sshsig_read(&s, text, n, &err) == 0)
        must(rh_sshsig_verify(&s, RH_BUNDLE_NAMESPACE, "not what was signed", 19, &err) < 0,
             "a signature of nothing verifies");
    must(err.message, "refused without a message");
}

static void
try_signers(const char *text)
{
    static const unsigned char key[] = "\0\0\0\013ssh-ed25519\0\0\0\040 of this corpus, and of no other";
    const struct rh_blob blob = { key, sizeof key - 1 };
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *who = rh_signers_find(text, "signers", &blob, RH_BUNDLE_NAMESPACE, NOW, &err);

    must(!who == !!err.message, "refused without a message, or found with one");
}

static void
try_description(const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf once = { 0 };
    rh_autobuf struct rh_buf twice = { 0 };
    struct rh_description d;

    if (rh_description_read(a, text, n, &d, &err) < 0) {
        must(err.message, "refused without a message");
        return;
    }
    rh_description_write(&once, &d);
    must(rh_description_read(a, once.s, once.n, &d, &err) == 0, "what was written is not read");
    rh_description_write(&twice, &d);
    must(once.n == twice.n && memcmp(once.s, twice.s, once.n) == 0, "written twice, it differs");
}

static void
try_channel(const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf once = { 0 };
    rh_autobuf struct rh_buf twice = { 0 };
    struct rh_channel c;
    int64_t chosen;

    if (rh_channel_read(a, text, n, &c, &err) < 0) {
        must(err.message, "refused without a message");
        return;
    }
    chosen = rh_channel_choose(&c, "0123456789abcdef0123456789abcdef", "host");
    must(chosen == c.want || chosen == c.other, "a revision that it does not name");
    must(chosen >= c.min_revision, "a revision below the lowest");
    rh_channel_write(&once, &c);
    must(rh_channel_read(a, once.s, once.n, &c, &err) == 0, "what was written is not read");
    rh_channel_write(&twice, &c);
    must(once.n == twice.n && memcmp(once.s, twice.s, once.n) == 0, "written twice, it differs");
}

static void
try_preview(const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_channel c;

    if (rh_preview_read(a, text, n, &c, &err) < 0)
        must(err.message, "refused without a message");
    else
        must(c.want >= 1, "a revision that there cannot be");
}

/* A frame of zstd around what it is given, without compression: mutations reach the archive within. */
static char *
frame_of(const char *bytes, size_t *n)
{
    enum { BLOCK = 64 << 10 };
    char *frame = malloc(*n + 16 + 3 * (*n / BLOCK + 1)), *p = frame;
    const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x30 }; /* a window of 64 KiB */

    if (!frame)
        abort();
    memcpy(p, head, sizeof head);
    p += sizeof head;
    for (size_t at = 0; at < *n || at == 0; at += BLOCK) {
        size_t size = *n - at < BLOCK ? *n - at : BLOCK;
        uint32_t block = (uint32_t)size << 3 | (at + size == *n);

        for (int i = 0; i < 3; i++)
            *p++ = (char)(block >> 8 * i);
        memcpy(p, bytes + at, size);
        p += size;
    }
    *n = (size_t)(p - frame);
    return frame;
}

static void
try_archive(const char *bytes, size_t n)
{
    rh_autofiles struct rh_bundle_files files = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    size_t n_archive = n - 4;
    rh_autofree char *frame = NULL;

    /* How much there is comes first, as a description would say it, and whether it is compressed. */
    if (n < 4)
        return;
    if (bytes[3] & 1)
        frame = frame_of(bytes + 4, &n_archive);
    if (rh_files_unpack(&files, frame ? frame : bytes + 4, n_archive, (unsigned char)bytes[0] % FILES,
                        (uint64_t)(unsigned char)bytes[1] << 8 | (unsigned char)bytes[2], &err)
        < 0)
        must(err.message, "refused without a message");
    must(files.n <= FILES && files.bytes <= BYTES, "more than was asked for");
    for (size_t i = 0; i < files.n; i++)
        must(rh_wire_is_path(files.v[i].path), "a path that leads elsewhere");
}

static void
try_key(const unsigned char *bytes, size_t n)
{
    struct rh_blob all = { bytes, n }, key, signature;
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_blob text = { (const unsigned char *)"text", 4 };

    if (rh_blob_take(&all, &key) && rh_blob_take(&all, &signature)) {
        rh_autofree char *fingerprint = rh_key_fingerprint(&key);

        must(strlen(fingerprint) == 50, "a fingerprint of another length");
        if (rh_key_verify(&key, &signature, &text, &err) < 0)
            must(err.message, "refused without a message");
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *part = getenv("FUZZ_PART");
    rh_autofree char *text = NULL;

    if (!size)
        return 0;
    text = malloc(size);
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (part ? *part : data[0]) {
    case 's':
        try_signature(text, size - 1);
        break;
    case 'a':
        try_signers(text);
        break;
    case 'd':
        try_description(text, size - 1);
        break;
    case 'c':
        try_channel(text, size - 1);
        break;
    case 'p':
        try_preview(text, size - 1);
        break;
    case 't':
        try_archive(text, size - 1);
        break;
    case 'k':
        try_key(data + 1, size - 1);
        break;
    default:
        break;
    }
    return 0;
}
