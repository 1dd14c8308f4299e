/* SPDX-License-Identifier: Apache-2.0 */
/* inventory-ansible - the JSON that `ansible-inventory --list` and its dynamic inventories print.
 *
 *     {"_meta": {"hostvars": {"web1": {"ansible_host": "192.0.2.1", "port": 80}}},
 *      "all": {"children": ["web"]}, "web": {"hosts": ["web1"], "vars": {}}}
 *
 * Variables whose names begin with ansible_ say how the host is reached; the others become attributes. */
#include "config.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "reach/inventory-parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
rh_inventory_is_ansible(const struct rh_value *v)
{
    if (rh_value_is(rh_value_get(v, "_meta"), RH_HASH))
        return true;
    return rh_value_is(rh_value_get(v, "all"), RH_HASH) && !rh_value_get(v, "targets")
           && !rh_value_get(v, "groups");
}

static const char *
variable(const struct rh_value *vars, const char *name, const char *old_name)
{
    const char *text = rh_value_get_str(vars, name, NULL);

    return text ? text : rh_value_get_str(vars, old_name, NULL);
}

/* The variables that are not Ansible's own; NULL: none. */
static const struct rh_value *
attributes_of(struct rh_inventory *inv, const struct rh_value *vars)
{
    struct rh_value *rest;

    if (!rh_value_is(vars, RH_HASH) || !vars->count)
        return NULL;
    rest = rh_value_copy_top(inv->arena, vars);
    for (size_t i = 0; i < vars->count; i++)
        if (strncmp(rh_value_entry(vars, i)->key, "ansible_", 8) == 0)
            rh_value_drop(rest, rh_value_entry(vars, i)->key);
    return rest->count ? rest : NULL;
}

static int64_t
port_of(const struct rh_value *vars)
{
    const struct rh_value *v = rh_value_get(vars, "ansible_port");

    if (!v)
        v = rh_value_get(vars, "ansible_ssh_port");
    if (rh_value_is(v, RH_INTEGER))
        return v->u.integer;
    return v ? strtoll(rh_value_str(v, "0"), NULL, 10) : 0;
}

/* The URI of a host, from the variables that say how Ansible reaches it. */
static const char *
uri_of(struct rh_inventory *inv, const char *name, const struct rh_value *vars)
{
    const char *host = variable(vars, "ansible_host", "ansible_ssh_host");
    const char *user = variable(vars, "ansible_user", "ansible_ssh_user");
    const char *by = rh_value_get_str(vars, "ansible_connection", "ssh");
    int64_t port = port_of(vars);
    rh_autobuf struct rh_buf uri = { 0 };

    host = host ? host : name;
    if (strcmp(by, "local") == 0)
        return "local:";
    if (strstr(by, "podman") || strstr(by, "docker") || strstr(by, "chroot"))
        return rh_arena_printf(inv->arena, "%s:%s",
                               strstr(by, "podman")   ? "podman"
                               : strstr(by, "docker") ? "docker"
                                                      : "chroot",
                               host);
    rh_buf_addf(&uri, "ssh://%s%s", user ? user : "", user ? "@" : "");
    rh_buf_addf(&uri, strchr(host, ':') ? "[%s]" : "%s", host);
    if (port)
        rh_buf_addf(&uri, ":%lld", (long long)port);
    return rh_arena_strdup(inv->arena, rh_buf_text(&uri));
}

/* 1 or 0, as Ansible reads it: inventories in INI have every value as a text. -1: it is neither. */
static int
truth_of(const struct rh_value *v)
{
    static const char *const yes[] = { "yes", "true", "on", "y", "t", "1" };
    static const char *const no[] = { "no", "false", "off", "n", "f", "0" };
    const char *text = rh_value_str(v, "");

    if (rh_value_is(v, RH_UNDEF))
        return 0;
    if (rh_value_is(v, RH_BOOLEAN))
        return v->u.integer != 0;
    if (rh_value_is(v, RH_INTEGER))
        return v->u.integer == 0 || v->u.integer == 1 ? (int)v->u.integer : -1;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (strcasecmp(text, yes[i]) == 0)
            return 1;
        if (strcasecmp(text, no[i]) == 0)
            return 0;
    }
    return -1;
}

