/* SPDX-License-Identifier: Apache-2.0 */
/* dry-run - what <rhost/dry-run.h> says that an apply would lack, with a manifest that the test makes up. */
#include <rhost/dry-run.h>

#include <rhost/fake-host.h>

#include <assert.h>

#ifdef NDEBUG
#error the checks of this test are assertions
#endif

static struct rhost_fake fake;
static rhost_ctx *const ctx = &fake.ctx;
static rhost_value *manifest; /* type: [resource]; NULL: this is no run */
static char *touched;

static const rhost_value *
all_of(rhost_ctx *c, const char *type)
{
    const rhost_value *all = manifest ? rhost_get(manifest, type) : NULL;

    return all || !manifest ? all : c->host->put_array(rhost_fake_hash(rhost_fake_from(c)), "none");
}

static const rhost_value *
find_one(rhost_ctx *c, const char *type, const char *title)
{
    const rhost_value *all = all_of(c, type);

    for (size_t i = 0; i < rhost_count(all); i++)
        if (strcmp(rhost_str(rhost_at(all, i, NULL), "title"), title) == 0)
            return rhost_at(all, i, NULL);
    return NULL;
}

static void
touch(rhost_ctx *c, const char *path)
{
    touched = rhost_fmt(c, "%s%s\n", touched ? touched : "", path);
}

static const void *
find(const char *id)
{
    static const struct rhost_catalog catalog = { .struct_size = sizeof catalog,
                                                  .find = find_one,
                                                  .all = all_of };
    static const struct rhost_file file = { .struct_size = sizeof file, .touched = touch };

    return strcmp(id, RHOST_CATALOG_ID) == 0 ? (const void *)&catalog
           : strcmp(id, RHOST_FILE_ID) == 0  ? (const void *)&file
                                             : NULL;
}

/* Adds type[title] to the manifest; the attributes that it gets are returned. */
static rhost_value *
declare(const char *type, const char *title, const char *key, const char *ensure)
{
    rhost_value *all = rhost_get(manifest, type) ? (rhost_value *)(uintptr_t)rhost_get(manifest, type)
                                                 : fake.host.put_array(manifest, type);
    rhost_value *resource = fake.host.put_hash(all, NULL), *should;

    rhost_put_str(resource, "title", title);
    should = fake.host.put_hash(resource, "should");
    if (key)
        rhost_put_str(should, key, title);
    if (ensure)
        rhost_put_str(should, "ensure", ensure);
    return should;
}

/* A manifest with nothing in it. */
static void
begin(void)
{
    manifest = rhost_fake_hash(&fake);
    rhost_fake_forget(&fake);
}

/* What was said since the last time is this. */
static void
said(const char *text)
{
    if (strcmp(fake.said, text) != 0)
        (void)fprintf(stderr, "said:\n%sexpected:\n%s", fake.said, text);
    assert(strcmp(fake.said, text) == 0);
    rhost_fake_forget(&fake);
}

static rhost_value *
should_be(const char *key, const char *text, const char *ensure)
{
    rhost_value *should = rhost_fake_hash(&fake);

    if (key)
        rhost_put_str(should, key, text);
    if (ensure)
        rhost_put_str(should, "ensure", ensure);
    return should;
}

static void
what_the_manifest_has(void)
{
    manifest = NULL;
    assert(!rhost_will_exist(ctx, "user", "bob") && rhost_fail_missing(ctx, "key", "why") == 0);
    said("");
    begin();
    (void)declare("user", "bob", "name", NULL);
    (void)declare("user", "eve", "name", "absent");
    (void)declare("user", "joe", "name", "present");
    assert(rhost_will_exist(ctx, "user", "bob") && rhost_will_exist(ctx, "user", "joe"));
    assert(!rhost_will_exist(ctx, "user", "eve") && !rhost_will_exist(ctx, "user", "ann"));
    assert(!rhost_will_exist(ctx, "group", "bob"));
    assert(rhost_fail_missing(ctx, "key", "why") == -1);
    said("fail key: why\n");

    assert(!rhost_looks_ahead(ctx, should_be(NULL, NULL, NULL))); /* this is an apply */
    fake.noop = 1;
    assert(rhost_looks_ahead(ctx, should_be(NULL, NULL, NULL)) && !rhost_looks_ahead(ctx, NULL));
    assert(rhost_looks_ahead(ctx, should_be(NULL, NULL, "file"))
           && !rhost_looks_ahead(ctx, should_be(NULL, NULL, "absent")));
    fake.noop = 0;
}

