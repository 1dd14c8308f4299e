/* SPDX-License-Identifier: Apache-2.0 */
/* fake-extensions - what <rhost/fake-host.h> promises of extensions, transports, and what is found in a
 * plugin. */
#include "fake-fixture.h"

#include <rhost/fake-lookup.h>

/* --- Blocks that overlap. */

static void
too_many_at_once(void)
{
    for (int i = 0; i < 65; i++)
        (void)rhost_fake_overlap_begin(ctx, RHOST_CREATING, "a", NULL);
}

static void
ended_twice(void)
{
    uint64_t block = rhost_fake_overlap_begin(ctx, RHOST_CREATING, "a", NULL);

    rhost_fake_overlap_end(ctx, block, NULL);
    rhost_fake_overlap_end(ctx, block, NULL);
}

static void
no_block_ended(void)
{
    rhost_fake_overlap_end(ctx, 0, NULL);
}

static void
blocks_overlap(void)
{
    const struct rhost_overlap *ext = rhost_fake_overlap();
    uint64_t open[64];

    assert(rhost_fake_open_overlaps(&fake) == 0);
    for (int i = 0; i < 64; i++)
        open[i] = ext->begin(ctx, RHOST_CREATING, "a", i ? NULL : "why");
    ext->end(ctx, open[63], NULL);
    open[63] = ext->begin(ctx, RHOST_UPDATING, "b", NULL);
    assert(strstr(fake.said, "begin creating a: why\nbegin creating a\n") == fake.said);
    rhost_fake_forget(&fake);
    ext->end(ctx, open[63], "no");
    ext->end(ctx, open[0], NULL);
    assert(fake.failures == 1 && rhost_fake_open_overlaps(&fake) == 62);
    said("fail updating b: no\nend creating a\n");
    for (int i = 1; i < 63; i++)
        ext->end(ctx, open[i], NULL);
    assert(fake.failures == 0);
    rhost_fake_forget(&fake);
    assert(aborts(too_many_at_once) && aborts(ended_twice) && aborts(no_block_ended));
}

/* --- Private texts. */

static void
texts_are_kept(void)
{
    const struct rhost_private *ext = rhost_fake_private();
    rhost_value *one = rhost_fake_hash(&fake), *two = rhost_fake_hash(&fake);
    char *large = (char *)rhost_alloc(ctx, RHOST_PRIVATE_LARGEST + 2);
    const rhost_value *seven, *text;
    const char *digest;

    rhost_put_str(one, "name", "one");
    rhost_put_int(one, "seven", 7);
    rhost_put_str(one, "b", "b");
    rhost_put_str(two, "name", "two");
    assert(ext->put(ctx, one, "a", "x") == 0 && ext->put(ctx, one, "b", "y") == 0
           && ext->put(ctx, two, "a", "z") == 0);
    assert(strcmp(ext->get(ctx, one, "a"), "x") == 0 && strcmp(ext->get(ctx, one, "b"), "y") == 0);
    assert(strcmp(ext->get(ctx, two, "a"), "z") == 0 && !ext->get(ctx, two, "b"));
    assert(ext->put(ctx, one, "a", "other") == 0 && strcmp(ext->get(ctx, one, "a"), "other") == 0);
    fake.noop = 1;
    assert(ext->put(ctx, one, "a", "again") == 0 && strcmp(ext->get(ctx, one, "a"), "other") == 0);
    fake.noop = 0;
    memset(large, 'x', RHOST_PRIVATE_LARGEST);
    assert(ext->put(ctx, one, "a", large) == 0 && strcmp(ext->get(ctx, one, "a"), large) == 0);
    large[RHOST_PRIVATE_LARGEST] = 'x';
    assert(ext->put(ctx, one, "a", large) == -1);
    said("fail: the text to keep is too long\n");
    assert(ext->put(ctx, one, "a", NULL) == 0 && !ext->get(ctx, one, "a"));

    seven = rhost_get(one, "seven");
    text = rhost_get(one, "name");
    digest = ext->digest(ctx, one, "a", seven);
    assert(strlen(digest) == 64 && strspn(digest, "0123456789abcdef") == 64);
    assert(strcmp(digest, ext->digest(ctx, one, "a", seven)) == 0);
    assert(strcmp(digest, ext->digest(ctx, one, "b", seven)) != 0);
    assert(strcmp(ext->digest(ctx, one, "a", text), ext->digest(ctx, one, "a", rhost_get(two, "name"))) != 0);
    assert(strncmp(ext->digest(ctx, one, "a", rhost_get(one, "b")), "089c4407b545986a", 16)
           == 0); /* FNV-1a of "ab" */
    rhost_put_int(one, "seven", 8);
    assert(strcmp(digest, ext->digest(ctx, one, "a", rhost_get(one, "seven"))) != 0);
}