static void
take_become(struct rh_inventory *inv, struct rh_target_settings *s, const struct rh_value *vars)
{
    const struct rh_value *become = rh_value_get(vars, "ansible_become"), *by;
    const struct rh_value *user = rh_value_get(vars, "ansible_become_user");
    const char *method;
    int is;

    if (user)
        s->become_user = rh_inventory_read_user(inv, "ansible_become_user", user);
    if (!become)
        return;
    s->has_become = true;
    is = truth_of(become);
    if (is < 0)
        rh_complain(inv->complaints, rh_value_place(become), NULL, "'ansible_become' must be true or false");
    if (is <= 0)
        return;
    by = rh_value_get(vars, "ansible_become_method");
    method = by ? rh_value_str(by, "") : "sudo";
    if (strcmp(method, "sudo") == 0 || strcmp(method, "ansible.builtin.sudo") == 0)
        s->become = RH_BECOME_SUDO;
    else if (strcmp(method, "doas") == 0 || strcmp(method, "community.general.doas") == 0)
        s->become = RH_BECOME_DOAS;
    else
        rh_complain(inv->complaints, rh_value_place(by), NULL,
                    "'ansible_become_method' must be sudo or doas");
}

/* A host of a group, or of hostvars: each is declared by any of them. */
static void
need_host(struct rh_inventory *inv, const struct rh_value *hostvars, const char *name, struct rh_place place)
{
    const struct rh_value *vars = rh_value_get(hostvars, name), *attributes;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_push_target *t = rh_map_get(&inv->by_name, name);

    if (t || !(t = rh_inventory_new_target(inv, name, place)))
        return;
    if (rh_endpoint_read(&t->at, inv->arena, uri_of(inv, name, vars), &err) < 0)
        rh_complain_error(inv->complaints, vars ? rh_value_place(vars) : place, NULL, &err);
    take_become(inv, &t->settings, vars);
    if ((attributes = attributes_of(inv, vars))) {
        t->attributes = rh_arena_alloc(inv->arena, sizeof *t->attributes);
        t->attributes[t->n_attributes++] = (struct rh_target_attributes){ t->name, attributes };
    }
}

/* Members are a list of names, or, as --yaml has them, a hash with their names as keys. */
static void
need_hosts(struct rh_inventory *inv, const struct rh_value *hostvars, const struct rh_value *hosts)
{
    for (size_t i = 0; i < rh_value_count(hosts); i++)
        if (rh_value_is(hosts, RH_ARRAY))
            need_host(inv, hostvars, rh_value_str(rh_value_at(hosts, i), ""),
                      rh_value_place(rh_value_at(hosts, i)));
}

/* Lists that are not there, or null, are empty. */
static const struct rh_value *
list_of(struct rh_inventory *inv, const char *group, const struct rh_value *v, const char *key)
{
    const struct rh_value *list = rh_value_get(v, key);

    if (!list || rh_value_is(list, RH_UNDEF) || rh_value_is(list, RH_ARRAY))
        return list;
    rh_complain(inv->complaints, rh_value_place(list), NULL, "'%s' of group '%s' must be a list", key, group);
    return NULL;
}

void
rh_inventory_read_ansible(struct rh_inventory *inv, const struct rh_value *v)
{
    const struct rh_value *hostvars = rh_value_get(rh_value_get(v, "_meta"), "hostvars");

    for (size_t i = 0; i < rh_value_count(hostvars) && rh_value_is(hostvars, RH_HASH); i++)
        need_host(inv, hostvars, rh_value_entry(hostvars, i)->key, rh_value_key_place(hostvars, i));
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        struct rh_target_group *g;
        bool all = strcmp(e->key, "all") == 0;

        if (strcmp(e->key, "_meta") == 0)
            continue;
        if (!(g = rh_inventory_new_group(inv, e->key, rh_value_key_place(v, i))))
            continue;
        g->members = list_of(inv, g->name, e->value, "hosts");
        need_hosts(inv, hostvars, g->members);
        g->members = all ? NULL : g->members;
        g->children = all ? NULL : list_of(inv, g->name, e->value, "children");
        g->attributes = attributes_of(inv, rh_value_get(e->value, "vars"));
        take_become(inv, &g->settings, rh_value_get(e->value, "vars"));
    }
    /* Ansible leaves out groups that have no members. */
    for (size_t i = 0; i < inv->n_groups; i++)
        for (size_t k = 0; k < rh_value_count(inv->groups[i]->children); k++) {
            const char *name = rh_value_str(rh_value_at(inv->groups[i]->children, k), "");

            if (*name && !rh_map_get(&inv->groups_by_name, name))
                (void)rh_inventory_new_group(inv, name,
                                             rh_value_place(rh_value_at(inv->groups[i]->children, k)));
        }
}