static int
owner(const char *key, const char *name, const rhost_value *current)
{
    return rhost_foresee_owners(ctx, should_be(key, name, NULL), current);
}

static void
accounts_exist_or_will(void)
{
    begin();
    assert(owner("owner", "rhost-nobody", NULL) == 0); /* this is an apply */
    fake.noop = 1;
    (void)declare("user", "rhost-new", "name", NULL);
    (void)declare("group", "rhost-some", "name", NULL);
    assert(owner("owner", "root", NULL) == 0 && owner("group", "root", NULL) == 0
           && owner("owner", "4242", NULL) == 0);
    assert(owner("owner", "rhost-new", NULL) == 0 && owner("group", "rhost-new", NULL) == 0);
    assert(owner("group", "rhost-some", NULL) == 0 && owner("none", "rhost-nobody", NULL) == 0);
    assert(rhost_foresee_owners(ctx, should_be("owner", "rhost-nobody", "absent"), NULL) == 0);
    assert(owner("owner", "rhost-nobody", should_be("owner", "rhost-nobody", NULL)) == 0);
    said("");
    assert(owner("owner", "rhost-some", NULL) == -1 && owner("owner", "rhost-nobody", NULL) == -1);
    assert(owner("group", "rhost-nobody", NULL) == -1);
    assert(owner("owner", "rhost-nobody", should_be("owner", "root", NULL)) == -1);
    assert(owner("owner", "rhost-nobody", should_be("group", "rhost-nobody", NULL)) == -1);
    said("fail owner: unknown user 'rhost-some'\nfail owner: unknown user 'rhost-nobody'\n"
         "fail group: unknown group 'rhost-nobody'\nfail owner: unknown user 'rhost-nobody'\n"
         "fail owner: unknown user 'rhost-nobody'\n");
    fake.noop = 0;
    assert(rhost_foresee_account(ctx, "owner", 0, "rhost-nobody") == 0);
}

static void
paths_are_below_others(void)
{
    assert(rhost_is_at_or_below("/a", "/a") && rhost_is_at_or_below("/a/b", "/a")
           && rhost_is_at_or_below("/a/b", "/a/"));
    assert(rhost_is_at_or_below("/a", "/a//") && rhost_is_at_or_below("/a", "/")
           && rhost_is_at_or_below("/a/b/c", "/a/b"));
    assert(!rhost_is_at_or_below("/ab", "/a") && !rhost_is_at_or_below("/a", "/a/b")
           && !rhost_is_at_or_below("/b", "/a"));
    assert(strcmp(rhost_parent_path(ctx, "/a/b"), "/a") == 0 && !rhost_parent_path(ctx, "/a"));
    assert(!rhost_parent_path(ctx, "/") && !rhost_parent_path(ctx, "a")
           && strcmp(rhost_parent_path(ctx, "a/b"), "a") == 0);
}

