/* SPDX-License-Identifier: Apache-2.0 */
/* problem - what went wrong in a script, and where. */
#include "config.h"

#include "script/problem.h"

#include "script/lua-words.h"
#include "script/other-syntax.h"
#include "script/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "script/state.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A level of the stack is found by going there from the top: not for each of very many. */
enum { LONGEST_MESSAGE = 2000, LONGEST_WORDS = 400, LEVELS = 200 };

static const char too_deep[] = RH_WORDING("function calls are nested too deeply");

/* "\1N:LINE: " with a file's number, or "\1e:LINE: ". */
bool
rh_script_prefix(const char *message, struct rh_place *place, const char **rest)
{
    const char *at = message + 1;
    unsigned long file = 0, line = 0;

    if (*message != RH_SCRIPT_MARK)
        return false;
    if (*at == 'e')
        at++;
    else
        for (; *at >= '0' && *at <= '9'; at++)
            file = file * 10 + (unsigned long)(*at - '0');
    if (*at++ != ':')
        return false;
    for (; *at >= '0' && *at <= '9'; at++)
        line = line * 10 + (unsigned long)(*at - '0');
    if (at[0] != ':' || at[1] != ' ')
        return false;
    place->file = (uint16_t)file;
    place->line = (uint32_t)line;
    place->column = 0;
    *rest = at + 2;
    return true;
}

/* The place of the function at this level of the stack, when a script wrote it. */
static bool
place_of(lua_State *l, int level, struct rh_place *place, bool *more)
{
    lua_Debug ar;
    const char *source;

    *more = lua_getstack(l, level, &ar) == 1;
    if (!*more || !lua_getinfo(l, "Sl", &ar) || ar.currentline < 0)
        return false;
    source = ar.source;
    if (source[0] != '=' || source[1] != RH_SCRIPT_MARK)
        return false;
    place->file = source[2] == 'e' ? 0 : (uint16_t)strtoul(source + 2, NULL, 10);
    place->line = (uint32_t)ar.currentline;
    place->column = 0;
    return true;
}

struct rh_place
rh_script_place(lua_State *l)
{
    struct rh_place place = { 0 };
    bool more = true;

    for (int level = 0; more && level < LEVELS; level++)
        if (place_of(l, level, &place, &more))
            break;
    return place;
}

/* Where what is at `place` was included from: the next place outwards in another file. */
static struct rh_place
find_from(lua_State *l, struct rh_place place)
{
    struct rh_place from = { 0 };
    bool more = true;

    for (int level = 0; more && level < LEVELS; level++)
        if (place_of(l, level, &from, &more) && from.file != place.file)
            return from;
    return (struct rh_place){ 0 };
}

static void __attribute__((noreturn)) raise_text(lua_State *l, struct rh_place place, const char *hint,
                                                 unsigned code, const char *format, const char *text)
{
    struct rh_script_run *now = &rh_script_of(l)->now;

    if (!place.line)
        lua_pushstring(l, text);
    else if (place.file)
        lua_pushfstring(l, "%c%d:%d: %s", RH_SCRIPT_MARK, (int)place.file, (int)place.line, text);
    else
        lua_pushfstring(l, "%ce:%d: %s", RH_SCRIPT_MARK, (int)place.line, text);
    if (hint) {
        lua_pushfstring(l, "%c%s", RH_SCRIPT_HINT, hint);
        lua_concat(l, 2);
    }
    now->raised = lua_tostring(l, -1);
    now->raised_format = format;
    now->raised_code = code;
    lua_error(l);
    abort(); /* lua_error does not return */
}

void
rh_script_raise_hint(lua_State *l, const char *hint, const char *fmt, ...)
{
    char text[LONGEST_MESSAGE];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    raise_text(l, rh_script_place(l), hint, 0, fmt, text);
}

void
rh_script_raise(lua_State *l, const char *fmt, ...)
{
    char text[LONGEST_MESSAGE];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    raise_text(l, rh_script_place(l), NULL, 0, fmt, text);
}

void
rh_script_raise_code(lua_State *l, const char *hint, unsigned code, const char *text)
{
    raise_text(l, rh_script_place(l), hint, code, NULL, text);
}

void
rh_script_raise_at(lua_State *l, struct rh_place place, const char *wording, const char *text)
{
    raise_text(l, place, NULL, 0, wording, text);
}

