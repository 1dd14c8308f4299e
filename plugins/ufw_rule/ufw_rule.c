/* SPDX-License-Identifier: Apache-2.0 */
/* ufw_rule - keep rules of ufw, each known by its comment. */

#include "address.h"
#include "named.h"
#include "tuples.h"
#include "ufw.h"

#define INTERFACE "Pattern[/\\A[A-Za-z0-9][A-Za-z0-9_.:@-]{0,13}\\+?\\z/]"
#define APPLICATION "[A-Za-z][A-Za-z0-9 _.+-]{0,63}"
#define PORTS "Pattern[/\\A([0-9][0-9,:]{0,120}|" APPLICATION ")\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[^'\"\\\\\\x00-\\x1f\\x7f -][^'\"\\\\\\x00-\\x1f\\x7f]{0,119}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What the rule is called: its comment in ufw." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether ufw has the rule." },
    { .name = "action",
      .type = "Enum[allow, deny, reject, limit]",
      .desc = "What becomes of the traffic; 'limit' denies an address that connects too often." },
    { .name = "direction",
      .type = "Enum[in, out, route]",
      .default_value = "\"in\"",
      .desc = "Traffic to this machine, from it, or through it." },
    { .name = "interface_in",
      .type = INTERFACE,
      .default_value = "\"any\"",
      .desc = "The interface on which it comes in." },
    { .name = "interface_out",
      .type = INTERFACE,
      .default_value = "\"any\"",
      .desc = "The interface on which it goes out." },
    { .name = "proto",
      .type = "Enum[any, tcp, udp, ah, esp, gre, igmp, ipv6]",
      .default_value = "\"any\"",
      .desc = "The protocol." },
    { .name = "from",
      .type = "String[1, 64]",
      .default_value = "\"any\"",
      .desc = "The address or network that it comes from." },
    { .name = "from_port",
      .type = PORTS,
      .default_value = "\"any\"",
      .desc = "Ports that it comes from, or an application of ufw." },
    { .name = "to",
      .type = "String[1, 64]",
      .default_value = "\"any\"",
      .desc = "The address or network that it goes to." },
    { .name = "to_port",
      .type = PORTS,
      .default_value = "\"any\"",
      .desc = "Ports that it goes to, such as '22', '80,443' or '8000:8010', or an application of ufw." },
    { .name = "log",
      .type = "Enum[none, new, all]",
      .default_value = "\"none\"",
      .desc = "Which packets are logged: of new connections, or all." },
    { .name = "position",
      .type = "Enum[first, last]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"last\"",
      .desc = "Where a rule that is not there yet goes." },
};

static const char *const relations[] = { "autorequire package[ufw]", "autobefore ufw[ufw]", NULL };

static int32_t
rule_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const addresses[] = { "from", "to" }, *const ports[] = { "from_port", "to_port" };

    for (size_t i = 0; i < 2; i++) {
        const char *address = rhost_str(resource, addresses[i]), *port = rhost_str(resource, ports[i]);

        if (address && !(address = ufw_address(ctx, address)))
            return rhost_fail_attr(ctx, addresses[i],
                                   "it must be an address, a network such as 192.0.2.0/24, or 'any'");
        if (address)
            rhost_put_str(resource, addresses[i], address);
        if (!port || *port < '0' || *port > '9')
            continue;
        port = ufw_ports(ctx, port);
        if (!port)
            return rhost_fail_attr(
                ctx, ports[i],
                "it must be at most 15 ports or ranges, such as '22', '80,443' or '8000:8010'");
        rhost_put_str(resource, ports[i], port);
    }
    return 0;
}

static int
is_any(const char *value)
{
    return strcmp(value, UFW_ANY) == 0;
}

/* What is not named, as most of it is not in an undo, is what the rule has. */
static const char *
value_of(const rhost_value *should, const rhost_value *is, const char *attribute, const char *otherwise)
{
    return rhost_str_or(should, attribute, is ? rhost_str_or(is, attribute, otherwise) : otherwise);
}