static void
directories_of_the_manifest(void)
{
    begin();
    (void)declare("directory", "/own", "path", NULL);
    (void)declare("directory", "/gone", "path", "absent");
    (void)declare("mount", "/mnt", "name", "mounted");
    (void)declare("mount", "/unmounted", "name", "absent");
    (void)declare("link", "/link", "path", NULL);
    rhost_put_str(declare("user", "bob", "name", NULL), "home", "/home/bob");
    rhost_put_bool(declare("file", "/deep/in/it", "path", NULL), "parents", 1);
    rhost_put_bool(declare("file", "/removed/in/it", "path", "absent"), "parents", 1);
    rhost_put_bool(declare("file", "/flat/in/it", "path", NULL), "parents", 0);
    rhost_put_bool(declare("directory", "/tree/in", "path", NULL), "parents", 1);
    rhost_put_bool(declare("file", "no path", "other", NULL), "parents", 1);
    assert(rhost_directory_is_declared(ctx, "/own") && !rhost_directory_is_declared(ctx, "/own/in"));
    assert(!rhost_directory_is_declared(ctx, "/gone") && !rhost_directory_is_declared(ctx, "/other"));
    assert(rhost_directory_is_declared(ctx, "/mnt") && rhost_directory_is_declared(ctx, "/mnt/in"));
    assert(!rhost_directory_is_declared(ctx, "/unmounted") && rhost_directory_is_declared(ctx, "/link/in"));
    assert(rhost_directory_is_declared(ctx, "/home/bob/in") && !rhost_directory_is_declared(ctx, "/home"));
    assert(!rhost_directory_is_declared(ctx, "/deep"));
    assert(rhost_will_be_parent(ctx, "/deep") && rhost_will_be_parent(ctx, "/deep/in"));
    assert(!rhost_will_be_parent(ctx, "/removed") && !rhost_will_be_parent(ctx, "/flat"));
    assert(rhost_will_be_parent(ctx, "/tree") && !rhost_will_be_parent(ctx, "/dee")
           && !rhost_will_be_parent(ctx, "/own/in"));
    assert(rhost_directory_will_exist(ctx, "/deep") && rhost_directory_will_exist(ctx, "/own"));
    assert(!rhost_directory_will_exist(ctx, "/flat"));
}

/* Named from the top: what is remembered of the directory before must not matter. */
static void
directories_are_looked_for(const char *here)
{
    const char *file = rhost_fmt(ctx, "%s/file", here), *none = rhost_fmt(ctx, "%s/none", here);
    const char *in_none = rhost_fmt(ctx, "%s/x", none), *in_file = rhost_fmt(ctx, "%s/x", file);
    char large[2000];
    int fd;

    begin();
    assert(rhost_foresee_directory(ctx, "key", "", none) == 0); /* this is an apply */
    fake.noop = 1;
    assert(rhost_foresee_directory(ctx, "key", "", here) == 0);
    assert(rhost_foresee_directory(ctx, "key", "what: ", none) == -1);
    said(rhost_fmt(ctx, "fail key: what: directory '%s' does not exist, and no directory[%s] creates it\n",
                   none, none));
    assert(rhost_foresee_parent(ctx, in_none) == -1 && rhost_foresee_parent(ctx, none) == 0);
    said(rhost_fmt(
        ctx, "fail: cannot create '%s': directory '%s' does not exist, and no directory[%s] creates it\n",
        in_none, none, none));
    assert(rhost_foresee_parent(ctx, "/x") == 0 && rhost_foresee_parent(ctx, "x") == 0);
    fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert(fd >= 0 && close(fd) == 0);
    assert(rhost_foresee_parent(ctx, in_file) == -1);
    assert(rhost_foresee_parent(ctx, rhost_fmt(ctx, "%s/x", in_file)) == -1);
    said(rhost_fmt(
        ctx,
        "fail: cannot create '%s': '%s' is not a directory\n"
        "fail: cannot create '%s/x': directory '%s' does not exist, and no directory[%s] creates it\n",
        in_file, file, in_file, in_file, in_file));
    (void)declare("directory", file, "path", NULL);
    assert(rhost_foresee_parent(ctx, in_file) == 0);
    (void)declare("directory", none, "path", NULL);
    assert(rhost_foresee_parent(ctx, in_none) == 0);
    memset(large, 'x', sizeof large - 1);
    memcpy(large, "/", 1);
    large[sizeof large - 1] = '\0';
    assert(rhost_foresee_directory(ctx, "key", "", large)
           == 0); /* ENAMETOOLONG: for the reading of it to tell */
    said("");

    /* One that was found is looked for no more; the others are. */
    assert(mkdir(rhost_fmt(ctx, "%s/found", here), 0700) == 0
           && mkdir(rhost_fmt(ctx, "%s/other", here), 0700) == 0);
    assert(rhost_foresee_directory(ctx, NULL, "", rhost_fmt(ctx, "%s/found", here)) == 0);
    assert(rmdir(rhost_fmt(ctx, "%s/found", here)) == 0);
    assert(rhost_foresee_directory(ctx, NULL, "", rhost_fmt(ctx, "%s/found", here)) == 0);
    assert(rhost_foresee_directory(ctx, NULL, "", here) == 0);
    assert(rhost_foresee_directory(ctx, NULL, "", rhost_fmt(ctx, "%s/found", here)) == -1);
    assert(rhost_foresee_directory(ctx, NULL, "", rhost_fmt(ctx, "%s/other", here)) == 0);
    assert(rhost_foresee_directory(ctx, NULL, "", rhost_fmt(ctx, "%s/found", here)) == -1);
    assert(rmdir(rhost_fmt(ctx, "%s/other", here)) == 0);
    fake.noop = 0;
    assert(rhost_foresee_parent(ctx, rhost_fmt(ctx, "%s/nothing/x", here)) == 0);
    rhost_fake_forget(&fake);
}

