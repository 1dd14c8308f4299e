/* SPDX-License-Identifier: Apache-2.0 */
/* plan-key - digests that only this state directory can make: HMAC-SHA256 with a key that never leaves it. */
#include "config.h"

#include "run/plan.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/state.h"

#include <errno.h>
#include <rhost/sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const char file_name[] = "plan-key.json";

enum { BYTES = 32, BLOCK = 64, READ_AT_ONCE = 65536 };

static int
load(const char *state_dir, struct rh_plan_key *key, bool *found, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *v = rh_state_load(a, state_dir, file_name, err);
    const char *hex = rh_value_get_str(v, "key", NULL);

    *found = false;
    if (!v)
        return -1;
    if (!rh_value_count(v))
        return 0;
    if (!hex || strlen(hex) != sizeof key->hex - 1)
        return rh_error_set(err, RH_EINPUT, "'%s/%s' has no key: remove it, and make the plans again",
                            state_dir, file_name);
    memcpy(key->hex, hex, sizeof key->hex);
    *found = true;
    return 0;
}

int
rh_plan_key_read(const char *state_dir, struct rh_plan_key *key, struct rh_error *err)
{
    bool found;

    return load(state_dir, key, &found, err) < 0 || !found ? -1 : 0;
}

int
rh_plan_key_open(const char *state_dir, struct rh_plan_key *key, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = NULL;
    unsigned char bytes[BYTES];
    struct rh_value *v;
    bool found;

    if (load(state_dir, key, &found, err) < 0)
        return -1;
    if (found)
        return 0;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return rh_error_system(err, errno, "cannot get random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(key->hex + 2 * i, 3, "%02x", bytes[i]);
    a = rh_arena_new(NULL);
    v = rh_value_hash(a, 1);
    rh_value_put(v, "key", rh_value_string(a, key->hex));
    return rh_state_save(state_dir, file_name, v, err);
}

/* The key is as long as a block: no padding is needed. */
static void
begin(const struct rh_plan_key *key, unsigned char pad, struct rhost_sha256 *sum)
{
    unsigned char block[BLOCK];

    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)key->hex[i] ^ pad;
    rhost_sha256_init(sum);
    rhost_sha256_add(sum, block, sizeof block);
}

static void
end(const struct rh_plan_key *key, struct rhost_sha256 *inner, char digest[RH_PLAN_DIGEST])
{
    struct rhost_sha256 outer;
    unsigned char sum[BYTES];

    rhost_sha256_bytes(inner, sum);
    begin(key, 0x5c, &outer);
    rhost_sha256_add(&outer, sum, sizeof sum);
    rhost_sha256_hex(&outer, digest);
}

void
rh_plan_digest(const struct rh_plan_key *key, const void *p, size_t n, char digest[RH_PLAN_DIGEST])
{
    struct rhost_sha256 inner;

    begin(key, 0x36, &inner);
    rhost_sha256_add(&inner, p, n);
    end(key, &inner, digest);
}

void
rh_plan_digest_value(const struct rh_plan_key *key, const struct rh_value *v, char digest[RH_PLAN_DIGEST])
{
    rh_autobuf struct rh_buf json = { 0 };

    rh_buf_addf(&json, "%d", v ? (int)v->marks & (RH_APPEND | RH_REMOVE) : -1);
    rh_value_to_json(&json, v, true);
    rh_plan_digest(key, rh_buf_text(&json), json.n, digest);
    explicit_bzero(json.s, json.n);
}

int
rh_plan_digest_file(const struct rh_plan_key *key, int fd, char digest[RH_PLAN_DIGEST])
{
    struct rhost_sha256 inner;
    unsigned char part[READ_AT_ONCE];
    ssize_t n;

    begin(key, 0x36, &inner);
    while ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            rhost_sha256_add(&inner, part, (size_t)n);
    if (n < 0)
        return -1;
    end(key, &inner, digest);
    return 0;
}
