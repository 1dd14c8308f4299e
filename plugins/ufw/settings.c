/* SPDX-License-Identifier: Apache-2.0 */
/* ufw - keep ufw enabled or disabled, its default policies and its logging. The machine has one ufw: one
 * resource. */

#include "../ufw_rule/ufw.h"

#include <rhost/path.h>

#define DEFAULTS "/etc/default/ufw"
#define SETTINGS "/etc/ufw/ufw.conf"
#define POLICY "Optional[Enum[allow, deny, reject]]"

enum { LARGEST = 1 << 20 };

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Enum[ufw]", .behaviour = RHOST_NAMEVAR, .desc = "Always ufw." },
    { .name = "enabled", .type = "Optional[Boolean]", .desc = "Whether ufw is active, now and after boot." },
    { .name = "incoming", .type = POLICY, .desc = "What becomes of traffic to this machine without a rule." },
    { .name = "outgoing",
      .type = POLICY,
      .desc = "What becomes of traffic from this machine without a rule." },
    { .name = "routed",
      .type = POLICY,
      .desc = "What becomes of traffic through this machine without a rule." },
    { .name = "logging",
      .type = "Optional[Enum[off, low, medium, high, full]]",
      .desc = "How much is logged." },
};

static const char *const relations[] = { "autorequire package[ufw]", NULL };

/* The default policies, as ufw keeps them. */
static const struct policy {
    const char *attribute, *key;
} policies[] = {
    { "incoming", "DEFAULT_INPUT_POLICY" },
    { "outgoing", "DEFAULT_OUTPUT_POLICY" },
    { "routed", "DEFAULT_FORWARD_POLICY" },
};

/* The value of KEY=VALUE or KEY="VALUE"; the last one counts. NULL: there is none. */
static const char *
setting(rhost_ctx *ctx, const char *text, const char *key)
{
    const char *value = NULL;
    size_t len = strlen(key);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *p = text + len + 1;

        if (strncmp(text, key, len) != 0 || text[len] != '=')
            continue;
        p += *p == '"';
        value = rhost_copy(ctx, p, strcspn(p, "\" \t\n"));
    }
    return value;
}

static const char *
read_file(rhost_ctx *ctx, const char *path)
{
    size_t len;
    const char *text = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, NULL);

    if (!text)
        (void)rhost_fail_path(ctx, "cannot read '%s'", path);
    return text;
}

/* "ENABLED=yes" says that it starts at boot; whether it is active, ufw knows. */
static int32_t
read_enabled(rhost_ctx *ctx, const char *settings, rhost_value *current)
{
    static const char *const arguments[] = { "status", NULL };
    const char *enabled = setting(ctx, settings, "ENABLED"), *out;
    int active = enabled && strcmp(enabled, "yes") == 0;

    if (active && ufw_run(ctx, arguments, 1, &out) < 0)
        return -1;
    rhost_put_bool(current, "enabled", active && strstr(out, "Status: active") != NULL);
    return 0;
}

static int32_t
read_all(rhost_ctx *ctx, rhost_value *current)
{
    static const char *const kernel[] = { "ACCEPT", "DROP", "REJECT" }, *const words[] = { "allow", "deny",
                                                                                           "reject" };
    const char *defaults = read_file(ctx, DEFAULTS), *settings = defaults ? read_file(ctx, SETTINGS) : NULL,
               *level;

    if (!settings)
        return -1;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const char *policy = setting(ctx, defaults, policies[i].key);

        for (size_t k = 0; policy && k < 3; k++)
            if (strcmp(policy, kernel[k]) == 0)
                rhost_put_str(current, policies[i].attribute, words[k]);
    }
    level = setting(ctx, settings, "LOGLEVEL");
    if (level)
        rhost_put_str(current, "logging", level);
    return read_enabled(ctx, settings, current);
}

/* What is disabled at boot alone, with its rules in the kernel, is neither. */
static int32_t
settings_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    static const char *const arguments[] = { "status", NULL };
    const char *out;

    if (strcmp(attribute, "enabled") != 0 || rhost_bool(change->should, "enabled", 0)
        || rhost_bool(change->is, "enabled", 0))
        return RHOST_DEFAULT_COMPARISON;
    if (ufw_run(ctx, arguments, 1, &out) < 0)
        return -1;
    if (!strstr(out, "Status: active"))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "disabled at boot, but its rules are in the kernel");
}

static int32_t
settings_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)name;
    (void)should;
    return read_all(ctx, current);
}

static int32_t
settings_get(rhost_ctx *ctx, const rhost_value *names)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    (void)names;
    rhost_put_str(one, "name", "ufw");
    return read_all(ctx, one) < 0 || ctx->host->emit(ctx, one) < 0 ? -1 : 0;
}

/* ufw stops what is active, and starts it again, with most of its changes: it may fail between the two. */
static int32_t
change_it(rhost_ctx *ctx, const char *const *arguments)
{
    return ufw_run_hint(ctx, arguments, 0, NULL, "; ufw may be stopped: look at 'ufw status'");
}

static int32_t
set_policy(rhost_ctx *ctx, const char *policy, const char *attribute)
{
    const char *const arguments[] = { "default", policy, attribute, NULL };

    return change_it(ctx, arguments);
}

static int32_t
set_logging(rhost_ctx *ctx, const char *level)
{
    const char *const arguments[] = { "logging", level, NULL };

    return change_it(ctx, arguments);
}

static int32_t
set_enabled(rhost_ctx *ctx, int enabled)
{
    const char *const arguments[] = { "--force", enabled ? "enable" : "disable", NULL };

    return change_it(ctx, arguments);
}

static int
differs(const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, attribute), *should = rhost_str(change->should, attribute);

    return should && (!is || strcmp(is, should) != 0);
}

static int32_t
set_rest(rhost_ctx *ctx, const struct rhost_change *change)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const char *attribute = policies[i].attribute;

        if (differs(change, attribute)
            && set_policy(ctx, rhost_str(change->should, attribute), attribute) < 0)
            return -1;
    }
    return differs(change, "logging") ? set_logging(ctx, rhost_str(change->should, "logging")) : 0;
}

/* It is enabled last, and disabled first: what it lets through meanwhile is what was, or what shall be. A
 * policy that changes while it is active, such as the one of an undo, would let it deny what it let through.
 */
static int32_t
settings_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    int enabled = rhost_bool(change->should, "enabled", 0);
    int switches = rhost_has(change->should, "enabled") && enabled != rhost_bool(change->is, "enabled", 0);

    /* Rules may be in the kernel where it is disabled: to disable it once more takes them away. */
    if (rhost_has(change->should, "enabled") && !enabled && set_enabled(ctx, 0) < 0)
        return -1;
    if (set_rest(ctx, change) < 0)
        return -1;
    return switches && enabled ? set_enabled(ctx, 1) : 0;
}

static const char *const needs[] = { "root", "read[/etc/ufw]", "read[/etc/default/ufw]", "run[ufw]", NULL };

static const struct rhost_provider ufw_provider = {
    RHOST_PROVIDER("ufw", "Keep ufw enabled or disabled, its default policies and its logging."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .suits = ufw_suits,
    .insync = settings_insync,
    .load = settings_load,
    .get = settings_get,
    .update = settings_update,
};

RHOST_PLUGIN(ufw, "1.0", &ufw_provider)
