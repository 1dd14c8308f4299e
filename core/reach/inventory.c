/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the targets that are known. */
#include "config.h"

#include "reach/inventory.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/trust.h"
#include "base/value.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "reach/inventory-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, PROGRAM_SECONDS = 60 };

void
rh_inventory_clear(struct rh_inventory *inv)
{
    for (size_t i = 0; i < inv->n_groups; i++)
        free(inv->groups[i]->above);
    free(inv->targets);
    free(inv->groups);
    rh_map_clear(&inv->by_name);
    rh_map_clear(&inv->groups_by_name);
    *inv = (struct rh_inventory){ 0 };
}

static const char *const keys[] = { "targets", "groups" };

static void
refuse_key(struct rh_inventory *inv, const char *key, struct rh_place place)
{
    struct rh_suggest s;
    rh_autofree char *hint = NULL;

    rh_suggest_init(&s, key);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        rh_suggest_try(&s, keys[i]);
    hint = rh_did_you_mean(s.best, "a file of targets has 'targets' and 'groups'");
    rh_complain(inv->complaints, place, hint, "unknown key '%s' at the top of a file of targets", key);
}

static void
read_entries(struct rh_inventory *inv, const char *key, const struct rh_value *v,
             void (*read)(struct rh_inventory *, const char *, struct rh_place, const struct rh_value *))
{
    if (!rh_value_is(v, RH_HASH) && !rh_value_is(v, RH_UNDEF)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL, "'%s' must be a hash", key);
        return;
    }
    for (size_t i = 0; i < rh_value_count(v); i++)
        read(inv, rh_value_entry(v, i)->key, rh_value_key_place(v, i), rh_value_entry(v, i)->value);
}

static void
read_top(struct rh_inventory *inv, const struct rh_value *v)
{
    if (!rh_value_is(v, RH_HASH)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL,
                    "a file of targets must be a hash with 'targets' and 'groups'");
        return;
    }
    if (rh_inventory_is_ansible(v)) {
        rh_inventory_read_ansible(inv, v);
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (strcmp(e->key, "targets") == 0)
            read_entries(inv, e->key, e->value, rh_inventory_read_target);
        else if (strcmp(e->key, "groups") == 0)
            read_entries(inv, e->key, e->value, rh_inventory_read_group);
        else
            refuse_key(inv, e->key, rh_value_key_place(v, i));
    }
}

static int
read_text(struct rh_inventory *inv, const char *name, const char *text, size_t n)
{
    size_t before = rh_complaints_count(inv->complaints);
    unsigned file = rh_sources_add(inv->complaints->sources, name, text, n);
    struct rh_value *v;

    inv->from_file = true;
    if (rh_yaml_check_text(text, n, file, inv->complaints) < 0)
        return -1;
    v = rh_yaml_read(inv->arena, text, n, file, inv->complaints);
    if (v)
        read_top(inv, rh_scalar_read(inv->arena, NULL, v));
    return rh_complaints_count(inv->complaints) > before ? -1 : 0;
}

/* A program prints the file instead. Without an argument a script of Ansible's prints usage: --list asks for
 * all. */
static char *
run_program(const char *path, size_t *n, struct rh_error *err)
{
    rh_autofree char *full = strchr(path, '/') ? rh_xstrdup(path) : rh_printf("./%s", path);
    char list[] = "--list";
    char *argv[] = { full, list, NULL };

    if (geteuid() == 0 && rh_trust_path(full, RH_TRUST_CALLER, err) < 0) {
        (void)rh_error_prefix(err, "cannot run '%s' as root", path);
        return NULL;
    }
    return rh_child_output(argv, LARGEST, PROGRAM_SECONDS, n, err);
}

/* Whether the system can run it by itself: a script that names its interpreter, or an ELF file. The mode
 * alone says little: on some file systems every file can be executed. */
static bool
is_program(const char *path)
{
    rh_autoclose int fd = -1;
    struct stat st;
    char head[4];
    ssize_t n;

    if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno == EACCES; /* to be executed, and not to be read: a program */
    n = read(fd, head, sizeof head);
    return (n >= 2 && memcmp(head, "#!", 2) == 0) || (n == 4 && memcmp(head, "\177ELF", 4) == 0);
}

int
rh_inventory_read(struct rh_inventory *inv, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    size_t n = 0;

    if (is_program(path) && inv->passive)
        return -1;
    if (is_program(path))
        text = run_program(path, &n, &err);
    else
        text = rh_read_file(path, LARGEST, &n, &err);
    if (!text) {
        rh_complain(inv->complaints, (struct rh_place){ 0 }, NULL, "--targets: %s", err.message);
        return -1;
    }
    return read_text(inv, strcmp(path, "-") == 0 ? "standard input" : path, text, n);
}

void
rh_inventory_each_name(const struct rh_inventory *inv,
                       void (*take)(void *data, const char *name, const char *what), void *data)
{
    for (size_t i = 0; i < inv->n_targets; i++)
        take(data, inv->targets[i]->name, inv->targets[i]->at.text);
    for (size_t i = 0; i < inv->n_groups; i++)
        take(data, inv->groups[i]->name, "group");
    take(data, "all", "every target");
}

struct rh_push_target *
rh_inventory_add(struct rh_inventory *inv, const char *text, struct rh_error *err)
{
    struct rh_endpoint at;
    struct rh_push_target *t = rh_map_get(&inv->by_name, text);

    if (t)
        return t;
    if (rh_endpoint_read(&at, inv->arena, text, err) < 0)
        return NULL;
    t = rh_arena_alloc(inv->arena, sizeof *t);
    t->name = at.text;
    t->at = at;
    inv->targets = rh_xgrow(inv->targets, &inv->cap_targets, inv->n_targets, sizeof(struct rh_push_target *));
    inv->targets[inv->n_targets++] = t;
    (void)rh_map_put(&inv->by_name, t->name, t);
    return t;
}
