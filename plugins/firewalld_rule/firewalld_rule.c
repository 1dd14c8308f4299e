/* SPDX-License-Identifier: Apache-2.0 */
/* firewalld_rule - keep services, ports, sources, rich rules and more in the zones of firewalld. */

#include "work.h"

static const struct rhost_attr attrs[] = {
    { .name = "zone",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_-]{0,16}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The zone, such as public." },
    { .name = "kind", .type = KIND_TYPE, .behaviour = RHOST_NAMEVAR, .desc = "What the zone shall have." },
    { .name = "value",
      .type = "String[0, 1024]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "Which one, such as 'ssh' of a service or '8080/tcp' of a port." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the zone has it." },
    { .name = "configuration",
      .type = "Enum[all, permanent, running]",
      .default_value = "\"all\"",
      .desc = "Where: the permanent configuration, the running one while firewalld runs, or both." },
    { .name = "exact",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a configuration that is not named must not have it." },
    { .name = "join",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether ports may join others that the zone has." },
    { .name = "move",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether an interface or a source may move out of another zone." },
};

static const char *const title_patterns[] = {
    "\\A(?<zone>[\\w-]+) (?<kind>masquerade|forward|icmp_block_inversion)\\z",
    "\\A(?<zone>[\\w-]+) (?<kind>[a-z_]+) (?<value>.+)\\z",
    NULL,
};

static const char *const relations[] = { "autorequire package[firewalld]", "restores with exact=true",
                                         "loses the ports that it joined if $join if $ensure",
                                         "loses the zone that it was in if $move if $ensure", NULL };

/* `exact` of an undo, or a manifest: whether all that is not named must go. */
static int
is_exact(const rhost_value *should)
{
    return rhost_bool(should, "exact", 0);
}

static int32_t
rule_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "kind"), *value = rhost_str(resource, "value"), *canonical, *why;
    const struct kind *kind = name ? kind_of(name) : NULL;

    if (!kind || !value)
        return 0;
    canonical = kind_canonical(ctx, kind, value, &why);
    if (!canonical)
        return rhost_fail_attr(ctx, "value", "%s", why);
    rhost_put_str(resource, "value", canonical);
    return 0;
}

static int32_t
emit(rhost_ctx *ctx, const char *zone, const struct kind *kind, const char *value, const char *where)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_fmt(one, "title", "%s %s%s%s", zone, kind->name, *value ? " " : "", value);
    rhost_put_str(one, "zone", zone);
    rhost_put_str(one, "kind", kind->name);
    rhost_put_str(one, "value", value);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "configuration", where);
    return ctx->host->emit(ctx, one);
}

static const char *
where_of(const struct firewall *firewall, int permanent, int running)
{
    if (!firewall->runs || (permanent && running))
        return "all";
    return permanent ? "permanent" : "running";
}

static int32_t
get_all(rhost_ctx *ctx, const struct firewall *f)
{
    const struct zones *const both[] = { &f->permanent, &f->running };

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n_items; i++) {
            const struct item *item = &both[k]->items[i];
            int other = zones_find(both[!k], item->zone, item->kind, item->value, 0) != NULL;

            if (k == 1 && other)
                continue;
            if (emit(ctx, item->zone, item->kind, item->value, where_of(f, k == 0 || other, k == 1 || other))
                < 0)
                return -1;
        }
    return 0;
}

static int32_t
get_one(rhost_ctx *ctx, const struct firewall *f, const rhost_value *name, const rhost_value *should)
{
    const char *zone = rhost_str(name, "zone"), *value = rhost_str(name, "value");
    const char *wanted = rhost_str_or(should, "configuration", "all");
    const struct kind *kind = kind_of(rhost_str(name, "kind"));
    int gone = rhost_wants_absence(should), permanent, running;

    if (!f->runs && strcmp(wanted, "running") == 0)
        return rhost_fail_name(ctx, name, "firewalld does not run: it has no running configuration"), 0;
    permanent = zones_find(&f->permanent, zone, kind, value, gone) != NULL;
    running = zones_find(&f->running, zone, kind, value, gone) != NULL;
    if (gone && strcmp(wanted, "running") == 0)
        permanent = 0;
    if (gone && strcmp(wanted, "permanent") == 0)
        running = 0;
    if (!permanent && !running)
        return 0;
    return emit(ctx, zone, kind, value,
                !f->runs && strcmp(wanted, "permanent") == 0 ? wanted : where_of(f, permanent, running));
}

static int32_t
rule_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct firewall f;

    if (firewall_read(ctx, &f) < 0)
        return -1;
    if (!names)
        return get_all(ctx, &f);
    for (size_t i = 0; i < rhost_count(names); i++)
        if (get_one(ctx, &f, rhost_at(names, i, NULL), rhost_asked(ctx, i)) < 0)
            return -1;
    return 0;
}

/* What is in more configurations than are named is in sync, unless only those shall have it. */
static int32_t
rule_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "configuration");

    (void)ctx;
    if (strcmp(attribute, "configuration") == 0 && is && strcmp(is, "all") == 0 && !is_exact(change->should))
        return 0;
    return RHOST_DEFAULT_COMPARISON;
}

/* Why ports must not be added: firewalld would join them with what the zone has, or what the steps before
 * add, and an undo would remove that with them. NULL: they may. */
