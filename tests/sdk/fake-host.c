/* SPDX-License-Identifier: Apache-2.0 */
/* The link plugin, called by a fake host: what a unit test of somebody's provider looks like. */
#include "../../plugins/link/link.c"

#include <rhost/overlap.h> /* before the fake host, which then has them */
#include <rhost/private.h>

#include <rhost/clashes.h>
#include <rhost/fake-host.h>
#include <rhost/fake-lookup.h>

#include <assert.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef NDEBUG
#error the checks of this test are assertions
#endif

static int32_t
load(struct rhost_fake *fake, const char *path, const char *target)
{
    rhost_value *name = rhost_fake_hash(fake), *current = rhost_fake_hash(fake);
    int32_t status;

    rhost_put_str(name, "path", path);
    status = link_load(&fake->ctx, name, NULL, current);
    if (target)
        assert(strcmp(rhost_str(current, "target"), target) == 0);
    return status;
}

static struct rhost_change
change_of(struct rhost_fake *fake, const char *path, const char *target)
{
    rhost_value *name = rhost_fake_hash(fake), *should = rhost_fake_hash(fake);

    rhost_put_str(name, "path", path);
    rhost_put_str(should, "path", path);
    rhost_put_str(should, "target", target);
    return (struct rhost_change){
        .struct_size = sizeof(struct rhost_change),
        .title = path,
        .name = name,
        .should = should,
    };
}

/* Callbacks, one after the other, and what they say when they can't. */
static void
test_link(struct rhost_fake *fake)
{
    const struct rhost_provider *p = rhost_fake_provider(rhost_plugin_v1(), "link");
    struct rhost_change change = change_of(fake, "one", "somewhere");

    assert(p && p->create && !rhost_fake_provider(rhost_plugin_v1(), "other"));
    assert(load(fake, "one", NULL) == RHOST_ABSENT);
    assert(p->create(&fake->ctx, &change) == 0);
    assert(load(fake, "one", "somewhere") == 0);
    change = change_of(fake, "one", "elsewhere");
    assert(p->update(&fake->ctx, &change) == 0);
    assert(load(fake, "one", "elsewhere") == 0);
    assert(p->remove(&fake->ctx, &change) == 0);
    assert(fake->failures == 0 && fake->said_len == 0);

    assert(p->remove(&fake->ctx, &change) == -1);
    assert(fake->failures == 1);
    assert(strcmp(fake->said, "fail: cannot remove 'one': No such file or directory\n") == 0);
    rhost_fake_forget(fake);
    assert(fake->failures == 0 && fake->said_len == 0);
}

static void
test_values(struct rhost_fake *fake)
{
    rhost_value *a = rhost_fake_hash(fake), *list, *b;
    struct rhost_change change;

    rhost_put_str(a, "text", "x");
    rhost_put_str(a, "text", "y"); /* replaces it */
    rhost_put_int(a, "seven", 7);
    rhost_put_bool(a, "yes", 1);
    rhost_put_real(a, "half", 0.5);
    fake->host.put_binary(a, "bytes", "a\0b", 3);
    fake->host.put_undef(a, "nothing");
    fake->host.mark_sensitive(a, "text");
    list = fake->host.put_array(a, "list");
    rhost_put_str(list, NULL, "first");
    rhost_put_fmt(list, NULL, "%d", 2);

    assert(rhost_count(a) == 7 && rhost_count(rhost_get(a, "list")) == 2);
    assert(strcmp(rhost_str(a, "text"), "y") == 0 && !rhost_str(a, "seven"));
    assert(rhost_int(a, "seven", 0) == 7 && rhost_int(a, "text", 5) == 5);
    assert(rhost_real(a, "seven", 0) > 6.9 && rhost_real(a, "half", 0) < 0.6);
    assert(rhost_bool(a, "yes", 0) == 1 && rhost_bool(a, "missing", 1) == 1);
    assert(!rhost_has(a, "nothing") && rhost_has(a, "list"));
    assert(fake->host.sensitive(rhost_get(a, "text")) && !fake->host.sensitive(list));
    assert(strcmp(rhost_str_at(list, 1), "2") == 0 && !rhost_str_at(list, 2));

    b = rhost_fake_hash(fake);
    rhost_put_bool(b, "yes", 0);
    change = (struct rhost_change){ .struct_size = sizeof change, .title = "a", .is = a, .should = b };
    assert(rhost_bool_of(&change, "yes", 1) == 0 && rhost_bool_of(&change, "missing", 1) == 1);
    change.should = NULL;
    assert(rhost_bool_of(&change, "yes", 0) == 1);

    b = rhost_fake_hash(fake);
    for (size_t i = rhost_count(a); i--;) { /* the other way round */
        const char *key;
        const rhost_value *v = rhost_at(a, i, &key);

        rhost_put_copy(b, key, v);
    }
    assert(fake->host.equal(a, b));
    rhost_put_int(b, "seven", 8);
    assert(!fake->host.equal(a, b));
    assert(fake->host.emit(&fake->ctx, b) == 0);
    assert(rhost_count(fake->emitted) == 1 && rhost_int(rhost_at(fake->emitted, 0, NULL), "seven", 0) == 8);
}

