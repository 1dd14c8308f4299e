/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that belongs to one operation and goes at once.
 *
 * Values live in arenas, so nobody frees a value. An arena also carries one word for its values:
 * the table through which a plugin reaches the host, which is the first word of every value that
 * is handed to a plugin (sdk/rhost/abi.h). Arenas that no plugin sees have NULL there. */
#ifndef RH_BASE_ARENA_H
#define RH_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;

struct rh_arena *rh_arena_new(const void *host);

/* Where an arena's memory comes from, and goes, if not the heap. What it gets need not be zeroed. */
struct rh_arena_source {
    void *(*get)(size_t n); /* never NULL */
    void (*release)(void *p, size_t n);
};
struct rh_arena *rh_arena_new_from(const void *host, const struct rh_arena_source *source);
void rh_arena_free(struct rh_arena *arena); /* NULL is fine; runs what was deferred, last first */

/* Forgets everything but keeps the first chunk: for work that comes in rounds. */
void rh_arena_reset(struct rh_arena *arena);

/* A secret is in it: it is overwritten when it is reset or goes. */
void rh_arena_keep_secret(struct rh_arena *arena);
bool rh_arena_keeps_secret(const struct rh_arena *arena);

/* Zeroed, aligned for any scalar. Never NULL: running out ends the process. */
void *rh_arena_alloc(struct rh_arena *arena, size_t n) __attribute__((returns_nonnull));
void *rh_arena_room(struct rh_arena *arena, size_t n) __attribute__((returns_nonnull)); /* as it is */
char *rh_arena_strdup(struct rh_arena *arena, const char *s) __attribute__((returns_nonnull));
char *rh_arena_strndup(struct rh_arena *arena, const char *s, size_t n) __attribute__((returns_nonnull));
char *rh_arena_printf(struct rh_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Has `fn(data)` called when the arena goes: for what a library allocated for us. */
void rh_arena_defer(struct rh_arena *arena, void (*fn)(void *), void *data);

const void *rh_arena_host(const struct rh_arena *arena);
size_t rh_arena_size(const struct rh_arena *arena); /* bytes taken from the system */

static inline void
rh_cleanup_arena(struct rh_arena **arena)
{
    rh_arena_free(*arena);
}
#define rh_autoarena __attribute__((cleanup(rh_cleanup_arena)))

#endif
