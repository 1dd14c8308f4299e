/* SPDX-License-Identifier: Apache-2.0 */
/* desired - the desired states of the last runs, as keyed hashes. */
#include "config.h"

#include "run/desired.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "schema/type.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 3600, KEPT = 90 /* days */, NOTED = 7, LARGEST = 1 << 30, SEARCHES = 2 };

/* The file: this, and a record for each resource. */
struct head {
    char magic[16];
    uint64_t key[2];
};

static const char magic[16] = "rhost desired 2\n";

struct record {
    uint64_t id, state; /* hashes of the name, and of what is desired */
    uint32_t day;       /* when it was seen last; some days may be missing */
    uint32_t zero;
};

struct rh_desired {
    char *path, *folder;
    char *file; /* as it was read, and will be written: the head, and room for `cap` records */
    struct head *head;
    struct record *v; /* in it: those of the file, then new ones */
    size_t n, cap;
    uint32_t *slots; /* the number of a record and 1, by its id; made when the order is another */
    size_t n_slots;
    size_t next;       /* where the next resource probably is: runs go through them in one order */
    unsigned searches; /* how often all records were gone through for one */
    uint32_t today;
    bool changed;
    struct rh_buf text; /* of the resource in hand */
};

const char *
rh_cause_name(enum rh_cause cause)
{
    return cause == RH_CAUSE_DRIFT ? "drift" : cause == RH_CAUSE_MANIFEST ? "manifest" : NULL;
}

enum rh_cause
rh_cause_read(const char *name)
{
    return strcmp(name, "drift") == 0      ? RH_CAUSE_DRIFT
           : strcmp(name, "manifest") == 0 ? RH_CAUSE_MANIFEST
                                           : RH_CAUSE_UNKNOWN;
}

/* SipHash-1-3: for short texts it takes a tenth of the time of a cryptographic hash. */

static uint64_t
rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static inline void __attribute__((always_inline)) mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static inline void __attribute__((always_inline)) take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

static uint64_t
hash(const uint64_t key[2], const char *p, size_t n)
{
    uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                      key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573) };
    uint64_t word, rest = (uint64_t)n << 56;

    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        take_word(v, word);
    }
    for (size_t i = 0; i < n; i++)
        rest |= (uint64_t)(unsigned char)p[i] << 8 * i;
    take_word(v, rest);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* What is desired, as text that only the same state has. */

static void
add_text(struct rh_buf *b, const char *s, size_t n)
{
    uint32_t length = (uint32_t)n;
    char *to = rh_buf_extend(b, sizeof length + n);

    memcpy(to, &length, sizeof length);
    if (n)
        memcpy(to + sizeof length, s, n);
}

static void
add_value(struct rh_buf *b, const struct rh_value *v)
{
    char *head = rh_buf_extend(b, 2);

    head[0] = (char)v->kind;
    head[1] = (char)(v->marks & (RH_APPEND | RH_REMOVE));
    if (rh_kind_has_text(v->kind)) {
        add_text(b, v->u.string, v->count);
    } else if (v->kind == RH_HASH) {
        rh_buf_addn(b, &v->count, sizeof v->count);
        for (size_t i = 0; i < v->count; i++) {
            const struct rh_entry *e = rh_value_entry(v, i);

            add_text(b, e->key, strlen(e->key));
            add_value(b, e->value);
        }
    } else if (rh_kind_has_items(v->kind)) {
        rh_buf_addn(b, &v->count, sizeof v->count);
        for (size_t i = 0; i < v->count; i++)
            add_value(b, rh_value_part(v, i));
    } else if (v->kind == RH_FLOAT) {
        rh_buf_addn(b, &v->u.real, sizeof v->u.real);
    } else if (v->kind == RH_INTEGER || v->kind == RH_BOOLEAN) {
        rh_buf_addn(b, &v->u.integer, sizeof v->u.integer);
    }
}

static uint64_t
id_of(struct rh_desired *d, const struct rh_resource *r)
{
    rh_buf_truncate(&d->text, 0);
    add_text(&d->text, r->type->type, strlen(r->type->type));
    add_text(&d->text, r->title, strlen(r->title));
    return hash(d->head->key, d->text.s, d->text.n);
}

static uint64_t
state_of(struct rh_desired *d, const struct rh_resource *r)
{
    rh_buf_truncate(&d->text, 0);
    add_text(&d->text, r->type->provider, strlen(r->type->provider));
    if (r->should)
        add_value(&d->text, r->should);
    return hash(d->head->key, d->text.s, d->text.n);
}

/* Records. */

static void
put_slot(struct rh_desired *d, size_t number)
{
    size_t at = (size_t)d->v[number].id & (d->n_slots - 1);

    while (d->slots[at])
        at = (at + 1) & (d->n_slots - 1);
    d->slots[at] = (uint32_t)number + 1;
}

static void
make_slots(struct rh_desired *d)
{
    free(d->slots);
    for (d->n_slots = 64; d->n_slots < 4 * d->n;)
        d->n_slots *= 2;
    d->slots = rh_xalloc(rh_xmul(d->n_slots, sizeof *d->slots));
    for (size_t i = 0; i < d->n; i++)
        put_slot(d, i);
}