static const char *
joins(rhost_ctx *ctx, const struct zones *zones, const struct step *step, const struct step *before,
      size_t n_before)
{
    const struct item *has = zones_find(zones, step->zone, step->kind, step->value, 1);
    const char *other = has ? has->value : NULL;

    for (size_t i = 0; i < n_before && !other; i++)
        if (before[i].add && before[i].tool == step->tool && before[i].kind == step->kind
            && strcmp(before[i].zone, step->zone) == 0
            && kind_covers(step->kind, before[i].value, step->value, 1))
            other = before[i].value;
    if (!other)
        return NULL;
    return rhost_fmt(ctx, "zone '%s' has '%s', and firewalld joins both: 'join: true' permits it", step->zone,
                     other);
}

/* Why the step must not be done; NULL: it may. */
static const char *
objection(rhost_ctx *ctx, const struct rhost_change *change, const struct zones *zones,
          const struct step *step, const struct item *now, const struct step *before, size_t n_before)
{
    const char *zone = step->add && step->kind->moves ? zones_with(zones, step->kind, step->value) : NULL;

    if (step->add && !zones_have(zones, step->zone))
        return rhost_fmt(ctx, "unknown zone '%s'%s", step->zone,
                         zones->tool == TOOL_RUNNING
                             ? ": the running configuration gets a new zone with 'firewall-cmd --reload'"
                             : "");
    if (zone && !rhost_bool(change->should, "move", 0))
        return rhost_fmt(ctx, "'%s' is in zone '%s': 'move: true' moves it", step->value, zone);
    if (!step->kind->ports)
        return NULL;
    if (step->add)
        return rhost_bool(change->should, "join", 0) ? NULL : joins(ctx, zones, step, before, n_before);
    if (kind_covers(step->kind, now->value, step->value, 0))
        return NULL;
    return rhost_fmt(ctx, "zone '%s' has only a part of it, in '%s': remove what it has", step->zone,
                     now->value);
}

/* The step, if any, that brings a configuration to what the change wants of it; how many there are. `n` steps
 * are before it. */
static size_t
plan(rhost_ctx *ctx, const struct rhost_change *change, size_t of, const struct zones *zones, int named,
     struct step *steps, size_t n, const char **why)
{
    const char *value = rhost_str(change->name, "value");
    struct step step = {
        .tool = zones->tool,
        .zone = rhost_str(change->name, "zone"),
        .kind = kind_of(rhost_str(change->name, "kind")),
        .value = value,
        .named = value,
        .of = of,
    };
    int gone = rhost_gone(change);
    const struct item *now = zones_find(zones, step.zone, step.kind, value, gone);

    if (!named && (gone || !is_exact(change->should)))
        return 0;
    step.add = named && !gone;
    if (step.add == (now != NULL))
        return 0;
    *why = objection(ctx, change, zones, &step, now, steps, n);
    if (*why)
        return 0;
    if (now && !step.kind->ports)
        step.value = now->listed;
    steps[n] = step;
    return 1;
}

static size_t
plan_all(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n, const struct zones *zones,
         const char *other, struct step *steps, const char **whys)
{
    size_t done = 0;

    for (size_t i = 0; i < n; i++) {
        const rhost_value *wanted = changes[i]->should ? changes[i]->should : changes[i]->is;
        int named = strcmp(rhost_str_or(wanted, "configuration", "all"), other) != 0;

        if (!whys[i])
            done += plan(ctx, changes[i], i, zones, named, steps, done, &whys[i]);
    }
    return done;
}

static int32_t
rule_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct step *steps = rhost_alloc(ctx, 2 * n * sizeof *steps);
    const char **whys = rhost_alloc(ctx, n * sizeof *whys);
    struct firewall f;
    size_t n_steps;

    if (firewall_read(ctx, &f) < 0)
        return -1;
    /* What is kept comes first: should that be refused, the running configuration stays as it is. */
    n_steps = plan_all(ctx, changes, n, &f.permanent, "running", steps, whys);
    if (f.runs)
        n_steps += plan_all(ctx, changes, n, &f.running, "permanent", steps + n_steps, whys);
    if (!rhost_noop(ctx) && work_do(ctx, changes, n, steps, n_steps, whys) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint64_t scope = rhost_begin(ctx,
                                     rhost_gone(changes[i]) ? RHOST_DELETING
                                     : changes[i]->is       ? RHOST_UPDATING
                                                            : RHOST_CREATING,
                                     changes[i]->title);

        if (whys[i])
            (void)rhost_fail(ctx, "%s", whys[i]);
        rhost_end(ctx, scope);
    }
    return 0;
}

static const char *const needs[] = { "root", "run[firewall-cmd]", "run[firewall-offline-cmd]", NULL };

static const struct rhost_provider firewalld_rule_provider = {
    RHOST_PROVIDER("firewalld_rule", "Keep services, ports, sources and rules in the zones of firewalld."),
    RHOST_ATTRS(attrs),
    .title_patterns = title_patterns,
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_GATHERS | RHOST_SUPPORTS_NOOP | RHOST_READ_BACK
                | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .suits = tool_suits,
    .canonicalize = rule_canonicalize,
    .insync = rule_insync,
    .get = rule_get,
    .set = rule_set,
};

RHOST_PLUGIN(firewalld_rule, "1.0", &firewalld_rule_provider)