void
rh_script_plain_error(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *message, *rest, *hint, *name;
    char text[LONGEST_WORDS];
    struct rh_place place;
    unsigned code;

    if (lua_type(l, -1) != LUA_TSTRING)
        return;
    message = lua_tostring(l, -1);
    if (rh_script_prefix(message, &place, &rest)) {
        if (rh_lua_argument_error(rest, text, sizeof text, &code))
            rest = text;
        name = rh_sources_name(s->options.sources, place.file);
        if (name)
            lua_pushfstring(l, "%s:%d: %s", name, (int)place.line, rest);
        else
            lua_pushstring(l, rest);
        lua_remove(l, -2);
        message = lua_tostring(l, -1);
    } else if (rh_lua_argument_error(message, text, sizeof text, &code)) {
        message = lua_pushstring(l, text);
        lua_remove(l, -2);
    }
    hint = strchr(message, RH_SCRIPT_HINT);
    if (hint) {
        lua_pushlstring(l, message, (size_t)(hint - message));
        lua_pushfstring(l, " (%s)", hint + 1);
        lua_concat(l, 2);
        lua_remove(l, -2);
    }
}

/* What Lua says of its own limits and of arguments, in words for the reader. */
static char *
better(struct rh_script_run *now, const char *message)
{
    char text[LONGEST_WORDS];

    if (strncmp(message, "stack overflow", 14) == 0 || strncmp(message, "C stack overflow", 16) == 0) {
        now->code = rh_message_code(too_deep);
        return rh_xstrdup(too_deep);
    }
    if (rh_lua_argument_error(message, text, sizeof text, &now->code))
        return rh_xstrdup(text);
    return NULL;
}

void
rh_script_note(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_script_run *now = &s->now;
    const char *message, *rest, *hint;

    now->place = rh_script_place(l);
    if (now->stop) {
        now->from = find_from(l, now->place);
        return;
    }
    if (lua_type(l, -1) == LUA_TSTRING)
        message = lua_tostring(l, -1);
    else
        message = lua_pushfstring(l, RH_WORDING("'error' was called with a %s instead of a message"),
                                  luaL_typename(l, -1));
    /* Else Lua itself has raised it, or the script. */
    if (message == now->raised && (now->raised_code || now->raised_format))
        now->code = rh_message_code_of(now->raised_code, now->raised_format, "");
    else
        now->code = rh_message_code(RH_WORDING("an error of Lua, or of the script itself"));
    if (rh_script_prefix(message, &now->place, &rest))
        message = rest;
    now->from = find_from(l, now->place);
    now->message = better(now, message);
    if (now->message)
        return;
    hint = strchr(message, RH_SCRIPT_HINT);
    now->message = rh_xstrndup(message, hint ? (size_t)(hint - message) : strlen(message));
    if (hint)
        now->hint = rh_xstrdup(hint + 1);
}

void
rh_script_forget(struct rh_script *s)
{
    free(s->now.message);
    free(s->now.hint);
    s->now.message = s->now.hint = NULL;
    s->now.code = 0;
    s->now.noted = false;
}

static char *
say_stop(const struct rh_script *s, unsigned *code)
{
    const struct rh_script_limits *limits = &s->options.limits;
    const char *wording = NULL;
    char *text = NULL;

    switch (s->now.stop) {
    case RH_STOP_INSTRUCTIONS:
        wording = RH_WORDING("takes too many steps: more than %s");
        text = rh_printf("takes too many steps: more than %" PRIu64, s->now.granted);
        break;
    case RH_STOP_MEMORY:
        wording = RH_WORDING("needs too much memory: more than %s KiB");
        text = rh_printf("needs too much memory: more than %zu KiB", limits->memory >> 10);
        break;
    case RH_STOP_OUTPUT:
        wording = RH_WORDING("produces too much text: more than %s KiB");
        text = rh_printf("produces too much text: more than %zu KiB", limits->output >> 10);
        break;
    case RH_STOP_DEPTH:
        wording = RH_WORDING("is nested too deeply");
        text = rh_xstrdup(wording);
        break;
    case RH_STOP_TIME:
        wording = RH_WORDING("takes too long");
        text = rh_xstrdup(wording);
        break;
    case RH_STOP_NOT:
    case RH_STOP_UNKNOWN:
        break;
    }
    *code = rh_message_code(wording);
    return text;
}

/* What Lua itself says of types and names has no values in it. */
static bool
lacks_value(const char *message, unsigned code)
{
    return strncmp(message, "attempt to ", 11) == 0 || strncmp(message, "unknown attribute '", 19) == 0
           || strncmp(message, "unknown name ", 13) == 0
           || (code == rh_message_code("argument %d of '%s' must be a %s, not %s%s")
               && (strstr(message, "' must be a ") || strstr(message, "' is missing")));
}

bool
rh_script_redact(struct rh_script *s, const char *text, size_t n, struct rh_buf *to)
{
    return rh_secrets_scrub(&s->secrets, text, n, to);
}