static struct ufw_rule
rule_of(const rhost_value *should, const rhost_value *is, const char *name)
{
    return (struct ufw_rule){
        .comment = name,
        .action = value_of(should, is, "action", ""),
        .direction = value_of(should, is, "direction", "in"),
        .interface_in = value_of(should, is, "interface_in", UFW_ANY),
        .interface_out = value_of(should, is, "interface_out", UFW_ANY),
        .proto = value_of(should, is, "proto", UFW_ANY),
        .from = value_of(should, is, "from", UFW_ANY),
        .from_port = value_of(should, is, "from_port", UFW_ANY),
        .to = value_of(should, is, "to", UFW_ANY),
        .to_port = value_of(should, is, "to_port", UFW_ANY),
        .log = value_of(should, is, "log", "none"),
    };
}

static int
is_application(const char *port)
{
    return !is_any(port) && (*port < '0' || *port > '9');
}

static int32_t
validate_ports(rhost_ctx *ctx, const struct ufw_rule *rule, const char *attribute, const char *port)
{
    int with_ports = strcmp(rule->proto, "tcp") == 0 || strcmp(rule->proto, "udp") == 0;

    if (is_any(port))
        return 0;
    if (is_application(port))
        return is_any(rule->proto) ? 0
                                   : rhost_fail_attr(ctx, "proto", "an application has its own protocols");
    if (strpbrk(port, ",:") && !with_ports)
        return rhost_fail_attr(ctx, attribute, "several ports need 'proto: tcp' or 'proto: udp'");
    if (!with_ports && !is_any(rule->proto))
        return rhost_fail_attr(ctx, attribute, "'%s' has no ports", rule->proto);
    return 0;
}

static int32_t
rule_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    struct ufw_rule rule = rule_of(resource, NULL, rhost_str(resource, "name"));
    int from = ufw_family(rule.from), to = ufw_family(rule.to), failed = 0;

    if (strcmp(rule.direction, "in") == 0 && !is_any(rule.interface_out))
        failed |= rhost_fail_attr(ctx, "interface_out", "it needs 'direction: out' or 'direction: route'");
    if (strcmp(rule.direction, "out") == 0 && !is_any(rule.interface_in))
        failed |= rhost_fail_attr(ctx, "interface_in", "it needs 'direction: in' or 'direction: route'");
    if (from && to && from != to)
        failed |= rhost_fail_attr(ctx, "to", "one address is of IPv4, and the other of IPv6");
    failed |= validate_ports(ctx, &rule, "from_port", rule.from_port);
    failed |= validate_ports(ctx, &rule, "to_port", rule.to_port);
    return failed ? -1 : 0;
}

static int32_t
emit(rhost_ctx *ctx, const char *name, const struct ufw_rule *rule)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "name", name);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "action", rule->action);
    rhost_put_str(one, "direction", rule->direction);
    rhost_put_str(one, "interface_in", rule->interface_in);
    rhost_put_str(one, "interface_out", rule->interface_out);
    rhost_put_str(one, "proto", rule->proto);
    rhost_put_str(one, "from", rule->from);
    rhost_put_str(one, "from_port", rule->from_port);
    rhost_put_str(one, "to", rule->to);
    rhost_put_str(one, "to_port", rule->to_port);
    rhost_put_str(one, "log", rule->log);
    return ctx->host->emit(ctx, one);
}

static int
can_be_named(const char *comment)
{
    return *comment && *comment != '-' && *comment != ' ' && !strpbrk(comment, "'\"\\\n\t")
           && strlen(comment) <= 120;
}

/* The rule that has the name, or is to have it. */
static const struct tuple *
in_place(const struct named *named)
{
    const struct tuple *one = named_any(named);

    return one ? one : named->coming;
}

static int32_t
get_all(rhost_ctx *ctx, const struct tuples *tuples)
{
    for (size_t i = 0; i < tuples->n; i++) {
        const struct tuple *t = &tuples->all[i];
        const char *name = named_base(ctx, t->rule.comment);
        struct named named = named_find(ctx, tuples, name);

        if (can_be_named(name) && !named.several && t == in_place(&named) && emit(ctx, name, &t->rule) < 0)
            return -1;
    }
    return 0;
}

