/* SPDX-License-Identifier: Apache-2.0 */
/* engine - asks a container engine over its Unix socket: Podman or Docker, by the API that both have. */
#ifndef CONTAINER_IMAGE_ENGINE_H
#define CONTAINER_IMAGE_ENGINE_H

#include "../http_request/transfer.h"
#include "../json_setting/tree.h"

#include <rhost/posix.h>

#define ENGINE_SOCKET "/run/podman/podman.sock"

/* The attribute that all types of an engine have. */
#define ENGINE_ATTR                                                                                          \
    {                                                                                                        \
        .name = "socket", .type = RHOST_TYPE_PATH, .behaviour = RHOST_PARAMETER,                             \
        .default_value = "\"" ENGINE_SOCKET "\"", .desc = "The Unix socket of the engine."                   \
    }

/* What comes before each of them, and what each needs. */
#define ENGINE_RELATIONS                                                                                     \
    "autorequire service[podman.socket]", "autorequire service[docker]", "autorequire package[podman]"
#define ENGINE_NEEDS "socket[$socket]", "capability[dac_override dac_read_search]"

struct engine {
    rhost_ctx *ctx;
    const char *socket;
    long timeout; /* seconds for one request */
    int secret;   /* nothing that the engine says is shown: it may repeat a secret */
};

/* An answer, until engine_answer_clear(). */
struct engine_answer {
    struct pool pool;
    long status;
    struct tree *json; /* the last value of the answer; NULL: none */
    const char *error; /* what an answer in parts says went wrong, in memory of the call; NULL: nothing */
};

#define ENGINE_ANSWER(variable, of)                                                                          \
    __attribute__((cleanup(engine_answer_clear))) struct engine_answer variable = { .pool = { .ctx = (of) } }

void engine_answer_clear(struct engine_answer *a);

/* An engine by the attributes of a resource (NULL: none of them is known). */
void engine_init(struct engine *e, rhost_ctx *ctx, const rhost_value *should);

/* Whether its socket exists. For those who only look: without an engine there is nothing. */
int engine_exists(const struct engine *e);

/* Sends a request: `path` begins with a '/', `body` may be NULL, `file` is sent in its place unless -1. 0:
 * there is an answer, whatever its status; -1 after fail(). */
int engine_ask(const struct engine *e, const char *method, const char *path, const rhost_value *body,
               int file, struct engine_answer *a);

/* Fails with what the engine said: "cannot DO: ...". -1. */
int engine_fail(const struct engine *e, const struct engine_answer *a, const char *attribute,
                const char *what);

/* The same request for one that has to succeed; 404 as well, where `absent` says so. 0, 1 for 404, or -1
 * after fail(). */
int engine_do(const struct engine *e, const char *method, const char *path, const rhost_value *body,
              int absent, const char *what);

/* What the engine says at `path` of "volume 'cache'", which has to have a text at `key`, where that is not
 * NULL. 0; 1: it does not exist; -1 after fail(). */
int engine_inspect(const struct engine *e, const char *path, const char *what, const char *key,
                   struct engine_answer *a);

/* Removes what is at `path`, if it exists. 0, or -1 after fail(). */
int32_t engine_remove(const struct engine *e, const char *path, const char *what);

/* What stands at keys that are separated by '/', and NULL where it is not. */
const struct tree *engine_at(const struct tree *json, const char *keys);
const char *engine_text(const struct tree *json, const char *keys);

#endif
