/* SPDX-License-Identifier: Apache-2.0 */
/* disk-model - what a disk may have when the power goes; see the header. */
#include "config.h"

#include "disk-model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PENDING = 48 };

struct version {
    char *bytes;
    size_t n;
};

/* A file, link or directory; named or not. */
struct node {
    uint64_t ino;
    struct statx_timestamp born;
    mode_t mode;
    struct version *v; /* all that it has had since the begin, the newest last */
    size_t n, cap;
    size_t synced; /* this version is on disk */
    int place;     /* which file system it is on */
};

enum kind { ADD, MOVE, REMOVE };

struct change {
    enum kind kind;
    char *path, *from;
    struct node *node;
    bool durable;
};

struct disk {
    char top[256];
    struct node **nodes;
    size_t n_nodes, cap_nodes;
    struct change *changes; /* of names; the first are those of the base */
    size_t n, cap;
    uint64_t random;
};

static void *
grow(void *p, size_t *cap, size_t n, size_t size)
{
    if (n == *cap && !(p = realloc(p, (*cap = *cap * 2 + 32) * size)))
        give_up("allocate", "the model of the disk");
    return p;
}

static char *
copy(const void *bytes, size_t n)
{
    char *s = calloc(1, n + 1);

    if (!s)
        give_up("allocate", "the model of the disk");
    if (n)
        memcpy(s, bytes, n);
    return s;
}

