/* SPDX-License-Identifier: Apache-2.0 */
/* fake-parts - what <rhost/fake-host.h> and its parts promise to a unit test of somebody's provider. */
#include <rhost/overlap.h> /* before the fake host, which then has them */
#include <rhost/path.h>
#include <rhost/private.h>

#include <rhost/fake-host.h>

#include <assert.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifdef NDEBUG
#error the checks of this test are assertions
#endif

static struct rhost_fake fake;
static rhost_ctx *const ctx = &fake.ctx;
static const struct rhost_host *const host = &fake.host;

/* Whether misuse ends the test by abort(). */
static int
aborts(void (*misuse)(void))
{
    pid_t pid = fork();
    int status = 0;

    assert(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = { 0, 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        misuse();
        _exit(0);
    }
    assert(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* What was said since the last time is this. */
static void
said(const char *text)
{
    if (strcmp(fake.said, text) != 0)
        (void)fprintf(stderr, "said:\n%sexpected:\n%s", fake.said, text);
    assert(strcmp(fake.said, text) == 0);
    assert(fake.said_len == strlen(text));
    rhost_fake_forget(&fake);
    assert(fake.said_len == 0 && !*fake.said && fake.failures == 0);
}

/* --- Values. */

static void
key_in_array(void)
{
    rhost_put_str(host->put_array(rhost_fake_hash(&fake), "list"), "key", "x");
}

static void
no_key_in_hash(void)
{
    rhost_put_str(rhost_fake_hash(&fake), NULL, "x");
}

static void
element_of_text(void)
{
    rhost_value *hash = rhost_fake_hash(&fake);

    rhost_put_str(hash, "text", "x");
    rhost_put_str((rhost_value *)(uintptr_t)rhost_get(hash, "text"), "key", "x");
}

static void
element_of_text_without_key(void)
{
    rhost_value *hash = rhost_fake_hash(&fake);

    rhost_put_str(hash, "text", "x");
    rhost_put_str((rhost_value *)(uintptr_t)rhost_get(hash, "text"), NULL, "x");
}

static void
kinds_are_told_apart(void)
{
    rhost_value *a = rhost_fake_hash(&fake), *list;
    const rhost_value *v;
    const char *key = "as it was";
    size_t len = 7;

    assert(host->kind(NULL) == RHOST_UNDEF && !host->sensitive(NULL) && host->count(NULL) == 0);
    assert(host->kind(a) == RHOST_HASH && host->count(a) == 0);
    rhost_put_str(a, "text", "abc");
    host->put_string(a, "part", "abc", 2);
    host->put_string(a, "empty", "", 0);
    host->put_binary(a, "bytes", "a\0b", 3);
    host->put_undef(a, "nothing");
    rhost_put_bool(a, "yes", 5);
    rhost_put_bool(a, "no", 0);
    rhost_put_int(a, "two", 2);
    rhost_put_real(a, "half", 0.5);
    list = host->put_array(a, "list");
    (void)host->put_hash(a, "hash");

    assert(host->kind(rhost_get(a, "text")) == RHOST_STRING
           && host->kind(rhost_get(a, "bytes")) == RHOST_BINARY);
    assert(host->kind(rhost_get(a, "nothing")) == RHOST_UNDEF
           && host->kind(rhost_get(a, "yes")) == RHOST_BOOLEAN);
    assert(host->kind(rhost_get(a, "two")) == RHOST_INTEGER
           && host->kind(rhost_get(a, "half")) == RHOST_FLOAT);
    assert(host->kind(rhost_get(a, "list")) == RHOST_ARRAY && host->kind(rhost_get(a, "hash")) == RHOST_HASH);

    assert(strcmp(host->string(rhost_get(a, "text"), &len), "abc") == 0 && len == 3);
    assert(strcmp(host->string(rhost_get(a, "part"), &len), "ab") == 0 && len == 2);
    assert(strcmp(host->string(rhost_get(a, "empty"), &len), "") == 0 && len == 0);
    assert(memcmp(host->string(rhost_get(a, "bytes"), &len), "a\0b", 4) == 0 && len == 3);
    assert(strcmp(host->string(rhost_get(a, "text"), NULL), "abc") == 0);
    len = 7;
    assert(!host->string(rhost_get(a, "two"), &len) && !host->string(NULL, &len) && len == 7);

    assert(host->boolean(rhost_get(a, "yes"), 0) == 1 && host->boolean(rhost_get(a, "no"), 1) == 0);
    assert(host->boolean(rhost_get(a, "two"), 7) == 7 && host->boolean(NULL, 7) == 7);
    assert(host->integer(rhost_get(a, "two"), 7) == 2 && host->integer(rhost_get(a, "yes"), 7) == 7);
    assert(host->real(rhost_get(a, "two"), 7) > 1.9 && host->real(rhost_get(a, "two"), 7) < 2.1);
    assert(host->real(rhost_get(a, "half"), 7) < 0.6 && host->real(rhost_get(a, "text"), 7) > 6.9);

    rhost_put_str(list, NULL, "first");
    rhost_put_str(list, NULL, "first");
    assert(host->count(list) == 2 && strcmp(rhost_str_at(list, 1), "first") == 0);
    assert(!host->get(list, "first") && !host->get(a, "tex") && !host->get(NULL, "text"));
    v = host->at(list, 0, &key);
    assert(v && !key);
    key = "as it was";
    assert(!host->at(list, 2, &key) && strcmp(key, "as it was") == 0);
    assert(host->at(a, 1, &key) == rhost_get(a, "part") && strcmp(key, "part") == 0);
    assert(host->at(a, 0, NULL) == rhost_get(a, "text"));

    rhost_put_int(a, "text", 3);
    assert(host->count(a) == 11 && rhost_int(a, "text", 0) == 3);
    host->mark_sensitive(a, "two");
    host->mark_sensitive(a, "missing");
    assert(host->sensitive(rhost_get(a, "two")) && !host->sensitive(rhost_get(a, "half")));

    assert(aborts(key_in_array) && aborts(no_key_in_hash));
    assert(aborts(element_of_text) && aborts(element_of_text_without_key));
}

/* Whether hashes with `key` as these texts are equal, either way round. */
static int
equal_texts(const char *a, const char *b)
{
    rhost_value *x = rhost_fake_hash(&fake), *y = rhost_fake_hash(&fake);

    rhost_put_str(x, "key", a);
    rhost_put_str(y, "key", b);
    assert(host->equal(x, y) == host->equal(y, x));
    return host->equal(x, y);
}

static void
values_are_compared(void)
{
    rhost_value *a = rhost_fake_hash(&fake), *b = rhost_fake_hash(&fake), *list;

    assert(host->equal(NULL, NULL) && host->equal(a, b) && !host->equal(a, NULL) && !host->equal(NULL, a));
    host->put_undef(a, "nothing");
    assert(host->equal(rhost_get(a, "nothing"), NULL) && host->equal(NULL, rhost_get(a, "nothing")));
    assert(!host->equal(a, b) && !host->equal(b, a));
    host->put_undef(b, "nothing");
    assert(host->equal(a, b));

    assert(equal_texts("abc", "abc") && !equal_texts("abc", "abd") && !equal_texts("abc", "ab"));
    assert(equal_texts("", "") && !equal_texts("", "a"));
    rhost_put_int(a, "n", 1);
    rhost_put_int(b, "n", 1);
    assert(host->equal(a, b));
    rhost_put_int(b, "n", 2);
    assert(!host->equal(a, b) && !host->equal(b, a));
    rhost_put_real(b, "n", 1);
    assert(!host->equal(a, b));
    rhost_put_real(a, "n", 1);
    assert(host->equal(a, b));
    rhost_put_real(a, "n", 1.5);
    assert(!host->equal(a, b) && !host->equal(b, a));
    rhost_put_str(a, "n", "1");
    host->put_binary(b, "n", "1", 1);
    assert(!host->equal(a, b));

    a = rhost_fake_hash(&fake);
    b = rhost_fake_hash(&fake);
    rhost_put_int(a, "x", 1);
    rhost_put_int(b, "y", 1);
    assert(!host->equal(a, b)); /* as many, of other names */
    list = host->put_array(a, "x");
    rhost_put_int(list, NULL, 1);
    rhost_put_int(list, NULL, 2);
    b = rhost_fake_hash(&fake);
    list = host->put_array(b, "x");
    rhost_put_int(list, NULL, 2);
    rhost_put_int(list, NULL, 1);
    assert(!host->equal(a, b)); /* in another order */
}

static void
a_copy_is_whole(void)
{
    rhost_value *a = rhost_fake_hash(&fake), *b = rhost_fake_hash(&fake);

    rhost_put_str(host->put_hash(a, "hash"), "text", "x");
    rhost_put_real(a, "half", 0.5);
    rhost_put_int(a, "two", 2);
    host->put_binary(a, "bytes", "a\0b", 3);
    rhost_put_int(host->put_array(a, "list"), NULL, 4);
    host->mark_sensitive(a, "two");
    rhost_put_copy(b, "copy", a);
    assert(host->equal(rhost_get(b, "copy"), a));
    assert(host->sensitive(rhost_get(rhost_get(b, "copy"), "two")));
    rhost_put_str(a, "hash", "other"); /* it is a copy */
    assert(strcmp(rhost_str(rhost_get(rhost_get(b, "copy"), "hash"), "text"), "x") == 0);
    rhost_put_copy(b, "none", NULL);
    assert(!rhost_get(b, "none"));
}

/* --- What is said. */

static void
nested_too_deep(void)
{
    for (int i = 0; i < 33; i++)
        (void)rhost_begin(ctx, RHOST_CREATING, "a");
}

static void
outer_ended_first(void)
{
    uint64_t outer = rhost_begin(ctx, RHOST_CREATING, "a");

    (void)rhost_begin(ctx, RHOST_CREATING, "b");
    rhost_end(ctx, outer);
}

static void
none_to_end(void)
{
    rhost_end(ctx, 0);
}

static void
blocks_are_said(void)
{
    static const char *const titles[] = { "a", "b" };
    uint64_t scopes[32], last;

    for (int i = 0; i < 32; i++)
        scopes[i] = rhost_begin(ctx, RHOST_CREATING, i ? "inner" : "outer");
    last = scopes[31];
    host->attribute_changed(ctx, NULL, "mode", NULL, NULL, NULL);
    host->progress(ctx, NULL, 3, 10, NULL);
    for (int i = 32; i--;)
        rhost_end(ctx, scopes[i]);
    assert(strstr(fake.said, "begin creating outer\nbegin creating inner\n") == fake.said);
    assert(strstr(fake.said, "changed inner mode\nprogress inner 3/10\nend creating inner\n"));
    assert(strstr(fake.said, "end creating inner\nend creating outer\n"));
    rhost_fake_forget(&fake);
    assert(rhost_begin(ctx, RHOST_DELETING, "x") == last + 1);
    rhost_end(ctx, last + 1);
    last = host->scope_begin(ctx, RHOST_PROCESSING, NULL, 0, NULL, NULL, "Reading");
    rhost_end(ctx, last);
    said("begin deleting x\nend deleting x\nbegin processing : Reading\nend processing \n");
    assert(aborts(nested_too_deep) && aborts(outer_ended_first) && aborts(none_to_end));

    host->attribute_changed(ctx, NULL, "mode", NULL, NULL, "why");
    host->attribute_changed(ctx, "b", "mode", NULL, NULL, NULL);
    host->progress(ctx, NULL, 1, 2, "files");
    host->progress(ctx, "b", 1, 2, "files");
    said("changed  mode: why\nchanged b mode\nprogress 1/2 files\nprogress b 1/2 files\n");
    assert(host->did(ctx, RHOST_FAILING, titles, 2, NULL, NULL, "why") == 0);
    assert(host->did(ctx, RHOST_FAILING + 1, titles, 1, NULL, NULL, NULL) == 0);
    assert(host->did(ctx, -1, titles, 1, NULL, NULL, NULL) == 0);
    assert(host->did(ctx, RHOST_UPDATING, titles, 0, NULL, NULL, NULL) == 0);
    said("did failing a: why\ndid failing b: why\ndid doing what is not known a\ndid doing what is not known "
         "a\n");
    assert(host->unchanged(ctx, "a", NULL) == 0 && host->unchanged(ctx, "a", "why") == 0);
    said("unchanged a\nunchanged a: why\n");
}

static void
messages_are_said(void)
{
    static const char *const titles[] = { "a" };
    static const char *const wanted[] = { "mode", "owner", NULL };
    rhost_value *name = rhost_fake_hash(&fake);

    host->log(ctx, RHOST_DEBUG, NULL, 0, "x");
    host->log(ctx, RHOST_ERR, titles, 1, "x");
    host->log(ctx, RHOST_ERR + 1, NULL, 0, "x");
    host->log(ctx, -1, NULL, 0, "x");
    said("log debug: x\nlog err a: x\nlog at no level: x\nlog at no level: x\n");
    rhost_busy(ctx, 30, "%s", "x");
    host->busy(ctx, 2.5, NULL);
    said("busy 30: x\nbusy 2.5\n");
    assert(host->fail(ctx, ENOENT, "mode", "x") == -1 && host->fail(ctx, 0, NULL, "x") == -1);
    assert(host->fail(ctx, RHOST_MISSING, NULL, "x") == -1 && host->fail(ctx, 1, NULL, "x") == -1);
    assert(fake.failures == 4);
    said("fail mode: x: No such file or directory\nfail: x\nfail: x\nfail: x: Operation not permitted\n");
    rhost_put_str(name, "name", "x");
    errno = EACCES;
    assert(rhost_fail_errno(ctx, "%d", 5) == -1 && rhost_fail_name(ctx, name, "%d", 6) == -1);
    assert(rhost_count(fake.unread) == 1 && fake.failures == 2);
    said("fail: 5: Permission denied\nfail: 6\n");
    assert(rhost_count(fake.unread) == 0);

    assert(rhost_wants(ctx, "group"));
    fake.wanted = wanted;
    assert(rhost_wants(ctx, "mode") && rhost_wants(ctx, "owner") && !rhost_wants(ctx, "group"));
    assert(!rhost_stopping(ctx) && rhost_deadline(ctx) > 9e8);
    fake.stopping = 1;
    fake.deadline = 0.5;
    assert(rhost_stopping(ctx) && rhost_deadline(ctx) < 0.6);
    fake.deadline = -1;
    assert(rhost_deadline(ctx) > 9e8);
    fake.wanted = NULL;
    fake.stopping = 0;
    fake.deadline = 0;
}

static struct rhost_change
change_of(const rhost_value *is, const rhost_value *should)
{
    return (struct rhost_change){
        .struct_size = sizeof(struct rhost_change), .title = "a", .is = is, .should = should
    };
}

static void
what_is_to_be_changed(void)
{
    static const char *const both[] = { "mode", "owner" };
    rhost_value *is = rhost_fake_hash(&fake), *should = rhost_fake_hash(&fake),
                *gone = rhost_fake_hash(&fake);
    struct rhost_change create = change_of(NULL, should), update = change_of(is, should);
    struct rhost_change away = change_of(is, gone), stays_away = change_of(NULL, gone);

    rhost_put_str(gone, "ensure", "absent");
    rhost_put_str(is, "mode", "1");
    rhost_put_str(is, "owner", "1");
    rhost_put_str(should, "mode", "2");
    rhost_put_str(should, "owner", "1");
    rhost_put_str(should, "unread", "1");
    assert(host->changed(ctx, &create, NULL, 0) && host->changed(ctx, &away, NULL, 0));
    assert(!host->changed(ctx, &stays_away, NULL, 0));
    said("");
    assert(host->changed(ctx, &update, NULL, 0) && host->changed(ctx, &update, both, 2));
    said("changed a mode\nchanged a mode\n");
    assert(!host->changed(ctx, &update, both + 1, 1));
    said("");
    assert(rhost_changed(ctx, &update, "unread") && !rhost_changed(ctx, &update, "not_wanted"));
    said("changed a unread\n");
    fake.noop = 1;
    assert(!host->changed(ctx, &update, NULL, 0));
    said("changed a mode\n");
    fake.noop = 0;
    rhost_put_str(is, "mode", "2");
    assert(!host->changed(ctx, &update, NULL, 0));
    said("");
}

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

    for (int i = 0; i < 64; i++)
        open[i] = ext->begin(ctx, RHOST_CREATING, "a", i ? NULL : "why");
    ext->end(ctx, open[63], NULL);
    open[63] = ext->begin(ctx, RHOST_UPDATING, "b", NULL);
    assert(strstr(fake.said, "begin creating a: why\nbegin creating a\n") == fake.said);
    rhost_fake_forget(&fake);
    ext->end(ctx, open[63], "no");
    ext->end(ctx, open[0], NULL);
    assert(fake.failures == 1);
    said("fail updating b: no\nend creating a\n");
    for (int i = 1; i < 63; i++)
        ext->end(ctx, open[i], NULL);
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

    assert(ext->symlink(ctx, "new", "one", 0) == 0); /* a link gives way */
    assert(strcmp(rhost_fake_path_target(ctx, "one"), "new") == 0);
    assert(ext->symlink(ctx, "new", "file", 0) == -EEXIST && ext->symlink(ctx, "new", "dir", 0) == -EISDIR);
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
    const struct rhost_plugin plugin = { .providers = providers }, none = { .providers = NULL };

    assert(rhost_fake_provider(&plugin, "one") == &one && rhost_fake_provider(&plugin, "two") == &two);
    assert(!rhost_fake_provider(&plugin, "three") && !rhost_fake_provider(&none, "one"));
}

int
main(void)
{
    char folder[] = "/tmp/rhost-parts-XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    rhost_fake_init(&fake);
    kinds_are_told_apart();
    values_are_compared();
    a_copy_is_whole();
    blocks_are_said();
    messages_are_said();
    what_is_to_be_changed();
    blocks_overlap();
    texts_are_kept();
    paths_are_followed_by_hand();
    words_are_kept();
    extensions_are_found();
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