/* --- Paths. */

/* The directory above a path, and the name in it; the descriptor, or an errno, negative. */
static int32_t
parent(const char *path, uint64_t flags, const char *expected)
{
    const char *name = NULL;
    int32_t fd = rhost_fake_path_parent(ctx, path, flags, &name);

    if (strcmp(name, expected) != 0)
        (void)fprintf(stderr, "the name of %s is '%s', not '%s'\n", path, name, expected);
    assert(strcmp(name, expected) == 0);
    return fd;
}

/* Whether what is open is this. */
static int
is_the_same(int fd, const char *path)
{
    struct stat a, b;
    int same =
        fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;

    if (fd >= 0)
        (void)close(fd);
    return same;
}

static void
paths_are_followed_by_hand(void)
{
    const struct rhost_path *ext = rhost_fake_path();
    struct stat st;
    char from[32], to[32];
    int32_t fd = ext->open(ctx, "file", 0, O_RDWR | O_CREAT, 0600);

    assert(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    assert(ext->own(ctx, fd, -1, -1, 0640) == 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0640);
    assert(ext->own(ctx, fd, -1, -1, -1) == 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0640);
    assert(ext->own(ctx, fd, getuid(), -1, -1) == 0 && ext->own(ctx, fd, -1, getgid(), 0) == 0);
    assert(fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0);
    if (getuid() == 0) {
        assert(ext->own(ctx, fd, 7, -1, -1) == 0 && fstat(fd, &st) == 0 && st.st_uid == 7
               && st.st_gid == getgid());
        assert(ext->own(ctx, fd, -1, 8, -1) == 0 && fstat(fd, &st) == 0 && st.st_uid == 7 && st.st_gid == 8);
        assert(ext->own(ctx, fd, 0, 0, -1) == 0 && fstat(fd, &st) == 0 && st.st_uid == 0 && st.st_gid == 0);
    }
    (void)close(fd);
    assert(ext->own(ctx, fd, -1, -1, 0600) == -EBADF && ext->own(ctx, fd, 0, -1, -1) == -EBADF);

    assert(ext->symlink(ctx, "file", "one", 0) == 0 && ext->symlink(ctx, "one", "two", 0) == 0);
    assert(ext->open(ctx, "two", 0, O_RDONLY, 0) == -ELOOP
           && ext->open(ctx, "none", 0, O_RDONLY, 0) == -ENOENT);
    assert(is_the_same(ext->open(ctx, "two", RHOST_PATH_FOLLOW, O_RDONLY, 0), "file"));
    assert(!ext->unsafe(ctx));

    assert(mkdir("dir", 0700) == 0 && mkdir("dir/in", 0700) == 0);
    assert(is_the_same(parent("two", 0, "two"), ".")
           && is_the_same(parent("two", RHOST_PATH_FOLLOW, "file"), "."));
    assert(is_the_same(parent("/x", 0, "x"), "/") && is_the_same(parent("dir/in/x", 0, "x"), "dir/in"));
    assert(parent("dir/", 0, "") == -EISDIR && parent("none/x", 0, "x") == -ENOENT);
    assert(parent("file/x", 0, "x") == -ENOTDIR);
    assert(ext->symlink(ctx, "../../file", "dir/in/up", 0) == 0
           && ext->symlink(ctx, "/x/y", "dir/away", 0) == 0);
    assert(is_the_same(parent("dir/in/up", RHOST_PATH_FOLLOW, "file"), "."));
    assert(parent("dir/away", RHOST_PATH_FOLLOW, "y") == -ENOENT);
    assert(strcmp(rhost_fake_path_target(ctx, "dir/away"), "/x/y") == 0);
    assert(strcmp(rhost_fake_path_target(ctx, "dir/in/up"), "dir/in/../../file") == 0);
    assert(strcmp(rhost_fake_path_target(ctx, "none"), "none") == 0);
    assert(ext->symlink(ctx, "loop", "loop", 0) == 0
           && strcmp(rhost_fake_path_target(ctx, "loop"), "loop") == 0);

    for (int i = 0; i < 41; i++) {
        (void)snprintf(from, sizeof from, "chain%d", i);
        (void)snprintf(to, sizeof to, "chain%d", i + 1);
        assert(ext->symlink(ctx, to, from, 0) == 0);
    }
    assert(strcmp(rhost_fake_path_target(ctx, "chain0"), "chain40") == 0); /* so many, as the kernel has it */
    for (int i = 0; i < 41; i++) {
        (void)snprintf(from, sizeof from, "chain%d", i);
        assert(unlink(from) == 0);
    }

    assert(ext->symlink(ctx, "new", "one", 0) == 0); /* a link gives way */
    assert(strcmp(rhost_fake_path_target(ctx, "one"), "new") == 0);
    assert(ext->symlink(ctx, "new", "file", 0) == -EEXIST && ext->symlink(ctx, "new", "dir", 0) == -EISDIR);
    assert(ext->hidden_mount(ctx, AT_FDCWD, "one") == 0);
    assert(ext->trusted(ctx, "/none") == 0 && ext->trusted(ctx, "none") == -EINVAL);
    assert(ext->symlink(ctx, "new", "dir", RHOST_PATH_REPLACE) == -EISDIR);
    assert(ext->symlink(ctx, "new", "none/x", 0) == -ENOENT);
    assert(ext->symlink(ctx, "new", "file", RHOST_PATH_REPLACE) == 0);
    assert(lstat("file", &st) == 0 && S_ISLNK(st.st_mode));
}

/* --- Words, and the end. */

static int released;

static void
release(void *kept)
{
    released += *(const int *)kept;
}

static void
too_many_words(void)
{
    static const char *const names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };

    rhost_warning(ctx, "what was said is no word");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)rhost_fake_word(ctx, names[i], NULL);
}