static void
what_is_absent_is_foreseen(const char *here)
{
    const char *deep = rhost_fmt(ctx, "%s/a/b/c", here), *single = rhost_fmt(ctx, "%s/a/x", here);
    const char *file = rhost_fmt(ctx, "%s/file", here), *in_file = rhost_fmt(ctx, "%s/x/y", file);
    rhost_value *should = should_be(NULL, NULL, NULL), *with_parents = rhost_fake_hash(&fake);
    char large[2000];

    begin();
    rhost_put_bool(with_parents, "parents", 1);
    assert(rhost_absent_at(ctx, should, deep) == RHOST_ABSENT); /* this is an apply */
    fake.noop = 1;
    assert(rhost_absent_at(ctx, NULL, deep) == RHOST_ABSENT);
    assert(rhost_absent_at(ctx, should, file) == RHOST_ABSENT);
    said("");
    assert(rhost_absent_at(ctx, should, single) == -1);
    rhost_fake_forget(&fake);
    assert(rhost_absent_at(ctx, with_parents, single) == RHOST_ABSENT);
    said(rhost_fmt(ctx, "log notice: Would create directory '%s/a'\n", here));
    assert(rhost_absent_at(ctx, with_parents, deep) == RHOST_ABSENT);
    said(rhost_fmt(ctx, "log notice: Would create directories '%s/a', '%s/a/b'\n", here, here));
    (void)declare("directory", rhost_fmt(ctx, "%s/a", here), "path", NULL);
    assert(rhost_absent_at(ctx, with_parents, deep) == RHOST_ABSENT);
    said(rhost_fmt(ctx, "log notice: Would create directory '%s/a/b'\n", here));
    assert(rhost_absent_at(ctx, with_parents, rhost_fmt(ctx, "%s/x", here)) == RHOST_ABSENT);
    said("");
    assert(rhost_absent_at(ctx, with_parents, in_file) == -1);
    said(rhost_fmt(ctx, "fail: cannot create '%s': '%s' is not a directory\n", in_file, file));
    (void)declare("directory", file, "path", NULL);
    assert(rhost_absent_at(ctx, with_parents, in_file) == RHOST_ABSENT);
    said(rhost_fmt(ctx, "log notice: Would create directory '%s/x'\n", file));
    memset(large, 'x', sizeof large - 1);
    memcpy(large, "/", 1);
    memcpy(large + sizeof large - 3, "/x", 3);
    assert(rhost_foresee_parents(ctx, large) == 0);
    said("");
    fake.noop = 0;
}

static mode_t
mode_of(const char *path)
{
    struct stat st;

    assert(stat(path, &st) == 0);
    return st.st_mode & 07777;
}