static int32_t
rule_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct tuples tuples;

    if (tuples_read(ctx, &tuples) < 0)
        return -1;
    if (!names)
        return get_all(ctx, &tuples);
    for (size_t i = 0; i < rhost_count(names); i++) {
        const rhost_value *name = rhost_at(names, i, NULL);
        const char *comment = rhost_str(name, "name");
        struct named named = named_find(ctx, &tuples, comment);

        if (named.several)
            rhost_fail_name(ctx, name, "several rules of ufw have the comment '%s': change all but one",
                            comment);
        else if (in_place(&named) && emit(ctx, comment, &in_place(&named)->rule) < 0)
            return -1;
    }
    return 0;
}

/* Half of a rule is there, or of a change, and differs: it is no new rule, which an undo would remove. */
static int32_t
rule_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct tuples tuples;
    struct named named;

    if (strcmp(attribute, "action") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (tuples_read(ctx, &tuples) < 0)
        return -1;
    named = named_find(ctx, &tuples, rhost_str(change->name, "name"));
    if (named.coming)
        return rhost_differs(ctx, "a change that was cut off has left a second rule: '%s'",
                             named.coming->rule.comment);
    if (!named_any(&named) || named_is_whole(&tuples, &named))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "the rule of %s is missing", named.v4 ? "IPv6" : "IPv4");
}

/* The arguments of ufw for a rule. */
struct arguments {
    const char *all[40];
    size_t n;
};

static void
add(struct arguments *a, const char *word)
{
    a->all[a->n++] = word;
}

static void
add_end(struct arguments *a, const char *word, const char *address, const char *port)
{
    add(a, word);
    add(a, address);
    if (is_any(port))
        return;
    add(a, is_application(port) ? "app" : "port");
    add(a, port);
}

static void
add_rule(struct arguments *a, const struct ufw_rule *rule)
{
    int route = strcmp(rule->direction, "route") == 0;

    add(a, rule->action);
    if (!route)
        add(a, rule->direction);
    if (!is_any(rule->interface_in)) {
        if (route)
            add(a, "in");
        add(a, "on");
        add(a, rule->interface_in);
    }
    if (!is_any(rule->interface_out)) {
        if (route)
            add(a, "out");
        add(a, "on");
        add(a, rule->interface_out);
    }
    if (strcmp(rule->log, "none") != 0)
        add(a, strcmp(rule->log, "all") == 0 ? "log-all" : "log");
    if (!is_any(rule->proto)) {
        add(a, "proto");
        add(a, rule->proto);
    }
    add_end(a, "from", rule->from, rule->from_port);
    add_end(a, "to", rule->to, rule->to_port);
}

static struct arguments
begin(const struct ufw_rule *rule)
{
    struct arguments a = { .n = 0 };

    if (strcmp(rule->direction, "route") == 0)
        add(&a, "route");
    return a;
}

static int32_t
delete_rule(rhost_ctx *ctx, const struct ufw_rule *rule)
{
    struct arguments a = begin(rule);

    add(&a, "delete");
    add_rule(&a, rule);
    return ufw_run(ctx, a.all, 0, NULL);
}

/* Adds it: before the rule of this number, or first, or (0) last. */
static int32_t
add_at(rhost_ctx *ctx, const struct ufw_rule *rule, size_t number, int first)
{
    struct arguments a = begin(rule);

    if (number) {
        add(&a, "insert");
        add(&a, rhost_fmt(ctx, "%zu", number));
    } else if (first) {
        add(&a, "prepend");
    }
    add_rule(&a, rule);
    add(&a, "comment");
    add(&a, rule->comment);
    return ufw_run(ctx, a.all, 0, NULL);
}

