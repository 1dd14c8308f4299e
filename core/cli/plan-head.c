/* SPDX-License-Identifier: Apache-2.0 */
/* plan-head - what a plan has beside its resources: for whom it was made, of what, and by what. */
#include "config.h"

#include "cli/plan.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/io.h"
#include "base/map.h"
#include "base/safe-path.h"
#include "base/secrets.h"
#include "base/source.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "catalog/purge.h"
#include "cli/options.h"
#include "cli/session.h"
#include "facts/facts.h"
#include "run/plan.h"
#include "run/state.h"
#include "schema/type.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <rhost/sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_ID = 4096 };

struct rh_value *
rh_plan_machine(struct rh_arena *a)
{
    static const char salt[] = "rhost plan";
    struct rh_value *machine = rh_value_hash(a, 2);
    struct rhost_sha256 sum;
    struct utsname names = { 0 };
    size_t n = 0;
    rh_autofree char *id = rh_read_file("/etc/machine-id", LONGEST_ID, &n, NULL);
    char hex[RH_PLAN_DIGEST];

    (void)uname(&names);
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, salt, sizeof salt);
    rhost_sha256_add(&sum, id && n ? id : names.nodename, id && n ? n : strlen(names.nodename));
    rhost_sha256_hex(&sum, hex);
    hex[32] = '\0'; /* the id itself is confidential: machine-id(5) */
    rh_value_put(machine, "id", rh_value_string(a, hex));
    rh_value_put(machine, "name", rh_value_string(a, names.nodename));
    return machine;
}

/* A list of files, each once. */
struct files {
    struct rh_arena *arena;
    const struct rh_plan_key *key;
    const char *directory;
    struct rh_map known;
    struct rh_value *list;
};

static struct files
files_in(struct rh_session *s, const struct rh_plan_key *key, const char *directory)
{
    return (struct files){
        .arena = s->arena, .key = key, .directory = directory, .list = rh_value_new(s->arena, RH_ARRAY)
    };
}

/* Without the directory that the plan was made in. */
static const char *
shown_name(const struct files *f, const char *path)
{
    size_t n = strlen(f->directory);

    return strncmp(path, f->directory, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static void
add(struct files *f, const char *path, const char *digest)
{
    const char *name = rh_arena_strdup(f->arena, shown_name(f, path));
    struct rh_value *v;

    if (rh_map_put(&f->known, name, f))
        return;
    v = rh_value_hash(f->arena, 2);
    rh_value_put(v, "path", rh_value_string(f->arena, name));
    rh_value_put(v, "digest", rh_value_string(f->arena, digest));
    rh_value_append(f->list, v);
}

/* A regular file, wherever its path leads safely; what is none has no digest. */
static void
add_file(struct files *f, const char *path)
{
    struct rh_unsafe unsafe;
    char digest[RH_PLAN_DIGEST];
    struct stat st;
    rh_autoclose int fd = -1;

    if (rh_map_get(&f->known, shown_name(f, path)))
        return;
    fd = rh_safe_open(path, true, O_RDONLY | O_NONBLOCK, 0, &unsafe);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && rh_plan_digest_file(f->key, fd, digest) == 0)
        add(f, path, digest);
}

static bool
is_program(const char *path)
{
    struct stat st;

    return *path == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static struct rh_value *
inputs(struct rh_session *s, const struct rh_plan_key *key, const char *directory)
{
    struct files f = files_in(s, key, directory);

    for (unsigned i = 1; i <= s->sources.n; i++) {
        const char *name = rh_sources_name(&s->sources, i);
        char digest[RH_PLAN_DIGEST];
        size_t n = 0;
        const char *text = rh_sources_text(&s->sources, i, &n);

        if (!name || !text || !n)
            continue;
        if (is_program(name)) { /* the text is what a fact's program printed */
            add_file(&f, name);
            continue;
        }
        rh_plan_digest(key, text, n, digest);
        add(&f, name, digest);
    }
    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const char *path = rh_value_get_str(s->catalog.resources[i]->should, "source", NULL);

        if (path && *path == '/')
            add_file(&f, path);
    }
    rh_map_clear(&f.known);
    return f.list;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* An executable provider is all that lies beside its type.yaml. */
static void
add_plugin(struct files *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    rh_autofree char *folder = slash ? rh_printf("%.*s", (int)(slash - path), path) : NULL;
    struct dirent **names = NULL;
    int n = 0;

    add_file(f, path);
    if (folder && (strcmp(slash, "/type.yaml") == 0 || strcmp(slash, "/type.json") == 0))
        n = scandir(folder, &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        rh_autofree char *beside = rh_printf("%s/%s", folder, names[i]->d_name);

        add_file(f, beside);
        free(names[i]);
    }
    free(names);
}

static struct rh_value *
plugins(struct rh_session *s, const struct rh_plan_key *key, const char *directory)
{
    struct files f = files_in(s, key, directory);

    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const struct rh_resource *r = s->catalog.resources[i];
        const struct rh_type *t = r->meta && r->meta->purge ? r->meta->purge->type : r->type;

        if (t->path)
            add_plugin(&f, t->path);
    }
    rh_map_clear(&f.known);
    return f.list;
}

static struct rh_value *
host(struct rh_session *s, const struct rh_plan_key *key)
{
    struct files f = files_in(s, key, "");
    struct rh_value *v = rh_value_hash(s->arena, 2);
    rh_autofree char *self = rh_own_file(), *worker = rh_installation_program("rhost-worker");

    add_file(&f, self);
    add_file(&f, worker);
    rh_value_put(v, "version", rh_value_string(s->arena, PACKAGE_VERSION));
    for (size_t i = 0; i < rh_value_count(f.list); i++)
        rh_value_put(v, i ? "worker" : "program", rh_value_get(rh_value_at(f.list, i), "digest"));
    rh_map_clear(&f.known);
    return v;
}

static int
refuse_secrets(struct rh_session *s, const struct rh_value *options, struct rh_error *err)
{
    const struct rh_value *attributes = rh_value_get(options, "attribute");

    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        const char *text = rh_value_str(rh_value_at(attributes, i), "");
        rh_autofree char *scrubbed = rh_secrets_scrubbed(&s->pool.secrets, text);

        if (scrubbed)
            return rh_error_set(err, RH_EINPUT,
                                "a plan keeps its options, and --attribute has a secret in it: use "
                                "--attributes=FILE");
    }
    return 0;
}

struct rh_value *
rh_plan_head(struct rh_session *s, const struct rh_plan_key *key, const char *directory,
             const char *const *files, size_t n, struct rh_error *err)
{
    struct rh_arena *a = s->arena;
    struct rh_value *head = rh_value_hash(a, 11), *manifests = rh_value_new(a, RH_ARRAY);
    struct rh_value *options = rh_plan_options(a, s->settings);

    if (refuse_secrets(s, options, err) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        rh_value_append(manifests, rh_value_string(a, files[i]));
    rh_value_put(head, "rhost", rh_value_string(a, PACKAGE_VERSION));
    rh_value_put(head, "created", rh_value_string(a, rh_state_time(a, time(NULL))));
    rh_value_put(head, "machine", rh_plan_machine(a));
    rh_value_put(head, "host", host(s, key));
    rh_value_put(head, "directory", rh_value_string(a, directory));
    rh_value_put(head, "manifests", manifests);
    rh_value_put(head, "options", options);
    rh_value_put(head, "facts", rh_facts_readings(s->machine.facts, a));
    rh_value_put(head, "inputs", inputs(s, key, directory));
    rh_value_put(head, "plugins", plugins(s, key, directory));
    return head;
}