/* The record of this id; NULL when there is none. */
static struct record *
find(struct rh_desired *d, uint64_t id)
{
    size_t at;

    if (d->next < d->n && d->v[d->next].id == id)
        return &d->v[d->next++];
    /* After a run of another manifest only the beginning is elsewhere. */
    if (!d->slots && d->searches++ < SEARCHES) {
        for (at = 0; at < d->n; at++)
            if (d->v[at].id == id) {
                d->next = at + 1;
                return &d->v[at];
            }
        return NULL;
    }
    if (!d->slots)
        make_slots(d);
    for (at = (size_t)id & (d->n_slots - 1); d->slots[at]; at = (at + 1) & (d->n_slots - 1))
        if (d->v[d->slots[at] - 1].id == id) {
            d->next = d->slots[at];
            return &d->v[d->slots[at] - 1];
        }
    return NULL;
}

/* The bytes of a file, with room for `cap` records. */
static void
take_file(struct rh_desired *d, char *bytes, size_t cap)
{
    d->file = bytes;
    d->head = (struct head *)(void *)bytes;
    d->v = (struct record *)(void *)(bytes + sizeof *d->head);
    d->cap = cap;
}

static void
make_room(struct rh_desired *d)
{
    size_t cap = rh_xmul(d->cap + 8, 2);

    take_file(d, rh_xrealloc(d->file, rh_xmul(cap, sizeof *d->v) + sizeof *d->head), cap);
}

static void
add_record(struct rh_desired *d, struct record record)
{
    if (d->n == d->cap)
        make_room(d);
    d->v[d->n++] = record;
    if (2 * d->n > d->n_slots)
        make_slots(d);
    else
        put_slot(d, d->n - 1);
}

enum rh_cause
rh_desired_note(struct rh_desired *d, const struct rh_resource *r)
{
    struct record now, *was;
    bool same;

    if (!d)
        return RH_CAUSE_UNKNOWN;
    now = (struct record){ .id = id_of(d, r), .state = state_of(d, r), .day = d->today };
    was = find(d, now.id);
    if (!was) {
        add_record(d, now);
        d->changed = true;
        return RH_CAUSE_MANIFEST;
    }
    same = was->state == now.state;
    /* Not written every day for the days alone. */
    if (!same || now.day > was->day + NOTED || was->day > now.day) {
        *was = now;
        d->changed = true;
    }
    return same ? RH_CAUSE_DRIFT : RH_CAUSE_MANIFEST;
}

/* The file. */

static int
make_key(struct rh_desired *d, struct rh_error *err)
{
    make_room(d);
    memcpy(d->head->magic, magic, sizeof magic);
    if (getrandom(d->head->key, sizeof d->head->key, 0) != (ssize_t)sizeof d->head->key)
        return rh_error_system(err, errno, "cannot get random bytes");
    return 0;
}

static int
read_file(struct rh_desired *d, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = NULL;

    if (access(d->path, F_OK) < 0 && errno == ENOENT)
        return make_key(d, err);
    text = rh_read_kept_file(d->path, LARGEST, &n, err);
    if (!text)
        return -1;
    if (n < sizeof *d->head || (n - sizeof *d->head) % sizeof *d->v
        || memcmp(text, magic, sizeof magic) != 0) {
        rh_debug("'%s' is damaged, or of another machine: making a new one", d->path);
        return make_key(d, err);
    }
    d->n = (n - sizeof *d->head) / sizeof *d->v;
    take_file(d, rh_take(&text), d->n);
    return 0;
}

int
rh_desired_open(struct rh_desired **to, const struct rh_catalog *c, const char *state_dir,
                struct rh_error *err)
{
    time_t now = time(NULL);
    struct rh_desired *d;

    *to = NULL;
    if (!c->n_resources)
        return 0;
    d = rh_xalloc(sizeof *d);
    d->folder = rh_xstrdup(state_dir);
    d->path = rh_printf("%s/desired", state_dir);
    d->today = now > 0 ? (uint32_t)(now / DAY) : 0;
    if (read_file(d, err) < 0) {
        rh_desired_free(d);
        return -1;
    }
    *to = d;
    return 0;
}

void
rh_desired_free(struct rh_desired *d)
{
    if (!d)
        return;
    rh_buf_clear(&d->text);
    free(d->file);
    free(d->slots);
    free(d->folder);
    free(d->path);
    free(d);
}

int
rh_desired_save(struct rh_desired *d, struct rh_error *err)
{
    size_t n = 0;

    if (!d || !d->changed)
        return 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].day + KEPT >= d->today)
            d->v[n++] = d->v[i];
    d->n = n;
    d->next = 0;
    free(d->slots); /* records have moved */
    d->slots = NULL;
    d->n_slots = 0;
    if (rh_replace_file(d->path, d->file, sizeof *d->head + n * sizeof *d->v, 0600, err) < 0)
        return -1;
    return rh_sync_directory(d->folder, err);
}
