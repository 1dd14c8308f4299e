/* SPDX-License-Identifier: Apache-2.0 */
/* fake-parts - what <rhost/fake-host.h> promises to a unit test of somebody's provider: values, and what was
 * said. */
#include "fake-fixture.h"

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
    list = host->put_array(rhost_fake_hash(&fake), "list");
    host->mark_sensitive(list, NULL); /* it is empty */
    rhost_put_int(list, NULL, 1);
    rhost_put_int(list, NULL, 2);
    host->mark_sensitive(list, NULL);
    assert(host->sensitive(host->at(list, 1, NULL)) && !host->sensitive(host->at(list, 0, NULL)));

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

static void
calls_have_their_texts(void)
{
    assert(rhost_fail(ctx, "%s is %d", "a", 1) == -1
           && rhost_fail_attr(ctx, "mode", "%s is %d", "b", 2) == -1);
    assert(rhost_differs(ctx, "%s is %d", "c", 3) == RHOST_DIFFERS);
    rhost_info(ctx, "%s is %d", "d", 4);
    rhost_progress(ctx, "e", 5, 6, "bytes");
    said("fail: a is 1\nfail mode: b is 2\nexplain: c is 3\nlog info: d is 4\nprogress e 5/6 bytes\n");
    assert(!rhost_strdup(ctx, NULL) && strcmp(rhost_copy(ctx, NULL, 0), "") == 0);
}

/* As a provider has it. */
static int32_t
memory_validate(rhost_ctx *call, const rhost_value *resource)
{
    const rhost_value *settings = rhost_get(resource, "settings");

    if (rhost_int(settings, "work_mem", 0) > rhost_int(settings, "all", 0))
        return rhost_fail_attr(call, "settings.work_mem", "more than all");
    return 0;
}

static void
resources_are_validated(void)
{
    rhost_value *resource = rhost_fake_hash(&fake), *settings = host->put_hash(resource, "settings");

    rhost_put_int(settings, "work_mem", 7);
    rhost_put_int(settings, "all", 8);
    assert(memory_validate(ctx, resource) == 0 && fake.failures == 0);
    rhost_put_int(settings, "all", 6);
    assert(memory_validate(ctx, resource) == -1 && fake.failures == 1);
    said("fail settings.work_mem: more than all\n");
}

/* What was added to the host's table later is not looked for in an older one. */
static void
an_older_host_has_less(void)
{
    rhost_value *name = rhost_fake_hash(&fake);
    size_t whole = fake.host.struct_size;

    fake.stopping = 1;
    fake.deadline = 2;
    fake.asked = fake.emitted;
    assert(host->emit(ctx, name) == 0 && rhost_asked(ctx, 0) && rhost_stopping(ctx)
           && rhost_deadline(ctx) < 3);
    fake.host.struct_size = offsetof(struct rhost_host, asked);
    assert(!rhost_asked(ctx, 0) && !rhost_stopping(ctx) && rhost_deadline(ctx) > 9e8);
    assert(rhost_fail_name(ctx, name, "%d", 1) == -1);
    rhost_busy(ctx, 30, "x");
    rhost_progress(ctx, NULL, 1, 2, NULL);
    assert(rhost_count(fake.unread) == 0);
    fake.host.struct_size = whole;
    fake.host.stopping = NULL;
    assert(!rhost_stopping(ctx));
    fake.host.stopping = rhost_fake_stopping;
    fake.stopping = 0;
    fake.deadline = 0;
    fake.asked = NULL;
    said("fail: 1\n");
}

static void
what_is_said_has_an_end(void)
{
    char *longer = rhost_fmt(ctx, "%*d", 2 * RHOST_MESSAGE_MAX, 7);

    rhost_fake_say(&fake, "%s", longer);
    assert(fake.said_len == RHOST_MESSAGE_MAX + 511 && fake.said[fake.said_len - 1] == '\n');
    assert(strlen(fake.said) == fake.said_len);
    rhost_fake_forget(&fake);
}

int
main(void)
{
    rhost_fake_init(&fake);
    kinds_are_told_apart();
    values_are_compared();
    a_copy_is_whole();
    blocks_are_said();
    messages_are_said();
    what_is_to_be_changed();
    calls_have_their_texts();
    resources_are_validated();
    an_older_host_has_less();
    what_is_said_has_an_end();
    rhost_fake_clear(&fake);
    return 0;
}
