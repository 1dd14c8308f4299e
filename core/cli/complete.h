/* SPDX-License-Identifier: Apache-2.0 */
/* complete - how a command line can go on. Nothing is run for it, and nothing written. */
#ifndef RH_CLI_COMPLETE_H
#define RH_CLI_COMPLETE_H

#include "base/map.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_command;
struct rh_settings;

/* What is known of the command line, and the answer. */
struct rh_completion {
    struct rh_arena *arena;
    struct rh_settings *settings;     /* of the options so far */
    const struct rh_command *command; /* NULL: it is not there yet */
    const char *const *operands;      /* so far */
    size_t n_operands;
    size_t ended_at;  /* how many of them are before "--" */
    const char *lead; /* what stands before the value in the same word: "--only=" */
    const char *word; /* the value so far */
    bool files, directories;
    struct rh_map seen;
    struct rh_buf lines;
};

/* complete-offer.c */

/* Adds `value`, if it goes on from the word; `desc` may be NULL. */
void rh_completion_offer(struct rh_completion *c, const char *value, const char *desc);

/* The same for "a, b or c", if it is such a list. */
void rh_completion_offer_list(struct rh_completion *c, const char *list);

/* complete-value.c: the values of operands and options. */

/* By the word in the help: FILE, TYPE, RUN, REF; `option` is NULL for an operand. */
void rh_complete_value(struct rh_completion *c, const char *what, const char *option);

/* complete-session.c: what only manifests, plugins and this machine know. */
void rh_complete_types(struct rh_completion *c);
void rh_complete_attributes(struct rh_completion *c, const char *type);
void rh_complete_titles(struct rh_completion *c, const char *type);
void rh_complete_providers(struct rh_completion *c, const char *type);
void rh_complete_resources(struct rh_completion *c);
void rh_complete_tags(struct rh_completion *c);
void rh_complete_paths(struct rh_completion *c,
                       const char *end); /* of attributes; `end` is put behind them */
void rh_complete_facts(struct rh_completion *c);
void rh_complete_targets(struct rh_completion *c, const char *file);

/* complete-push.c: targets and groups of the file that --targets names, and the commands after "--". */
void rh_complete_selection(struct rh_completion *c);
void rh_complete_pushed(struct rh_completion *c);

/* complete-state.c: what earlier runs left. */
void rh_complete_runs(struct rh_completion *c);
void rh_complete_pending(struct rh_completion *c);
void rh_complete_known_resources(struct rh_completion *c, const char *type, bool titles);

#endif
