/* SPDX-License-Identifier: Apache-2.0 */
/* parts - the inside of the sandbox, for the files of this room. */
#ifndef RH_SCRIPT_PARTS_H
#define RH_SCRIPT_PARTS_H

#include "script/script.h"
#include "script/state.h"

#include "base/cleanup.h"
#include "base/secrets.h"

#include <lauxlib.h>
#include <lua.h>

struct rh_arena;
struct rh_buf;
struct rh_value;

/* What ends an evaluation whatever the script does about it. */
enum rh_script_stop {
    RH_STOP_NOT,
    RH_STOP_INSTRUCTIONS,
    RH_STOP_MEMORY,
    RH_STOP_OUTPUT,
    RH_STOP_DEPTH,
    RH_STOP_TIME,
    RH_STOP_UNKNOWN, /* an expression looked at what is only known after something has run */
};

/* One evaluation; they may nest: a recipe includes a manifest that has expressions. */
struct rh_script_run {
    bool recipe;  /* marks follow texts; else they follow the whole evaluation */
    bool touched; /* something sensitive was looked at */
    enum rh_script_stop stop;
    uint64_t granted, left; /* instructions */
    const struct rh_value *scope;
    unsigned file;
    int templates;           /* within one another */
    unsigned refused;        /* times that memory was asked for beyond the limit */
    uint64_t since, checked; /* of the outermost: its start, in the processor's time, and when that was
                              * looked at last, in milliseconds; 0: not yet */
    size_t taken;            /* bytes of results */
    unsigned optional;       /* calls of default() and exists() that look for their first argument */
    bool lenient;            /* what is read next may be missing */
    /* What the first error said of itself, before the stack was unwound. */
    bool noted;
    struct rh_place place, from; /* of an expression: file 0, and the line within it */
    size_t at;
    bool at_known;
    char *message, *hint;
    unsigned code;
    /* The error of the library that was raised last: its message, of which Lua keeps one, and what that was
     * made of. */
    const char *raised, *raised_format;
    unsigned raised_code;
};

struct rh_script {
    lua_State *l;
    struct rh_script_options options;
    struct rh_script_run now;
    unsigned running;         /* evaluations within one another */
    size_t used;              /* bytes that Lua and PCRE2 have */
    size_t compiled;          /* texts in the cache */
    struct rh_arena *scratch; /* of one operation on attributes */
    struct rh_secrets secrets;
    size_t n_secret; /* texts and numbers that are known to be secret, short ones too */
    /* References in the registry. */
    int library, expressions, environment, secret_values, views;
    int files;              /* numbers of those that were read, by path and text */
    int texts;              /* of files, by number */
    int templates;          /* what they were compiled to, by number */
    int patterns, matchers; /* what is kept of them, and their metatable */
    unsigned n_patterns, inline_file;
    void *matching; /* what PCRE2 needs (script/match.c) */
};

enum {
    RH_SCRIPT_STEP = 1000,           /* instructions between two looks at the budget */
    RH_SCRIPT_BYTES_TAKEN_OVER = 32, /* for an instruction: a text is joined of others, a table grows */
    RH_SCRIPT_DEEPEST = 64,          /* tables within tables, in what is handed over */
};

/* Takes `n` instructions off the budget, for work that a C function does; ends the evaluation when
 * there are none left. */
void rh_script_charge(lua_State *l, uint64_t n);

/* The same for the bytes of a text that is about to be made. */
void rh_script_charge_text(lua_State *l, uint64_t n);

/* Bytes that the script may still have. */
size_t rh_script_room(const struct rh_script *s);

/* For what was made already, where no error may be raised: takes it off the budget, and counts it as
 * results. What the script does next ends it, when that was too much. */
void rh_script_account(struct rh_script *s, size_t bytes);

/* Takes `n` instructions off the budget; too much ends the evaluation at its next instruction. */
void rh_script_reduce(struct rh_script *s, uint64_t n);

/* Ends the evaluation at its next instruction, from where no error can be raised. */
void rh_script_stop_soon(struct rh_script *s, enum rh_script_stop why);

/* Has the budget looked at from now on. */
void rh_script_watch(struct rh_script *s);

/* All attributes of the node, facts too; NULL when there is no node. */
const struct rh_value *rh_node_view_whole(struct rh_script *s);

/* Ends the evaluation; can't be caught. */
void rh_script_stop(lua_State *l, enum rh_script_stop why) __attribute__((noreturn));

/* Raises `text` at a place of a chunk that is being loaded. `wording` is a literal of the catalogue, or NULL:
 * it is an error of Lua. */
void rh_script_raise_at(lua_State *l, struct rh_place place, const char *wording, const char *text)
    __attribute__((noreturn));

/* Something sensitive, which is at `index` as a Lua value, was looked at. */
void rh_script_touch(lua_State *l, int index);
bool rh_script_is_secret(lua_State *l, int index); /* known to be, in a recipe */

/* Reads a file through the world and pushes its text. */
void rh_script_read(lua_State *l, const char *path);

/* What an RH_UNKNOWN that is looked at means; ends the evaluation where that is not known. */
const struct rh_value *rh_script_resolve(lua_State *l, const struct rh_value *unknown);

/* The same for a value and all within it; itself where nothing is unknown. */
const struct rh_value *rh_script_resolve_all(lua_State *l, const struct rh_value *v);

/* Something unknown was looked at. Does not return. */
void rh_script_unknown(lua_State *l) __attribute__((noreturn));

/* Runs what is within lua_pcall: enters, protects, leaves. */
RH_CHECKED int rh_script_protected(struct rh_script *s, bool recipe, unsigned file,
                                   const struct rh_value *scope, lua_CFunction fn, void *job,
                                   struct rh_error *err);

/* Loads a chunk onto the stack, or raises what is wrong with it. `lead` stands in front of the text
 * (may be ""). The place of an expression is not a line but an offset. */
void rh_script_load(lua_State *l, const char *lead, const char *text, size_t n, unsigned file);

#endif
