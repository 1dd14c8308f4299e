/* SPDX-License-Identifier: Apache-2.0 */
/* level - the ten components, and the four precedences that they make. */
#include "config.h"

#include "node/level.h"

#include <string.h>

static const struct {
    const char *name;
    enum rh_precedence precedence;
} levels[RH_LEVELS] = {
    [RH_LEVEL_DEFAULT] = { "default", RH_OF_DEFAULT },
    [RH_LEVEL_ENV_DEFAULT] = { "env_default", RH_OF_DEFAULT },
    [RH_LEVEL_ROLE_DEFAULT] = { "role_default", RH_OF_DEFAULT },
    [RH_LEVEL_FORCE_DEFAULT] = { "force_default", RH_OF_DEFAULT },
    [RH_LEVEL_NORMAL] = { "normal", RH_OF_NORMAL },
    [RH_LEVEL_OVERRIDE] = { "override", RH_OF_OVERRIDE },
    [RH_LEVEL_ROLE_OVERRIDE] = { "role_override", RH_OF_OVERRIDE },
    [RH_LEVEL_ENV_OVERRIDE] = { "env_override", RH_OF_OVERRIDE },
    [RH_LEVEL_FORCE_OVERRIDE] = { "force_override", RH_OF_OVERRIDE },
    [RH_LEVEL_AUTOMATIC] = { "automatic", RH_OF_AUTOMATIC },
};

static const char *const views[] = {
    "merged",        "combined_default", "normal",         "combined_override", "automatic",
    "default",       "env_default",      "role_default",   "force_default",     "override",
    "role_override", "env_override",     "force_override",
};

static const char *const faults[] = {
    [RH_NODE_OK] = "ok",
    [RH_NODE_IMMUTABLE] = "immutable",
    [RH_NODE_NO_SUCH_ATTRIBUTE] = "no_such_attribute",
    [RH_NODE_TYPE_MISMATCH] = "type_mismatch",
    [RH_NODE_NOT_CONTAINER] = "not_container",
    [RH_NODE_ARGUMENT] = "argument",
    [RH_NODE_WRITE_ONLY] = "write_only",
    [RH_NODE_UNEXPECTED] = "unexpected",
};

const char *
rh_node_level_name(enum rh_node_level level)
{
    return levels[level].name;
}

int
rh_node_level_find(const char *name)
{
    for (int i = 0; i < RH_LEVELS; i++)
        if (strcmp(levels[i].name, name) == 0)
            return i;
    return -1;
}

const char *
rh_node_fault_name(enum rh_node_fault fault)
{
    return faults[fault];
}

enum rh_precedence
rh_level_precedence(enum rh_node_level level)
{
    return levels[level].precedence;
}

enum rh_node_level
rh_precedence_first(enum rh_precedence p)
{
    enum rh_node_level i = RH_LEVEL_DEFAULT;

    while (levels[i].precedence != p)
        i++;
    return i;
}

unsigned
rh_precedence_bits(enum rh_precedence p)
{
    unsigned bits = 0;

    for (int i = 0; i < RH_LEVELS; i++)
        if (levels[i].precedence == p)
            bits |= RH_LEVEL_BIT(i);
    return bits;
}

unsigned
rh_view_bits(const char *name)
{
    int level = rh_node_level_find(name);

    if (level >= 0)
        return RH_LEVEL_BIT(level);
    if (strcmp(name, "merged") == 0)
        return RH_ALL_LEVELS;
    if (strcmp(name, "combined_default") == 0)
        return rh_precedence_bits(RH_OF_DEFAULT);
    return strcmp(name, "combined_override") == 0 ? rh_precedence_bits(RH_OF_OVERRIDE) : 0;
}

const char *
rh_view_name(size_t i)
{
    return i < sizeof views / sizeof views[0] ? views[i] : NULL;
}