static void
words_are_kept(void)
{
    static int one = 1, ten = 10;
    struct rhost_fake own;
    void **a, **b, **shared;

    rhost_fake_init(&own);
    a = rhost_keep_word(&own.ctx, "a", release);
    b = rhost_keep_word(&own.ctx, "b", NULL);
    shared = rhost_keep_shared(&own.ctx, "c", release);
    assert(a && b && shared && a != b && b != shared && !*a && !*b && !*shared);
    assert(rhost_keep_word(&own.ctx, "a", release) == a && rhost_keep_word(&own.ctx, "b", NULL) == b);
    *a = &one;
    *b = &one;
    *shared = &ten;
    (void)rhost_keep_word(&own.ctx, "empty", release);
    (void)rhost_begin(&own.ctx, RHOST_CREATING, "left open");
    rhost_fake_clear(&own);
    assert(released == 11 && !own.values && !own.blocks && !own.said && !own.n_scopes);
    assert(aborts(too_many_words));
}

static struct rhost_keep older;
static struct rhost_private no_digest;

static const char *
kept(rhost_ctx *c, const rhost_value *name, const char *key)
{
    (void)c;
    (void)name;
    return key;
}

static const char *
fails(rhost_ctx *c, const rhost_value *name, const char *key, const rhost_value *value)
{
    (void)name;
    (void)key;
    (void)value;
    c->host->fail(c, 0, NULL, "no digest");
    return NULL;
}

