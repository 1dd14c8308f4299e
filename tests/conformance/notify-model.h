/* SPDX-License-Identifier: Apache-2.0 */
/* notify-model - what our rules say of a vector of notify.json: the manifest that it is, and what
 * then has to be executed. It knows nothing of how rhost does it. */
#ifndef RH_TESTS_CONFORMANCE_NOTIFY_MODEL_H
#define RH_TESTS_CONFORMANCE_NOTIFY_MODEL_H

#include <json.h>
#include <stdbool.h>

/* What was done, or should be. */
struct course {
    bool refused, failed;        /* failed is set when it was refused, too */
    struct json_object *order;   /* [what, via, by, result] */
    struct json_object *updated; /* texts, sorted, each once */
};

void course_init(struct course *c);
void course_clear(struct course *c);
void course_add(struct course *c, const char *what, const char *via, const char *by, const char *result);
void course_update(struct course *c, const char *key);
void course_sort(struct course *c);

/* What there is about a vector that Chef takes another way. */
enum {
    TWICE = 1,         /* a key is declared twice */
    EDITS_NOTHING = 2, /* an edit of what is not declared */
    BAD_TARGET = 4,    /* a notification from or to nobody, or with an action that is none */
    FOR_RECIPES = 8,   /* steps that a manifest does not have */
    DELAYED_ACTION = 16,
    ELSEWHERE = 32, /* executed in the collection of another */
    FAILS = 64,
    TELLS_BEFORE = 128,
    SAID_TWICE = 256,
    DELAYED_WITHIN = 512, /* a delayed notification from inside to inside */
    UNIFIED = 1024,
    REACHES_IN = 2048, /* from outside to inside, or one name in both */
    CIRCLE = 4096,
    REFRESHES_PARTS = 8192,
    GUARDED = 16384, /* by the guard of an instance that it is part of */
};

/* The manifest of these steps. */
struct json_object *model_manifest(struct json_object *steps);

/* Whether a key is declared within another resource, and only there. */
bool model_is_within(struct json_object *steps, const char *key);

/* Plays a vector by our rules; returns what there is about it. */
unsigned model_play(struct json_object *vector, struct course *c);

#endif