static void
test_telling(struct rhost_fake *fake)
{
    static const char *const wanted[] = { "mode", NULL };
    const char *title = "a";
    struct rhost_change change = change_of(fake, "a", "new");
    rhost_value *is = rhost_fake_hash(fake);
    uint64_t scope = rhost_begin(&fake->ctx, RHOST_UPDATING, title);

    fake->host.attribute_changed(&fake->ctx, NULL, "mode", NULL, NULL, "to 0644");
    rhost_end(&fake->ctx, scope);
    rhost_warning(&fake->ctx, "%d left", 3);
    fake->host.did(&fake->ctx, RHOST_CREATING, &title, 1, NULL, NULL, NULL);
    fake->host.unchanged(&fake->ctx, title, "as it was");
    assert(rhost_fail_attr(&fake->ctx, "mode", "is odd") == -1);
    assert(rhost_differs(&fake->ctx, "because") == RHOST_DIFFERS);
    assert(strcmp(fake->said, "begin updating a\nchanged a mode: to 0644\nend updating a\n"
                              "log warning: 3 left\ndid creating a\nunchanged a: as it was\n"
                              "fail mode: is odd\nexplain: because\n")
           == 0);
    rhost_fake_forget(fake);

    assert(rhost_changed_any(&fake->ctx, &change)); /* it is absent */
    rhost_put_str(is, "target", "old");
    change.is = is;
    assert(rhost_changed(&fake->ctx, &change, "target"));
    assert(strcmp(fake->said, "changed a target\n") == 0);
    fake->noop = 1;
    assert(rhost_noop(&fake->ctx) && !rhost_changed_any(&fake->ctx, &change));
    rhost_put_str(is, "target", "new");
    fake->noop = 0;
    assert(!rhost_changed_any(&fake->ctx, &change));

    assert(!rhost_asked(&fake->ctx, 0));
    fake->asked = fake->emitted;
    fake->host.emit(&fake->ctx, is);
    assert(strcmp(rhost_str(rhost_asked(&fake->ctx, 0), "target"), "new") == 0
           && !rhost_asked(&fake->ctx, 1));
    rhost_fake_forget(fake);
    assert(rhost_fail_name(&fake->ctx, is, "server %d is down", 7) == -1);
    assert(strcmp(rhost_str(rhost_at(fake->unread, 0, NULL), "target"), "new") == 0);
    assert(strcmp(fake->said, "fail: server 7 is down\n") == 0);

    assert(rhost_wants(&fake->ctx, "owner"));
    fake->wanted = wanted;
    assert(rhost_wants(&fake->ctx, "mode") && !rhost_wants(&fake->ctx, "owner"));
    *fake->host.state(&fake->ctx) = fake;
    assert(*fake->host.state(&fake->ctx) == fake);
    assert(((char *)rhost_alloc(&fake->ctx, 100))[99] == 0);
}

/* Text in memory of the call, also what is longer than any message. */
static void
test_text(struct rhost_fake *fake)
{
    enum { LONG = 2 * RHOST_MESSAGE_MAX };
    char *longer = rhost_fmt(&fake->ctx, "%*d", (int)LONG, 7);

    assert(strlen(longer) == LONG && longer[LONG - 1] == '7' && longer[0] == ' ');
    assert(strcmp(rhost_fmt(&fake->ctx, "%s-%d", "a", 1), "a-1") == 0);
    assert(strcmp(rhost_copy(&fake->ctx, "abc", 2), "ab") == 0);
    assert(memcmp(rhost_copy(&fake->ctx, "a\0b", 3), "a\0b", 4) == 0);
    assert(strcmp(rhost_strdup(&fake->ctx, ""), "") == 0);
}