static const void *
find_older(const char *id)
{
    return strcmp(id, RHOST_KEEP_ID) == 0      ? (const void *)&older
           : strcmp(id, RHOST_PRIVATE_ID) == 0 ? (const void *)&no_digest
                                               : NULL;
}

static const void *
has_none(rhost_ctx *c, const char *id)
{
    (void)c;
    (void)id;
    return NULL;
}

static void
an_older_host_has_fewer_extensions(void)
{
    rhost_value *should = rhost_fake_hash(&fake);
    struct rhost_change change = {
        .struct_size = sizeof change, .title = "a", .name = should, .should = should
    };

    rhost_put_str(should, "password", "x");
    older.struct_size = offsetof(struct rhost_keep, shared);
    older.word = older.shared = rhost_fake_word;
    no_digest.struct_size = sizeof no_digest;
    no_digest.get = kept;
    no_digest.put = rhost_fake_private_put;
    no_digest.digest = fails;
    fake.find = find_older;
    assert(rhost_keep_word(ctx, "of an older host", NULL)
           && !rhost_keep_shared(ctx, "of an older host", NULL));
    older.struct_size = sizeof older;
    assert(rhost_keep_shared(ctx, "of an older host", NULL));
    assert(rhost_private_insync(ctx, &change, "password") == -1
           && rhost_private_written(ctx, &change, "password") == -1);
    assert(rhost_private_written(ctx, &change, "other") == 0);
    said("fail: no digest\nfail: no digest\n");
    fake.find = NULL;
    fake.host.extension = has_none;
    assert(!rhost_keep_word(ctx, "a", NULL) && !rhost_keep_shared(ctx, "a", NULL));
    assert(!rhost_private_get(ctx, should, "a")
           && rhost_private_insync(ctx, &change, "password") == RHOST_DIFFERS);
    assert(rhost_private_written(ctx, &change, "password") == 0
           && rhost_private_put(ctx, should, "a", "x") == -1);
    said("fail: this host keeps nothing for resources\n");
    fake.host.extension = rhost_fake_extension;
}

static const void *
find(const char *id)
{
    return strcmp(id, "own/1") == 0 || strcmp(id, RHOST_KEEP_ID) == 0 ? "found" : NULL;
}

static const void *
api(const char *id)
{
    return id;
}

static void
extensions_are_found(void)
{
    assert(host->extension(ctx, RHOST_KEEP_ID) && !host->extension(ctx, "own/1"));
    fake.find = find;
    assert(strcmp((const char *)host->extension(ctx, "own/1"), "found") == 0);
    assert(strcmp((const char *)host->extension(ctx, RHOST_KEEP_ID), "found") == 0);
    assert(!host->extension(ctx, "other/1"));
    fake.find = NULL;
    assert(!host->transport(ctx, "x"));
    fake.api = api;
    assert(strcmp((const char *)host->transport(ctx, "x"), "x") == 0);
    fake.api = NULL;
}

/* --- Transports. */

static int opened, verified, closed, refuse;

static int32_t
open_it(rhost_ctx *c, const rhost_value *info)
{
    opened++;
    *c->host->state(c) = &opened;
    return strcmp(rhost_str_or(info, "host", ""), "refused") == 0 ? -1 : 0;
}

static int32_t
verify_it(rhost_ctx *c)
{
    verified += *c->host->state(c) == &opened;
    return refuse ? -1 : 0;
}

static int32_t
facts_of_it(rhost_ctx *c)
{
    rhost_value *facts = rhost_fake_hash(rhost_fake_from(c));

    assert(*c->host->state(c) == &opened);
    rhost_put_str(facts, "os", "x");
    return c->host->emit(c, facts);
}

static const void *
api_of_it(rhost_ctx *c, const char *id)
{
    return strcmp(id, "x/1") == 0 ? *c->host->state(c) : NULL;
}

