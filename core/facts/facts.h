/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what is so of this machine, found out when somebody asks.
 *
 * Each top-level fact is a function that is called at most once, when it is read first. Facts of
 * one's own come from folders (facts.d): JSON, YAML, and programs with a time limit. */
#ifndef RH_FACTS_FACTS_H
#define RH_FACTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_complaints;
struct rh_value;

/* Facts that plugins have. */
struct rh_facts_plugins {
    void *data;
    /* NULL: there is none of this name, or it can't be read; valid until the facts are freed. */
    const struct rh_value *(*get)(void *data, const char *name);
    void (*names)(void *data, void (*one)(void *to, const char *name), void *to);
};

struct rh_facts_options {
    const char *const *folders; /* facts.d: the later ones win, missing ones are skipped */
    size_t n_folders;
    unsigned time_limit;              /* seconds for one program; 0: 10 */
    bool no_programs;                 /* none is run: what they tell is not known */
    const char *root;                 /* where /etc, /proc and /sys are: "" but in tests */
    struct rh_complaints *complaints; /* what is wrong with facts of one's own; borrowed, may be NULL;
                                       * nothing is refused for it: set `warn` there */
};

struct rh_facts;

struct rh_facts *rh_facts_new(const struct rh_facts_options *options);
void rh_facts_free(struct rh_facts *f);

/* Facts that are others at each reading, as far as they were read: `time`, `uptime`, and what is free of
 * memory and of file systems; in the form of the facts. */
struct rh_value *rh_facts_readings(const struct rh_facts *f, struct rh_arena *a);

/* From now on they are these, of an earlier run. `readings` must stay. */
void rh_facts_give_readings(struct rh_facts *f, const struct rh_value *readings);

/* A file of facts and a built-in fact count more than one of a plugin, and that more than a program. */
void rh_facts_set_plugins(struct rh_facts *f, const struct rh_facts_plugins *plugins);

/* One top-level fact; NULL when there is none. Belongs to `f`. */
const struct rh_value *rh_facts_get(struct rh_facts *f, const char *name);

/* The names of all facts, those of one's own included (for which their folders are read). */
void rh_facts_names(struct rh_facts *f, void (*one)(void *to, const char *name), void *to);

#endif
