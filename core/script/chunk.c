/* SPDX-License-Identifier: Apache-2.0 */
/* chunk - loading the text of a script, and where in it an error is. */
#include "config.h"

#include "script/optional.h"
#include "script/parts.h"
#include "script/problem.h"

#include "base/message-code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARGE_PER_BYTE = 4 };

struct reading {
    const char *lead, *text;
    size_t n, at; /* of the text, so far */
    const struct rh_insertion *insertions;
    size_t n_insertions;
};

/* One byte at a time, so that it is known how far the text was read when something is wrong. */
static const char *
read_byte(lua_State *l, void *data, size_t *n)
{
    struct reading *r = data;

    (void)l;
    if (*r->lead) {
        const char *lead = r->lead;

        *n = strlen(lead);
        r->lead = "";
        return lead;
    }
    if (r->n_insertions && r->insertions->at == r->at) {
        const char *text = r->insertions->text;

        r->insertions++;
        r->n_insertions--;
        *n = strlen(text);
        return text;
    }
    if (r->at == r->n)
        return NULL;
    *n = 1;
    return &r->text[r->at++];
}

/* Where the token stands that the message is about: the last one of its text that was read. */
static size_t
find_token(const struct reading *r, const char *message)
{
    const char *token = NULL, *at, *end;
    size_t n;

    for (at = strstr(message, " near "); at; at = strstr(at + 1, " near "))
        token = at + 6;
    if (!token)
        return r->at ? r->at - 1 : 0;
    if (*token != '\'')
        return r->n; /* <eof> */
    end = strrchr(++token, '\'');
    n = end ? (size_t)(end - token) : 0;
    for (size_t i = r->at; n && i >= n; i--)
        if (memcmp(r->text + i - n, token, n) == 0)
            return i - n;
    return r->at ? r->at - 1 : 0;
}

static const char *
without_suffix(lua_State *l, const char *message)
{
    static const char eof[] = " near <eof>";
    size_t n = strlen(message);

    if (n > sizeof eof && strcmp(message + n - (sizeof eof - 1), eof) == 0)
        return lua_pushfstring(l, "%s at its end", lua_pushlstring(l, message, n - (sizeof eof - 1)));
    return message;
}

/* `at` is the byte of the text, which is the place of an error in an expression. */
static void
note_byte(struct rh_script *s, unsigned file, size_t at)
{
    s->now.at_known = !file;
    s->now.at = file ? 0 : at;
}

/* `not a == b` means `(not a) == b`, which is never what was meant. */
static void
refuse_negation(lua_State *l, const char *text, size_t n, unsigned file)
{
    static const char wording[] =
        RH_WORDING("'not' applies to the operand after it alone: write a ~= b, or not (a == b)");
    size_t at = rh_optional_find_negation(text, n);
    struct rh_place place = { .line = 1, .file = (uint16_t)file };

    if (at == n)
        return;
    for (size_t i = 0; i < at; i++)
        place.line += text[i] == '\n';
    note_byte(rh_script_of(l), file, at);
    rh_script_raise_at(l, place, wording, wording);
}

void
rh_script_load(lua_State *l, const char *lead, const char *text, size_t n, unsigned file)
{
    struct rh_script *s = rh_script_of(l);
    struct reading r = { .lead = lead, .text = text, .n = n };
    struct rh_place place = { .line = 1, .file = (uint16_t)file };
    char name[16];
    struct rh_insertion *insertions;
    const char *message, *rest;
    int status;

    if (file)
        (void)snprintf(name, sizeof name, "=%c%u", RH_SCRIPT_MARK, file & 0xffff);
    else
        (void)snprintf(name, sizeof name, "=%ce", RH_SCRIPT_MARK);
    rh_script_charge(l, (uint64_t)n * CHARGE_PER_BYTE);
    refuse_negation(l, text, n, file);
    r.insertions = insertions = rh_optional_find(text, n, &r.n_insertions);
    status = lua_load(l, read_byte, &r, name, "t"); /* which raises nothing */
    free(insertions);
    if (status == LUA_OK)
        return;
    if (status == LUA_ERRMEM)
        rh_script_stop(l, RH_STOP_MEMORY);
    /* What is nested too deeply was told to whoever looks at the stack: forget that. */
    rh_script_forget(s);
    message = lua_type(l, -1) == LUA_TSTRING ? lua_tostring(l, -1) : "cannot be read";
    if (!rh_script_prefix(message, &place, &rest))
        rest = message;
    note_byte(s, file, find_token(&r, rest));
    rest = without_suffix(l, rest);
    if (strstr(rest, "C stack overflow") || strstr(rest, "too many syntax levels"))
        rest = "is nested too deeply";
    place.file = (uint16_t)file;
    rh_script_raise_at(l, place, NULL, rest);
}