static void
test_clashes(void)
{
    struct rhost_clashes clashes = { 0 };

    assert(rhost_clashes_begin(&clashes) && !rhost_clashes_begin(&clashes));
    assert(!rhost_clashes_of(&clashes, "a"));
    rhost_clashes_add(&clashes, "a", "the first");
    rhost_clashes_add(&clashes, "b", "");
    rhost_clashes_add(&clashes, "a", "the last");
    assert(strcmp(rhost_clashes_of(&clashes, "a"), "the last") == 0);
    assert(strcmp(rhost_clashes_of(&clashes, "b"), "") == 0);
    assert(!rhost_clashes_of(&clashes, "ab"));
    rhost_clashes_clear(&clashes);
    assert(!rhost_clashes_of(&clashes, "a") && rhost_clashes_begin(&clashes));
}

static int32_t
find_twice(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    if (!rhost_str(parameters, "word"))
        return RHOST_ABSENT;
    rhost_put_str(answer, "value",
                  rhost_fmt(ctx, "%s%s", rhost_str(parameters, "word"), rhost_str(parameters, "word")));
    return 0;
}

static void
test_lookups(struct rhost_fake *fake)
{
    static const struct rhost_lookup twice = { RHOST_LOOKUP("twice", "A word, twice."), .find = find_twice };
    static const struct rhost_lookup *const lookups[] = { &twice, NULL };
    const struct rhost_plugin plugin = { .lookups = lookups };
    const struct rhost_lookup *found = rhost_fake_lookup(&plugin, "twice");
    rhost_value *parameters = rhost_fake_hash(fake), *answer = rhost_fake_hash(fake);

    assert(found && !rhost_fake_lookup(&plugin, "thrice") && !rhost_fake_fact(&plugin, "twice"));
    assert(found->find(&fake->ctx, parameters, answer) == RHOST_ABSENT);
    rhost_put_str(parameters, "word", "ab");
    assert(found->find(&fake->ctx, parameters, answer) == 0);
    assert(strcmp(rhost_str(answer, "value"), "abab") == 0);
}

/* A password that can't be read: it differs until it was written, and when another one is wanted. */
static void
test_private(struct rhost_fake *fake)
{
    struct rhost_change one = change_of(fake, "one", "a"), other = change_of(fake, "two", "a");
    struct rhost_change changed = change_of(fake, "one", "b");
    rhost_ctx *ctx = &fake->ctx;

    rhost_fake_forget(fake);
    assert(rhost_private_insync(ctx, &one, "target") == RHOST_DIFFERS);
    fake->noop = 1;
    assert(rhost_private_written(ctx, &one, "target") == 0);
    fake->noop = 0;
    assert(rhost_private_insync(ctx, &one, "target") == RHOST_DIFFERS);
    assert(rhost_private_written(ctx, &one, "target") == 0);
    assert(rhost_private_insync(ctx, &one, "target") == 0);
    assert(rhost_private_insync(ctx, &changed, "target") == RHOST_DIFFERS);
    assert(rhost_private_insync(ctx, &other, "target") == RHOST_DIFFERS);
    assert(rhost_private_put(ctx, one.name, "version", "7") == 0);
    assert(strcmp(rhost_private_get(ctx, one.name, "version"), "7") == 0);
    assert(!rhost_private_get(ctx, other.name, "version"));
    assert(rhost_private_put(ctx, one.name, "version", NULL) == 0);
    assert(!rhost_private_get(ctx, one.name, "version"));
    assert(fake->failures == 0);
}

/* Blocks that end in another order than they began. */
static void
test_overlap(struct rhost_fake *fake)
{
    const struct rhost_overlap *ext = rhost_overlap_extension(&fake->ctx);
    uint64_t a, b;

    rhost_fake_forget(fake);
    assert(ext);
    a = ext->begin(&fake->ctx, RHOST_CREATING, "a", NULL);
    b = ext->begin(&fake->ctx, RHOST_UPDATING, "b", "Asking");
    assert(a && b && a != b);
    ext->end(&fake->ctx, a, NULL);
    ext->end(&fake->ctx, b, "no answer");
    assert(strcmp(fake->said, "begin creating a\nbegin updating b: Asking\nend creating a\n"
                              "fail updating b: no answer\n")
           == 0);
    assert(fake->failures == 1);
}

int
main(void)
{
    char folder[] = "/tmp/rhost-fake-XXXXXX";
    struct rhost_fake fake;

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    rhost_fake_init(&fake);
    test_link(&fake);
    test_values(&fake);
    test_telling(&fake);
    test_text(&fake);
    test_clashes();
    test_lookups(&fake);
    test_private(&fake);
    test_overlap(&fake);
    rhost_fake_clear(&fake);
    return rmdir(folder) == 0 ? 0 : 1;
}
