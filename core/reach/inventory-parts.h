/* SPDX-License-Identifier: Apache-2.0 */
/* inventory-parts - what the files behind inventory.h share. */
#ifndef RH_REACH_INVENTORY_PARTS_H
#define RH_REACH_INVENTORY_PARTS_H

#include "base/place.h"
#include "reach/inventory.h"

struct rh_value;

struct rh_target_group {
    const char *name;
    struct rh_place place;
    const struct rh_value *members, *children; /* as the file has them; NULL: none */
    struct rh_target_settings settings;
    const struct rh_value *attributes;
    struct rh_target_group **above; /* the groups that it is in */
    size_t n_above, cap_above;
    bool active;  /* it is being gone through */
    bool checked; /* it is not within itself */
};

/* inventory-entry.c: one target, one group. */

/* The entry of `targets` with this key; adds a complaint for each mistake in it. */
void rh_inventory_read_target(struct rh_inventory *inv, const char *name, struct rh_place place,
                              const struct rh_value *v);
void rh_inventory_read_group(struct rh_inventory *inv, const char *name, struct rh_place place,
                             const struct rh_value *v);

/* The name of a user to become: it becomes an argument of sudo. NULL after a complaint. */
const char *rh_inventory_read_user(struct rh_inventory *inv, const char *key, const struct rh_value *v);

/* A target, known from now on; NULL after a complaint about a name that is used already. */
struct rh_push_target *rh_inventory_new_target(struct rh_inventory *inv, const char *name,
                                               struct rh_place place);
struct rh_target_group *rh_inventory_new_group(struct rh_inventory *inv, const char *name,
                                               struct rh_place place);

/* inventory-ansible.c: the JSON of `ansible-inventory --list`. */

/* Whether this is how it looks. */
bool rh_inventory_is_ansible(const struct rh_value *v);
void rh_inventory_read_ansible(struct rh_inventory *inv, const struct rh_value *v);

#endif
