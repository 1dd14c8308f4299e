/* SPDX-License-Identifier: Apache-2.0 */
/* channel - channel.json: which revision each machine shall have. */
#include "config.h"

#include "bundle/channel.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "bundle/description.h"
#include "bundle/field.h"

#include <rhost/sha256.h>

#include <string.h>
#include <strings.h>
#include <time.h>

static const char format[] = "rhost channel 1", preview_format[] = "rhost preview 1",
                  time_format[] = "%Y-%m-%dT%H:%M:%SZ";

enum { PERCENT = 100, LONGEST_SALT = 64, LONGEST_HOST = 255 };

/* What it may have; all but "else" and "hosts" must be there. A preview has the first ones only. */
static const char *const keys[] = { "format",  "serial", "issued", "expires", "want",
                                    "percent", "hosts",  "salt",   "else",    "min_revision" };
enum { KEYS = sizeof keys / sizeof keys[0], PREVIEW_KEYS = 8 };

static int
check_keys(const struct rh_value *v, size_t n, struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const char *key = rh_value_entry(v, i)->key;
        size_t k = 0;

        while (k < n && strcmp(keys[k], key) != 0)
            k++;
        if (k == n) {
            rh_autofree char *shown = rh_safe_text(key);

            return rh_error_set(err, RH_EINPUT, "unknown key '%s' in a channel", shown);
        }
    }
    return 0;
}

/* Only the one form of a time that is written. */
static int
take_time(const struct rh_value *v, const char *name, int64_t *to, struct rh_error *err)
{
    const char *text = NULL, *end;
    struct tm tm = { 0 };
    char again[64];
    time_t t;

    if (rh_field_text(v, name, true, &text, err) < 0)
        return -1;
    end = strptime(text, time_format, &tm);
    t = end && !*end ? timegm(&tm) : 0;
    if (t <= 0 || !gmtime_r(&t, &tm) || !strftime(again, sizeof again, time_format, &tm)
        || strcmp(again, text) != 0)
        return rh_error_set(err, RH_EINPUT, "'%s' must be a time such as 2026-01-31T12:00:00Z", name);
    *to = t;
    return 0;
}

static int
take_salt(const struct rh_value *v, struct rh_channel *c, struct rh_error *err)
{
    static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (rh_field_text(v, "salt", true, &c->salt, err) < 0)
        return -1;
    if (strlen(c->salt) > LONGEST_SALT || c->salt[strspn(c->salt, characters)])
        return rh_error_set(err, RH_EINPUT, "'salt' must be 1 to %d letters and digits", LONGEST_SALT);
    return 0;
}

static int
take_hosts(struct rh_arena *a, const struct rh_value *v, struct rh_channel *c, struct rh_error *err)
{
    const struct rh_value *hosts = rh_value_get(v, "hosts");
    size_t n = rh_value_count(hosts);

    if ((hosts && !rh_value_is(hosts, RH_ARRAY)) || n > RH_CHANNEL_HOSTS)
        return rh_error_set(err, RH_EINPUT, "'hosts' must be a list of %d names at most", RH_CHANNEL_HOSTS);
    c->hosts = rh_arena_alloc(a, (n + 1) * sizeof *c->hosts);
    for (size_t i = 0; i < n; i++) {
        const struct rh_value *host = rh_value_at(hosts, i);

        if (!rh_value_is(host, RH_STRING) || !host->count || host->count > LONGEST_HOST
            || strlen(host->u.string) != host->count)
            return rh_error_set(err, RH_EINPUT, "each of 'hosts' must be a name of 1 to %d bytes",
                                LONGEST_HOST);
        c->hosts[c->n_hosts++] = host->u.string;
    }
    return 0;
}

static int
read_choice(const struct rh_value *v, struct rh_channel *c, struct rh_error *err)
{
    int64_t percent = 0;

    if (rh_field_number(v, "serial", 1, RH_BUNDLE_LAST, &c->serial, err) < 0
        || rh_field_number(v, "want", 1, RH_BUNDLE_LAST, &c->want, err) < 0
        || rh_field_number(v, "percent", 0, PERCENT, &percent, err) < 0)
        return -1;
    c->percent = (int)percent;
    return 0;
}

static int
read_revisions(const struct rh_value *v, struct rh_channel *c, struct rh_error *err)
{
    if (rh_field_number(v, "min_revision", 1, RH_BUNDLE_LAST, &c->min_revision, err) < 0)
        return -1;
    c->other = c->want;
    if ((rh_value_get(v, "else") || c->percent < PERCENT)
        && rh_field_number(v, "else", 1, RH_BUNDLE_LAST, &c->other, err) < 0)
        return -1;
    if (c->want < c->min_revision || c->other < c->min_revision)
        return rh_error_set(err, RH_EINPUT, "revision %lld is below 'min_revision', %lld",
                            (long long)(c->want < c->min_revision ? c->want : c->other),
                            (long long)c->min_revision);
    return 0;
}