static const char *
relative(const struct disk *d, const char *path)
{
    size_t n = strlen(d->top);

    return path && strncmp(path, d->top, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* What a command does to the running system can't be undone by a power loss. */
static bool
is_outside(const char *path)
{
    return strncmp(path, "effects", 7) == 0;
}

static int
place_of(const char *path)
{
    return strncmp(path, "state", 5) == 0 && (!path[5] || path[5] == '/') ? 1 : 2;
}

static void
add_version(struct node *node, char *bytes, size_t n)
{
    node->v = grow(node->v, &node->cap, node->n, sizeof *node->v);
    node->v[node->n++] = (struct version){ bytes, n };
}

/* The node of the file that is at `look`; a new one has no content yet. */
static struct node *
node_at(struct disk *d, const char *look, bool follow)
{
    struct statx st;
    struct node *node;

    if (statx(AT_FDCWD, look, follow ? 0 : AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st) < 0)
        return NULL;
    for (size_t i = 0; i < d->n_nodes; i++)
        if (d->nodes[i]->ino == st.stx_ino && d->nodes[i]->born.tv_sec == st.stx_btime.tv_sec
            && d->nodes[i]->born.tv_nsec == st.stx_btime.tv_nsec)
            return d->nodes[i];
    node = calloc(1, sizeof *node);
    if (!node)
        give_up("allocate", look);
    *node = (struct node){ .ino = st.stx_ino, .born = st.stx_btime, .mode = st.stx_mode };
    if (S_ISLNK(node->mode)) { /* has its target from birth */
        char target[4096] = "";
        ssize_t n = readlink(look, target, sizeof target - 1);

        add_version(node, copy(target, n > 0 ? (size_t)n : 0), n > 0 ? (size_t)n : 0);
    } else {
        add_version(node, copy("", 0), 0);
    }
    d->nodes = grow(d->nodes, &d->cap_nodes, d->n_nodes, sizeof *d->nodes);
    d->nodes[d->n_nodes++] = node;
    return node;
}

static void
add_change(struct disk *d, enum kind kind, const char *path, const char *from, struct node *node)
{
    d->changes = grow(d->changes, &d->cap, d->n, sizeof *d->changes);
    d->changes[d->n++] = (struct change){
        .kind = kind,
        .path = copy(path, strlen(path)),
        .from = from ? copy(from, strlen(from)) : NULL,
        .node = node,
        .durable = is_outside(path),
    };
    if (node)
        node->place = place_of(path);
}

struct disk *
disk_new(const struct tree *base, const char *top)
{
    struct disk *d = calloc(1, sizeof *d);

    if (!d)
        give_up("allocate", top);
    snprintf(d->top, sizeof d->top, "%s", top);
    d->random = 88172645463325252U;
    for (size_t i = 0; i < base->n; i++) {
        const struct entry *e = &base->v[i];
        char path[600];
        struct node *node;

        snprintf(path, sizeof path, "%s/%s", top, e->path);
        node = node_at(d, path, false);
        if (!node)
            give_up("look at", path);
        if (S_ISREG(e->mode))
            add_version(node, copy(e->content, e->size), e->size);
        node->synced = node->n - 1;
        add_change(d, ADD, e->path, NULL, node);
        d->changes[d->n - 1].durable = true;
    }
    return d;
}

void
disk_free(struct disk *d)
{
    for (size_t i = 0; i < d->n_nodes; i++) {
        for (size_t k = 0; k < d->nodes[i]->n; k++)
            free(d->nodes[i]->v[k].bytes);
        free(d->nodes[i]->v);
        free(d->nodes[i]);
    }
    for (size_t i = 0; i < d->n; i++) {
        free(d->changes[i].path);
        free(d->changes[i].from);
    }
    free(d->nodes);
    free(d->changes);
    free(d);
}

void
disk_written(struct disk *d, const char *look)
{
    char path[600] = "";
    ssize_t len = readlink(look, path, sizeof path - 1);
    const char *below = relative(d, len > 0 ? path : look);
    struct node *node;
    struct stat st;
    size_t n = 0;
    char *bytes;

    if (!below || stat(look, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    node = node_at(d, look, true);
    bytes = read_whole(look, &n);
    if (!node || !bytes)
        give_up("read", path);
    node->place = place_of(below);
    add_version(node, bytes, n);
    if (is_outside(below))
        node->synced = node->n - 1;
}

void
disk_named(struct disk *d, const char *path)
{
    const char *below = relative(d, path);
    struct node *node = below ? node_at(d, path, false) : NULL;

    if (node)
        add_change(d, ADD, below, NULL, node);
}

void
disk_dressed(struct disk *d, const char *look)
{
    struct node *node = node_at(d, look, true);
    struct stat st;

    if (node && stat(look, &st) == 0)
        node->mode = st.st_mode;
}

void
disk_moved(struct disk *d, const char *from, const char *to)
{
    const char *source = relative(d, from), *below = relative(d, to);
    struct node *node = below ? node_at(d, to, false) : NULL;

    if (node && source)
        add_change(d, MOVE, below, source, node);
    else if (node)
        add_change(d, ADD, below, NULL, node);
    else if (source)
        add_change(d, REMOVE, source, NULL, NULL);
}

void
disk_removed(struct disk *d, const char *path)
{
    const char *below = relative(d, path);

    if (below)
        add_change(d, REMOVE, below, NULL, NULL);
}

static bool
is_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    const char *slash = strrchr(path, '/');

    return n == 0 ? !slash : slash && (size_t)(slash - path) == n && strncmp(path, folder, n) == 0;
}

void
disk_sync_file(struct disk *d, const char *look, const char *path)
{
    const char *below = strcmp(path, d->top) == 0 ? "" : relative(d, path);
    struct node *node;
    struct stat st;

    if (!below || stat(look, &st) < 0)
        return;
    if (S_ISDIR(st.st_mode)) {
        for (size_t i = 0; i < d->n; i++)
            d->changes[i].durable |= is_in(d->changes[i].path, below);
        return;
    }
    node = node_at(d, look, true);
    if (node)
        node->synced = node->n - 1;
}

void
disk_sync_file_system(struct disk *d, const char *path)
{
    const char *below = path ? relative(d, path) : "";
    int place;

    if (!below)
        return;
    place = path ? place_of(below) : 0;
    for (size_t i = 0; i < d->n; i++)
        d->changes[i].durable |= !place || place_of(d->changes[i].path) == place;
    for (size_t i = 0; i < d->n_nodes; i++)
        if (!place || d->nodes[i]->place == place)
            d->nodes[i]->synced = d->nodes[i]->n - 1;
}

/* What may be there of a file: each version since the synced one, each of them in half, and the newest
 * with zeros where it differs from what is synced. */
static unsigned
variants(const struct node *node)
{
    size_t pending = node->n - 1 - node->synced;

    return pending ? (unsigned)(1 + 2 * pending + 1) : 1;
}

static size_t
common(const struct version *a, const struct version *b)
{
    size_t n = 0;

    while (n < a->n && n < b->n && a->bytes[n] == b->bytes[n])
        n++;
    return n;
}

static char *
variant(const struct node *node, unsigned which, size_t *size)
{
    const struct version *from = &node->v[node->synced], *last = &node->v[node->n - 1];
    size_t pending = node->n - 1 - node->synced, same = common(from, last);
    char *bytes;

    if (which == 0 || which <= pending) {
        const struct version *v = &node->v[node->synced + which];

        *size = v->n;
        return copy(v->bytes, v->n);
    }
    if (which <= 2 * pending) {
        const struct version *v = &node->v[node->synced + which - pending];
        size_t begin = common(&v[-1], v);

        *size = begin + (v->n - begin) / 2;
        return copy(v->bytes, *size);
    }
    *size = last->n;
    bytes = copy(last->bytes, last->n);
    memset(bytes + same, 0, last->n - same);
    return bytes;
}

/* One choice among all that is pending: the names first, then the files. */
struct choice {
    struct change *of[MAX_PENDING];
    size_t n_of;
    struct node *node[MAX_PENDING];
    size_t n_nodes;
    unsigned pick[2 * MAX_PENDING], sides[2 * MAX_PENDING];
    size_t n;
};

struct name {
    const char *path;
    struct node *node;
};

static void
drop(struct name *names, size_t *n, const char *path)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(names[i].path, path) == 0)
            names[i--] = names[--*n];
}

static struct node *
lookup(const struct name *names, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i].path, path) == 0)
            return names[i].node;
    return NULL;
}

