/* SPDX-License-Identifier: Apache-2.0 */
/* static - what a plugin says of itself, before any of its callbacks runs. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "check/elf.h"
#include "check/parts.h"
#include "check/subject.h"
#include "plugin/load.h"
#include "plugin/side-effects.h"
#include "provider/describe.h"
#include "schema/check.h"
#include "schema/type.h"

#include <string.h>
#include <time.h>

enum { QUICK = 100 }; /* milliseconds of processor time */

void
rh_check_symbol(struct rh_checker *c)
{
    bool program = rh_bridge_is_file(c->options->path);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *list = program ? NULL : rh_elf_exports(c->arena, c->options->path, &err);
    rh_autobuf struct rh_buf others = { 0 };
    bool entry = false;
    size_t n = 0;

    if (program) {
        rh_check_say(c, RH_CHECK_SKIP, "it is a program, and no shared object");
        return;
    }
    if (!list) {
        rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
        return;
    }
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const char *name = rh_value_str(rh_value_at(list, i), "");

        if (strcmp(name, RHOST_PLUGIN_SYMBOL) == 0)
            entry = true;
        else if (strncmp(name, "rhost_plugin_v", 14) != 0 && n++ < 5)
            rh_buf_addf(&others, "%s%s", others.n ? ", " : "", name);
    }
    if (!entry)
        rh_check_say(c, RH_CHECK_FAIL, "it does not export " RHOST_PLUGIN_SYMBOL);
    else if (n)
        rh_check_say(c, RH_CHECK_FAIL, "besides its entry it exports %zu symbol%s: %s%s", n,
                     n == 1 ? "" : "s", rh_buf_text(&others), n > 5 ? ", ..." : "");
}

/* The whole description as JSON; false after saying why not. */
static bool
describe(struct rh_subject *s, struct rh_buf *b)
{
    struct rh_checker *c = s->checker;
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = rh_describe_plugin(c->arena, s->plugin, s->types, &err);

    if (v)
        rh_value_to_json(b, v, true);
    else
        rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
    return v != NULL;
}

void
rh_check_loads(struct rh_checker *c)
{
    struct rh_subject s;

    if (rh_subject_load(&s, c))
        (void)describe(&s, &c->payload);
}

void
rh_check_pure(struct rh_checker *c)
{
    rh_autobuf struct rh_buf first = { 0 };
    rh_autobuf struct rh_buf second = { 0 };
    rh_autobuf struct rh_buf bad = { 0 };
    struct rh_subject s;
    struct rh_side_effects manners;

    rh_side_effects_note(&manners);
    if (!rh_subject_load(&s, c) || !describe(&s, &first) || !rh_subject_load(&s, c) || !describe(&s, &second))
        return;
    if (strcmp(rh_buf_text(&first), rh_buf_text(&second)) != 0)
        rh_check_say(c, RH_CHECK_FAIL, "two descriptions of it differ");
    if (rh_side_effects_check(&manners, &bad))
        rh_check_say(c, RH_CHECK_FAIL, "being described, it %s", rh_buf_text(&bad));
}

static double
processor_time(void)
{
    struct timespec ts = { 0 };

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

void
rh_check_quick(struct rh_checker *c)
{
    rh_autobuf struct rh_buf text = { 0 };
    double began = processor_time(), took;
    struct rh_subject s;

    if (!rh_subject_load(&s, c) || !describe(&s, &text))
        return;
    took = processor_time() - began;
    if (took > QUICK)
        rh_check_say(c, RH_CHECK_WARN, "loading and describing it takes %.0f ms of processor time", took);
}

void
rh_check_schema(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };

    if (!rh_type_read(c->arena, c->description, &err))
        rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
}

void
rh_check_documented(struct rh_checker *c)
{
    rh_autobuf struct rh_buf names = { 0 };

    rh_type_undocumented(c->type, &names);
    if (names.n)
        rh_check_say(c, RH_CHECK_WARN, "no documentation for %s", rh_buf_text(&names));
}

/* A property that what is there may have otherwise than it is wanted; NULL: there is none. */
static const char *
can_differ(const struct rh_type *t)
{
    for (size_t i = 0; i < t->n_attrs; i++)
        if (rh_attr_is_property(&t->attrs[i]) && strcmp(t->attrs[i].name, "ensure") != 0
            && !(t->attrs[i].behaviour & (RH_READ_ONLY | RH_INIT_ONLY)))
            return t->attrs[i].name;
    return NULL;
}

/* What would be refused altogether was refused by the schema; here is what can't be meant. */
void
rh_check_callbacks(struct rh_checker *c)
{
    const struct rh_type *t = c->type;
    uint32_t writing = RH_HAS_SET | RH_HAS_CREATE | RH_HAS_UPDATE | RH_HAS_REMOVE | RH_HAS_CONVERGE;
    bool act = false;

    for (size_t i = 0; i < t->n_actions; i++)
        act |= !t->actions[i].overlay;
    if (t->slots & RH_HAS_ACT && !act)
        rh_check_say(c, RH_CHECK_WARN, "it defines act, but no action uses it");
    if (t->features & RH_SUPPORTS_NOOP && !(t->slots & (writing | RH_HAS_ACT)))
        rh_check_say(c, RH_CHECK_FAIL, "it supports noop, but defines no callback that writes");
    if (!(t->slots & (RH_HAS_CREATE | RH_HAS_UPDATE | RH_HAS_REMOVE)))
        return;
    if (!t->ensure && t->slots & RH_HAS_REMOVE && !rh_type_attr(t, "ensure"))
        rh_check_say(c, RH_CHECK_WARN, "it defines remove, but has no attribute 'ensure'");
    if (t->slots & RH_HAS_CREATE && !(t->slots & RH_HAS_UPDATE) && can_differ(t))
        rh_check_say(c, RH_CHECK_WARN, "it defines no update, but '%s' can differ from its desired value",
                     can_differ(t));
    if (t->ensure && !(t->slots & RH_HAS_CREATE))
        rh_check_say(c, RH_CHECK_FAIL, "it has 'ensure', but defines no create");
    if (t->ensure && !(t->slots & RH_HAS_REMOVE))
        rh_check_say(c, RH_CHECK_FAIL, "it has 'ensure', but defines no remove");
}