static void
hide_secrets(struct rh_script *s, char **text)
{
    struct rh_buf redacted = { 0 };

    if (!*text || !rh_script_redact(s, *text, strlen(*text), &redacted))
        return;
    free(*text);
    *text = rh_buf_take(&redacted);
}

/* The column is what the line and the message let guess. Returns a hint, or NULL. */
static const char *
find_column(struct rh_script *s, struct rh_place *place, const char *message)
{
    const char *text, *syntax_hint = NULL;
    size_t n, at, start, length;

    if (!place->file || !place->line || !lua_checkstack(s->l, 3))
        return NULL;
    lua_rawgeti(s->l, LUA_REGISTRYINDEX, s->texts);
    if (lua_rawgeti(s->l, -1, place->file) == LUA_TSTRING) {
        text = lua_tolstring(s->l, -1, &length);
        n = length;
        at = rh_script_find(text, n, place->line, message);
        for (start = at; start > 0 && text[start - 1] != '\n';)
            start--;
        n = rh_utf8_count(text + start, at - start);
        place->column = (uint16_t)(n < UINT16_MAX ? n + 1 : UINT16_MAX);
        syntax_hint = rh_other_syntax_hint(message, text, text + at, length - at, true);
    }
    lua_pop(s->l, 2);
    return syntax_hint;
}

void
rh_script_explain(struct rh_script *s, int status, struct rh_error *err)
{
    struct rh_script_run *now = &s->now;
    const char *syntax_hint;

    if (!err)
        return;
    rh_error_clear(err);
    *err = (struct rh_error){ .kind = RH_EINPUT, .place = now->place, .at = now->at };
    if (now->at_known && !err->place.file)
        err->place.line = 0;
    if (now->stop) {
        err->message = say_stop(s, &err->code);
    } else if (status == LUA_ERRERR || !now->message) {
        err->message = rh_xstrdup(too_deep);
    } else if (now->touched && !now->recipe && !lacks_value(now->message, now->code)) {
        err->message =
            rh_xstrdup(RH_WORDING("failed; the message is not shown because it can contain a secret"));
    } else {
        err->message = rh_take(&now->message);
        err->code = now->code;
        err->hint = rh_take(&now->hint);
    }
    if (!err->message[0]) { /* error("") */
        free(err->message);
        err->message = rh_xstrdup(RH_WORDING("failed without a message"));
        err->code = 0;
    }
    if (!err->code)
        err->code = rh_message_code(err->message);
    syntax_hint = find_column(s, &err->place, err->message);
    if (syntax_hint && (!err->hint || strncmp(err->message, "unknown attribute '", 19) == 0)) {
        free(err->hint);
        err->hint = rh_xstrdup(syntax_hint);
    }
    if (err->place.file && now->from.line)
        rh_error_relate(
            err, (struct rh_place){ now->from.line, now->from.column ? now->from.column : 1, now->from.file },
            "included here");
    hide_secrets(s, &err->message);
    hide_secrets(s, &err->hint);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where `word` stands in text[from, to), as a whole word when it is one. */
static size_t
find_word(const char *text, size_t from, size_t to, const char *word, size_t n)
{
    for (size_t i = from; n && i + n <= to; i++)
        if (memcmp(text + i, word, n) == 0 && (!is_word(word[0]) || i == from || !is_word(text[i - 1]))
            && (!is_word(word[n - 1]) || i + n == to || !is_word(text[i + n])))
            return i;
    return SIZE_MAX;
}

size_t
rh_script_find(const char *text, size_t n, unsigned line, const char *message)
{
    const char *at = text, *end = text + n, *stop, *name, *close, *near;
    size_t found;

    for (unsigned i = 1; i < line && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || line == 0)
        at = text;
    stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop)
        stop = end;
    while (at < stop && (*at == ' ' || *at == '\t'))
        at++;
    near = strstr(message, " near '"); /* what Lua stumbled over, before what it expected there */
    for (name = near ? near + 6 : strchr(message, '\''); name; name = strchr(close + 1, '\'')) {
        close = strchr(name + 1, '\'');
        if (!close)
            break;
        found =
            find_word(text, (size_t)(at - text), (size_t)(stop - text), name + 1, (size_t)(close - name - 1));
        if (found != SIZE_MAX)
            return found;
    }
    return (size_t)(at - text);
}

void
rh_script_unknown(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    if (s->now.recipe)
        rh_script_raise(l, "this value is not known before the run, so a recipe cannot use it");
    rh_script_stop(l, RH_STOP_UNKNOWN);
}