static void
close_it(rhost_ctx *c)
{
    closed += *c->host->state(c) == &opened;
}

static void
a_device_is_connected(void)
{
    static const struct rhost_transport bare = { .struct_size = sizeof bare, .name = "bare" };
    static const struct rhost_transport full = { .struct_size = sizeof full,
                                                 .name = "full",
                                                 .open = open_it,
                                                 .verify = verify_it,
                                                 .facts = facts_of_it,
                                                 .api = api_of_it,
                                                 .close = close_it };
    rhost_value *info = rhost_fake_hash(&fake);

    assert(rhost_fake_connect(&fake, &bare, info) == 0 && !host->transport(ctx, "x/1"));
    rhost_fake_disconnect(&fake);
    assert(rhost_fake_connect(&fake, &full, info) == 0 && opened == 1 && verified == 1);
    assert(!*host->state(ctx)); /* the provider's own */
    assert(host->transport(ctx, "x/1") == &opened && !host->transport(ctx, "y/1") && !*host->state(ctx));
    assert(rhost_fake_facts(&fake) == 0 && rhost_count(fake.emitted) == 1 && !*host->state(ctx));
    rhost_fake_disconnect(&fake);
    assert(closed == 1 && !fake.transport && !fake.transport_state && !*host->state(ctx));
    assert(!host->transport(ctx, "x/1"));
    rhost_fake_disconnect(&fake); /* again: nothing is open */
    refuse = 1;
    assert(rhost_fake_connect(&fake, &full, info) == -1 && verified == 2);
    rhost_put_str(info, "host", "refused");
    assert(rhost_fake_connect(&fake, &full, info) == -1 && opened == 3 && verified == 2);
    assert(!*host->state(ctx));
    rhost_fake_disconnect(&fake);
}

static void
providers_are_found(void)
{
    static const struct rhost_provider one = { .type = "one" }, two = { .type = "two" };
    static const struct rhost_provider *const providers[] = { &one, &two, NULL };
    static const struct rhost_fact first = { RHOST_FACT("first", "A fact.") },
                                   second = { RHOST_FACT("second", "A fact.") };
    static const struct rhost_fact *const facts[] = { &first, &second, NULL };
    static const struct rhost_lookup a = { RHOST_LOOKUP("first", "A lookup.") },
                                     b = { RHOST_LOOKUP("second", "A lookup.") };
    static const struct rhost_lookup *const lookups[] = { &a, &b, NULL };
    const struct rhost_plugin plugin = { .providers = providers, .lookups = lookups, .facts = facts };
    const struct rhost_plugin none = { .providers = NULL };

    assert(rhost_fake_provider(&plugin, "one") == &one && rhost_fake_provider(&plugin, "two") == &two);
    assert(!rhost_fake_provider(&plugin, "three") && !rhost_fake_provider(&none, "one"));
    assert(rhost_fake_fact(&plugin, "first") == &first && rhost_fake_fact(&plugin, "second") == &second);
    assert(!rhost_fake_fact(&plugin, "third") && !rhost_fake_fact(&none, "first"));
    assert(rhost_fake_lookup(&plugin, "first") == &a && rhost_fake_lookup(&plugin, "second") == &b);
    assert(!rhost_fake_lookup(&plugin, "third") && !rhost_fake_lookup(&none, "first"));
}

int
main(void)
{
    char folder[] = "/tmp/rhost-extensions-XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    rhost_fake_init(&fake);
    blocks_overlap();
    texts_are_kept();
    paths_are_followed_by_hand();
    words_are_kept();
    extensions_are_found();
    an_older_host_has_fewer_extensions();
    a_device_is_connected();
    providers_are_found();
    rhost_fake_clear(&fake);
    for (const char *const *p =
             (const char *const[]){ "dir/in/up", "dir/away", "one", "two", "loop", "file", NULL };
         *p; p++)
        assert(unlink(*p) == 0);
    assert(rmdir("dir/in") == 0 && rmdir("dir") == 0);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : 1;
}