static void
parents_are_made(const char *here)
{
    const char *deep = rhost_fmt(ctx, "%s/a/b/c", here), *file = rhost_fmt(ctx, "%s/file", here);
    char large[2000];

    begin();
    (void)umask(077);
    assert(rhost_make_parents(ctx, "/x") == 0 && rhost_make_parents(ctx, file) == 0);
    said("");
    assert(!touched && rhost_make_parents(ctx, deep) == 0);
    said(rhost_fmt(ctx, "log notice: Created directory '%s/a'\nlog notice: Created directory '%s/a/b'\n",
                   here, here));
    assert(strcmp(touched, rhost_fmt(ctx, "%s/a\n%s/a/b\n", here, here)) == 0);
    (void)umask(022);
    assert(mode_of(rhost_fmt(ctx, "%s/a", here)) == 0755 && mode_of(rhost_fmt(ctx, "%s/a/b", here)) == 0755);
    assert(access(deep, F_OK) < 0 && rhost_make_parents(ctx, deep) == 0);
    said("");
    assert(rhost_make_parents(ctx, rhost_fmt(ctx, "%s/x", file)) == -1);
    assert(rhost_make_parents(ctx, rhost_fmt(ctx, "%s/x/y/z", file)) == -1);
    said(rhost_fmt(ctx,
                   "fail: cannot create '%s/x': '%s' is not a directory\n"
                   "fail: cannot create '%s/x': '%s' is not a directory\n",
                   file, file, file, file));
    memset(large, 'x', sizeof large - 1);
    memcpy(large, "/", 1);
    memcpy(large + sizeof large - 3, "/x", 3);
    assert(rhost_make_parents(ctx, large) == -1);
    large[sizeof large - 3] = '\0';
    said(rhost_fmt(ctx, "fail: cannot create directory '%s': File name too long\n", large));
    assert(rhost_make_parents(ctx, "/proc/rhost-none/x") == -1);
    said("fail: cannot create directory '/proc/rhost-none': No such file or directory\n");
    assert(rmdir(rhost_fmt(ctx, "%s/a/b", here)) == 0 && rmdir(rhost_fmt(ctx, "%s/a", here)) == 0);
}

static void
what_could_not_be_created(const char *here)
{
    const char *none = rhost_fmt(ctx, "%s/none", here);

    errno = ENOENT;
    assert(rhost_fail_create(ctx, rhost_fmt(ctx, "%s/x", none)) == -1);
    said(rhost_fmt(ctx,
                   "fail: cannot create '%s/x': directory '%s' does not exist; 'directory: %s' creates it\n",
                   none, none, none));
    errno = ENOENT;
    assert(rhost_fail_create(ctx, none) == -1); /* it is something else that is not there */
    errno = EACCES;
    assert(rhost_fail_create(ctx, rhost_fmt(ctx, "%s/x", none)) == -1);
    errno = ENOENT;
    assert(rhost_fail_create(ctx, "/x") == -1 && fake.failures == 3);
    errno = ENOENT;
    assert(rhost_fail_create(ctx, "x") == -1);
    said(rhost_fmt(ctx,
                   "fail: cannot create '%s': No such file or directory\n"
                   "fail: cannot create '%s/x': Permission denied\n"
                   "fail: cannot create '/x': No such file or directory\n"
                   "fail: cannot create 'x': No such file or directory\n",
                   none, none));
}

int
main(void)
{
    char folder[] = "/tmp/rhost-dry-run-XXXXXX";

    if (!mkdtemp(folder) || chdir("/") < 0)
        return 1;
    rhost_fake_init(&fake);
    fake.find = find;
    what_the_manifest_has();
    accounts_exist_or_will();
    paths_are_below_others();
    directories_of_the_manifest();
    directories_are_looked_for(folder);
    what_is_absent_is_foreseen(folder);
    parents_are_made(folder);
    what_could_not_be_created(folder);
    (void)unlink(rhost_fmt(ctx, "%s/file", folder));
    rhost_fake_clear(&fake);
    return rmdir(folder) == 0 ? 0 : 1;
}