/* The hash of a document of this format; NULL with an error. */
static const struct rh_value *
read_document(struct rh_arena *a, const char *text, size_t n, const char *of, struct rh_error *err)
{
    const struct rh_value *v;

    if (n > RH_CHANNEL_BYTES) {
        rh_error_set(err, RH_EINPUT, "a channel can have %d bytes at most", RH_CHANNEL_BYTES);
        return NULL;
    }
    v = rh_value_from_json(a, text, n, err);
    if (v && !rh_field_is(v, "format", of)) {
        rh_error_set(err, RH_EINPUT, "its format is not '%s'", of);
        return NULL;
    }
    return v;
}

static int
read_rest(struct rh_arena *a, const struct rh_value *v, struct rh_channel *c, struct rh_error *err)
{
    if (take_time(v, "issued", &c->issued, err) < 0 || take_time(v, "expires", &c->expires, err) < 0
        || take_salt(v, c, err) < 0 || take_hosts(a, v, c, err) < 0)
        return -1;
    if (c->expires <= c->issued)
        return rh_error_set(err, RH_EINPUT, "'expires' must be later than 'issued'");
    return 0;
}

int
rh_channel_read(struct rh_arena *a, const char *text, size_t n, struct rh_channel *c, struct rh_error *err)
{
    const struct rh_value *v = read_document(a, text, n, format, err);

    *c = (struct rh_channel){ 0 };
    return !v || check_keys(v, KEYS, err) < 0 || read_choice(v, c, err) < 0 || read_revisions(v, c, err) < 0
                   || read_rest(a, v, c, err) < 0
               ? -1
               : 0;
}

int
rh_preview_read(struct rh_arena *a, const char *text, size_t n, struct rh_channel *c, struct rh_error *err)
{
    const struct rh_value *v = read_document(a, text, n, preview_format, err);

    *c = (struct rh_channel){ 0 };
    return !v || check_keys(v, PREVIEW_KEYS, err) < 0 || read_choice(v, c, err) < 0
                   || read_rest(a, v, c, err) < 0
               ? -1
               : 0;
}

static struct rh_value *
time_value(struct rh_arena *a, int64_t when)
{
    time_t t = (time_t)when;
    struct tm tm;
    char text[64] = "";

    if (gmtime_r(&t, &tm))
        (void)strftime(text, sizeof text, time_format, &tm);
    return rh_value_string(a, text);
}

static void
write_document(struct rh_buf *b, const struct rh_channel *c, const char *of)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH), *hosts = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < c->n_hosts; i++)
        rh_value_append(hosts, rh_value_string(a, c->hosts[i]));
    rh_value_put(v, "format", rh_value_string(a, of));
    rh_value_put(v, "serial", rh_value_integer(a, c->serial));
    rh_value_put(v, "issued", time_value(a, c->issued));
    rh_value_put(v, "expires", time_value(a, c->expires));
    rh_value_put(v, "want", rh_value_integer(a, c->want));
    if (of == format)
        rh_value_put(v, "else", rh_value_integer(a, c->other));
    rh_value_put(v, "percent", rh_value_integer(a, c->percent));
    if (c->n_hosts)
        rh_value_put(v, "hosts", hosts);
    rh_value_put(v, "salt", rh_value_string(a, c->salt));
    if (of == format)
        rh_value_put(v, "min_revision", rh_value_integer(a, c->min_revision));
    rh_value_to_json_pretty(b, v, false);
    rh_buf_addc(b, '\n');
}

void
rh_channel_write(struct rh_buf *b, const struct rh_channel *c)
{
    write_document(b, c, format);
}

void
rh_preview_write(struct rh_buf *b, const struct rh_channel *c)
{
    write_document(b, c, preview_format);
}

int
rh_channel_bucket(const char *salt, const char *host)
{
    struct rhost_sha256 sum;
    unsigned char digest[32];
    uint32_t number = 0;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, salt, strlen(salt));
    rhost_sha256_add(&sum, ":", 1);
    rhost_sha256_add(&sum, host, strlen(host));
    rhost_sha256_bytes(&sum, digest);
    for (int i = 0; i < 4; i++)
        number = number << 8 | digest[i];
    return (int)(number % PERCENT);
}

int64_t
rh_channel_choose(const struct rh_channel *c, const char *id, const char *name)
{
    for (size_t i = 0; i < c->n_hosts; i++)
        if (strcmp(c->hosts[i], id) == 0 || strcasecmp(c->hosts[i], name) == 0)
            return c->want;
    return rh_channel_bucket(c->salt, id) < c->percent ? c->want : c->other;
}