static bool
has_parents(const struct name *names, size_t n, const char *path)
{
    char parent[600];

    snprintf(parent, sizeof parent, "%s", path);
    for (char *slash; (slash = strrchr(parent, '/'));) {
        *slash = '\0';
        if (!lookup(names, n, parent))
            return false;
    }
    return true;
}

static void
build(const struct disk *d, const struct choice *c, struct tree *state)
{
    struct name *names = calloc(d->n + 1, sizeof *names);
    size_t n = 0, pending = 0;

    if (!names)
        give_up("allocate", d->top);
    for (size_t i = 0; i < d->n; i++) {
        const struct change *change = &d->changes[i];
        struct node *node = change->node;

        if (!change->durable && !c->pick[pending++])
            continue;
        if (change->kind == MOVE && !lookup(names, n, change->from))
            continue; /* the name that it moves is not there */
        if (change->kind == MOVE)
            drop(names, &n, change->from);
        drop(names, &n, change->path);
        if (change->kind != REMOVE)
            names[n++] = (struct name){ change->path, node };
    }
    *state = (struct tree){ 0 };
    for (size_t i = 0; i < n; i++) {
        unsigned which = 0;
        size_t size = 0;
        char *bytes = NULL;

        for (size_t k = 0; k < c->n_nodes; k++)
            if (c->node[k] == names[i].node)
                which = c->pick[c->n_of + k];
        if (!has_parents(names, n, names[i].path))
            continue; /* what is in a directory that is not there */
        if (!S_ISDIR(names[i].node->mode))
            bytes = variant(names[i].node, which, &size);
        tree_add(state, names[i].path, names[i].node->mode, bytes, size);
    }
    tree_sort(state);
    free(names);
}

static void
choices(struct disk *d, struct choice *c)
{
    *c = (struct choice){ 0 };
    for (size_t i = 0; i < d->n; i++)
        if (!d->changes[i].durable) {
            if (c->n_of == MAX_PENDING)
                d->changes[i].durable = true; /* not met so far */
            else
                c->of[c->n_of++] = &d->changes[i];
        }
    for (size_t i = 0; i < d->n_nodes && c->n_nodes < MAX_PENDING; i++)
        if (S_ISREG(d->nodes[i]->mode) && d->nodes[i]->synced + 1 < d->nodes[i]->n)
            c->node[c->n_nodes++] = d->nodes[i];
    for (size_t i = 0; i < c->n_of; i++)
        c->sides[c->n++] = 2;
    for (size_t i = 0; i < c->n_nodes; i++)
        c->sides[c->n++] = variants(c->node[i]);
}

static uint64_t
next_random(struct disk *d)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return d->random;
}

static void
show(const struct disk *d, const struct choice *c, void (*visit)(void *, const struct tree *), void *data)
{
    struct tree state;

    build(d, c, &state);
    visit(data, &state);
    tree_clear(&state);
}

/* 1 for names; the newest version for files. */
static unsigned
newest(const struct choice *c, size_t i)
{
    return c->sides[i] == 1 ? 0 : i < c->n_of ? 1 : (c->sides[i] - 2) / 2;
}

size_t
disk_states(struct disk *d, size_t limit, void (*visit)(void *data, const struct tree *state), void *data)
{
    struct choice c;
    size_t all = 1, shown = 0;

    choices(d, &c);
    for (size_t i = 0; i < c.n && all <= limit; i++)
        all *= c.sides[i];
    if (all <= limit) {
        for (size_t k = 0; k < all; k++) {
            size_t rest = k;

            for (size_t i = 0; i < c.n; i++, rest /= c.sides[i - 1])
                c.pick[i] = (unsigned)(rest % c.sides[i]);
            show(d, &c, visit, data);
        }
        return all;
    }
    /* All but one, and only one: what a missing sync shows at once. */
    for (int most = 0; most < 2; most++)
        for (size_t k = 0; k <= c.n; k++)
            for (unsigned side = 0; side < (k < c.n ? c.sides[k] : 1); side++) {
                for (size_t i = 0; i < c.n; i++)
                    c.pick[i] = i == k ? side : most ? newest(&c, i) : 0;
                show(d, &c, visit, data);
                shown++;
            }
    for (; shown < limit; shown++) {
        uint64_t favour = next_random(d) % 4; /* a fair coin makes states that are all alike */

        for (size_t i = 0; i < c.n; i++)
            c.pick[i] = next_random(d) % 4 < favour ? newest(&c, i) : (unsigned)(next_random(d) % c.sides[i]);
        show(d, &c, visit, data);
    }
    return shown;
}

const char *
disk_newest(struct disk *d, const char *path, size_t *size)
{
    for (size_t i = d->n; i-- > 0;)
        if (strcmp(d->changes[i].path, path) == 0 && d->changes[i].kind != REMOVE) {
            const struct node *node = d->changes[i].node;

            *size = node->v[node->n - 1].n;
            return node->v[node->n - 1].bytes;
        }
    return NULL;
}
