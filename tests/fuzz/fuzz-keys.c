/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-keys - lines of authorized_keys. */
#include "plugin-input.h"

#include "ssh_authorized_key/entry.h"
#include "ssh_authorized_key/keys.h"

static void
try_key(rhost_ctx *ctx, const struct key *k)
{
    char own[64], why[256] = "", fingerprint[64];
    rhost_value *into = rhost_fake_hash((struct rhost_fake *)(void *)ctx);

    (void)key_check_blob(k->blob.at, k->blob.len, NULL, own, why, sizeof why);
    (void)key_is_whole(k);
    key_fingerprint(k->blob, fingerprint);
    must(strlen(fingerprint) < sizeof fingerprint, "a fingerprint has an end");
    entry_report(into, k);
    if (k->options.len)
        (void)key_option_length(k->options.at, k->options.at + k->options.len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rhost_lines *l;
    const char *name, *blob;

    rhost_fake_init(&fake);
    name = input_line(&fake.ctx, &in);
    blob = input_line(&fake.ctx, &in);
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    for (size_t i = 0; i < l->n; i++) {
        struct key k;

        if (key_parse(l->at[i].text, l->at[i].len, &k))
            try_key(&fake.ctx, &k);
    }
    struct entry e = entry_find(l, name, *blob ? blob : NULL);

    must(!e.n_named || e.named < l->n, "the line that was found is there");
    must(!e.n_keyed || e.keyed < l->n, "the line with the key is there");
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