/* ufw has one rule for the same traffic, and would give it the new comment. */
static int32_t
check_taken(rhost_ctx *ctx, const struct tuples *tuples, const struct ufw_rule *rule)
{
    for (size_t i = 0; i < tuples->n; i++) {
        const struct ufw_rule *other = &tuples->all[i].rule;

        if (strcmp(named_base(ctx, other->comment), rule->comment) == 0 || !ufw_same_traffic(other, rule))
            continue;
        if (!*other->comment) /* an undo would remove it, and nobody knows what it was for */
            return rhost_fail(ctx, "a rule without a comment is for the same traffic: give it this comment "
                                   "first, with 'ufw'");
        return rhost_fail(ctx, "the rule '%s' is for the same traffic, and ufw can have only one",
                          other->comment);
    }
    return 0;
}

/* The number that the new rule gets: the one of the old rule. A number counts for one protocol alone, and of
 * a rule for both ufw finds the other one. Where the old rule was not for the protocol, it is 0, the end. */
static size_t
place_of(const struct named *named, const struct ufw_rule *rule)
{
    int from = ufw_family(rule->from), family = from ? from : ufw_family(rule->to);
    const struct tuple *old = family != 6 && named->v4 ? named->v4 : family != 4 ? named->v6 : NULL;

    return old ? old->number : 0;
}

/* Brings the rule that has the name to this one. The new one comes before the old one, which goes then: the
 * traffic is never without a rule. See named.c. */
static int32_t
replace_rule(rhost_ctx *ctx, const struct named *named, const struct ufw_rule *rule)
{
    const struct tuple *old = named_any(named);
    struct ufw_rule coming = *rule;

    if (named->several)
        return rhost_fail(ctx, "several rules of ufw have the comment '%s': change all but one",
                          rule->comment);
    if (ufw_same_traffic(&old->rule, rule)) /* ufw changes it in its place */
        return add_at(ctx, rule, 0, 0);
    coming.comment = named_coming(ctx, rule->comment);
    if (add_at(ctx, &coming, place_of(named, rule), 0) < 0 || delete_rule(ctx, &old->rule) < 0)
        return -1;
    return add_at(ctx, rule, 0, 0); /* the same one, which gets its name */
}

/* What has come or gone since it was read counts as it is now: a rule is never made beside another one of its
 * name. */
static int32_t
bring(rhost_ctx *ctx, const struct rhost_change *change, int first)
{
    struct ufw_rule rule = rule_of(change->should, change->is, rhost_str(change->name, "name"));
    struct tuples tuples;
    struct named named;

    if (tuples_read(ctx, &tuples) < 0 || check_taken(ctx, &tuples, &rule) < 0)
        return -1;
    named = named_find(ctx, &tuples, rule.comment);
    if (named.coming
        && !ufw_same_traffic(&named.coming->rule, &rule)) { /* of a run that wanted another one */
        if (delete_rule(ctx, &named.coming->rule) < 0 || tuples_read(ctx, &tuples) < 0)
            return -1;
        named = named_find(ctx, &tuples, rule.comment);
    }
    if (named_any(&named))
        return replace_rule(ctx, &named, &rule);
    return add_at(ctx, &rule, 0, first && !named.coming);
}

static int32_t
rule_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return bring(ctx, change, strcmp(rhost_str_or(change->should, "position", "last"), "first") == 0);
}

static int32_t
rule_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return bring(ctx, change, 0);
}

static int32_t
rule_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct tuples tuples;
    struct named named;

    if (tuples_read(ctx, &tuples) < 0)
        return -1;
    named = named_find(ctx, &tuples, rhost_str(change->name, "name"));
    if (named.coming && delete_rule(ctx, &named.coming->rule) < 0)
        return -1;
    return named_any(&named) ? delete_rule(ctx, &named_any(&named)->rule) : 0;
}

static const char *const needs[] = { "root", "read[/etc/ufw]", "read[/etc/default/ufw]", "run[ufw]", NULL };

static const struct rhost_provider ufw_rule_provider = {
    RHOST_PROVIDER("ufw_rule", "Keep rules of ufw, each known by its comment."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .suits = ufw_suits,
    .canonicalize = rule_canonicalize,
    .validate = rule_validate,
    .insync = rule_insync,
    .get = rule_get,
    .create = rule_create,
    .update = rule_update,
    .remove = rule_remove,
};

RHOST_PLUGIN(ufw_rule, "1.0", &ufw_rule_provider)
