/* SPDX-License-Identifier: Apache-2.0 */
/* test-lines-memory - <rhost/lines.h> when memory runs out, or reading fails: what could not be edited whole
 * is not written, and what could not be read whole is not taken for whole. */
#include "config.h"

#include "fake-host.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* lines.h gets these; the next `grants` of them succeed. Negative: all do. */
static long grants = -1;

static bool
fails(void)
{
    if (grants < 0)
        return false;
    if (grants > 0) {
        grants--;
        return false;
    }
    errno = ENOMEM;
    return true;
}

static void *
our_malloc(size_t n)
{
    return fails() ? NULL : malloc(n);
}

static void *
our_calloc(size_t n, size_t size)
{
    return fails() ? NULL : calloc(n, size);
}

static void *
our_realloc(void *p, size_t n)
{
    return fails() ? NULL : realloc(p, n);
}

/* What the next calls of read fail with, in order; 0 ends the list. */
static const int *reads;

static ssize_t
our_read(int fd, void *to, size_t n)
{
    if (reads && *reads) {
        errno = *reads++;
        return -1;
    }
    return read(fd, to, n);
}

#define malloc our_malloc
#define read our_read
#define calloc our_calloc
#define realloc our_realloc
#include <rhost/lines.h>
#undef malloc
#undef read
#undef calloc
#undef realloc

#include <cmocka.h>

enum { LINES = 200 };

static struct rhost_lines *
some_lines(void)
{
    char text[LINES * 4 + 1] = "";
    struct rhost_lines *l;

    for (int i = 0; i < LINES; i++)
        memcpy(text + i * 4, "abc\n", 4);
    l = rhost_lines_from(text, sizeof text - 1);
    return l;
}

static void
reading_without_memory_gives_nothing(void **state)
{
    struct rhost_lines *l = NULL;
    long n = 0;

    (void)state;
    for (; !l && n < 10; n++) {
        grants = n;
        l = some_lines();
    }
    grants = -1;
    assert_non_null(l);
    assert_int_equal(n, 4); /* itself, the text, the lines */
    assert_int_equal(l->n, LINES);
    rhost_lines_free(l);
}

/* What could not be read is not an empty file. */
static void
a_file_is_not_read_without_memory(void **state)
{
    char path[] = "/tmp/test-lines-memory.XXXXXX";
    struct rhost_lines *l = NULL;
    int fd = mkstemp(path);
    long n = 0;

    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(write(fd, "abc\n", 4), 4);
    for (; !l && n < 10; n++) {
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        grants = n;
        errno = 0;
        l = rhost_lines_read_fd(fd, path, RHOST_LINES_LARGEST);
        grants = -1;
        if (!l)
            assert_int_equal(errno, ENOMEM);
    }
    assert_non_null(l);
    assert_true(n > 3); /* itself, its path, the text, the lines */
    assert_int_equal(l->n, LINES);
    assert_true(l->exists);
    rhost_lines_free(l);
    /* It grew while it was read, and there is no memory for that. */
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    (void)close(fd);
    fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC); /* a file of no size */
    assert_true(fd >= 0);
    grants = 3;
    errno = 0;
    l = rhost_lines_read_fd(fd, "/proc/self/maps", RHOST_LINES_LARGEST);
    grants = -1;
    assert_null(l);
    assert_int_equal(errno, ENOMEM);
    (void)close(fd);
    (void)unlink(path);
}

/* An interrupted read goes on; one that fails is not the end of the file. */
static void
reading_fails(void **state)
{
    static const int interrupted[] = { EINTR, EINTR, 0 }, broken[] = { EINTR, EIO, EIO, EIO, 0 };
    char path[] = "/tmp/test-lines-memory.XXXXXX";
    struct rhost_lines *l;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "abc\ndef\n", 8), 8);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    reads = interrupted;
    l = rhost_lines_read_fd(fd, path, RHOST_LINES_LARGEST);
    assert_non_null(l);
    assert_int_equal(l->n, 2);
    rhost_lines_free(l);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    reads = broken;
    l = rhost_lines_read_fd(fd, path, RHOST_LINES_LARGEST);
    assert_null(l);
    assert_int_equal(errno, EIO);
    assert_ptr_equal(reads, broken + 2); /* it was not tried again */
    reads = NULL;
    (void)close(fd);
    (void)unlink(path);
}

/* After edit(), which failed: it must show, whatever is edited afterwards. */
static void
assert_not_written(void (*edit)(struct rhost_lines *l))
{
    struct rhost_lines *l;
    struct rhost_new_file like = {
        .struct_size = sizeof like, .path = "/nonexistent/file", .mode = -1, .uid = -1, .gid = -1
    };
    struct fake fake;
    size_t len = 0;

    l = some_lines();
    assert_non_null(l);
    grants = 0;
    edit(l);
    grants = -1;
    assert_true(l->failed);
    assert_true(l->edited);
    rhost_lines_put(l, 0, "later", 5);
    rhost_lines_append(l, "later");
    assert_null(rhost_lines_text(l, &len));
    assert_false(rhost_lines_are_fresh(l));
    fake_open(&fake);
    assert_int_equal(rhost_lines_save(&fake.ctx, l, &like), -1);
    assert_string_equal(rh_buf_text(&fake.failure), "cannot write '/nonexistent/file': out of memory");
    fake_close(&fake);
    rhost_lines_free(l);
}

static void
put(struct rhost_lines *l)
{
    rhost_lines_put(l, 3, "new", 3);
    assert_memory_equal(l->at[3].text, "abc", 3);
}

static void
append_many(struct rhost_lines *l)
{
    for (int i = 0; i < 100; i++)
        rhost_lines_append(l, "new");
    assert_true(l->n <= l->room);
}

static void
insert_into_full_room(struct rhost_lines *l)
{
    size_t room = l->room;

    grants = -1;
    while (l->n < room)
        rhost_lines_append(l, "new");
    assert_false(l->failed);
    assert_int_equal(l->room, room);
    grants = 0;
    rhost_lines_append(l, "more");
    assert_int_equal(l->n, room);
}

static void
grow(struct rhost_lines *l)
{
    assert_int_equal(rhost_lines_grow(l, l->room + 1), -1);
}

static void
put_beyond(struct rhost_lines *l)
{
    rhost_lines_put(l, l->n, "new", 3);
}

static void
remove_beyond(struct rhost_lines *l)
{
    rhost_lines_remove(l, l->n - 1, 2);
}

static void
set_text(struct rhost_lines *l)
{
    rhost_lines_set_text(l, "x\n", 2);
    assert_memory_equal(l->at[0].text, "abc", 3);
}

static void
set_text_of_many_lines(struct rhost_lines *l)
{
    char text[4 * LINES];

    memset(text, '\n', sizeof text);
    grants = 1; /* the copy, and not the table of its lines */
    rhost_lines_set_text(l, text, sizeof text);
}

static void
what_could_not_be_edited_is_not_written(void **state)
{
    (void)state;
    assert_not_written(put);
    assert_not_written(append_many);
    assert_not_written(insert_into_full_room);
    assert_not_written(grow);
    assert_not_written(put_beyond);
    assert_not_written(remove_beyond);
    assert_not_written(set_text);
    assert_not_written(set_text_of_many_lines);
}

static void
a_text_without_memory_is_not_written(void **state)
{
    struct rhost_lines *l = some_lines();
    size_t len = 0;
    char *text;

    (void)state;
    assert_non_null(l);
    grants = 0;
    assert_null(rhost_lines_text(l, &len));
    grants = -1;
    text = rhost_lines_text(l, &len);
    assert_non_null(text);
    assert_int_equal(len, LINES * 4);
    free(text);
    rhost_lines_free(l);
}

static void
a_text_takes_the_place_of_all_lines(void **state)
{
    struct rhost_lines *l = some_lines();
    size_t len = 0;
    char *text;

    (void)state;
    assert_non_null(l);
    rhost_lines_put(l, 1, "edited", 6);
    rhost_lines_set_text(l, "one\r\n\ntwo", 9);
    assert_false(l->failed);
    assert_true(l->edited);
    assert_int_equal(l->n, 3);
    assert_memory_equal(l->at[2].text, "two", 3);
    text = rhost_lines_text(l, &len);
    assert_int_equal(len, 9);
    assert_memory_equal(text, "one\r\n\ntwo", 9);
    free(text);
    rhost_lines_free(l);
}

static void
where_no_line_is_marked_nothing_is_edited(void **state)
{
    struct rhost_lines *l = some_lines();
    char which[LINES] = "";

    (void)state;
    assert_non_null(l);
    rhost_lines_remove_marked(l, which);
    assert_false(l->edited);
    which[LINES - 1] = 1;
    rhost_lines_remove_marked(l, which);
    assert_true(l->edited);
    assert_int_equal(l->n, LINES - 1);
    rhost_lines_free(l);
}

/* Memory whose end is the end of a page, with nothing behind it: who goes beyond it is ended. */
static void *
tight(rhost_ctx *ctx, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n + page - 1) / page * page;
    char *at = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)ctx;
    assert_true(at != MAP_FAILED);
    assert_int_equal(mprotect(at + size, page, PROT_NONE), 0);
    return at + size - n;
}

/* Changes 0 and 2 are for the same lines. */
static int
is_same(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    (void)ctx;
    (void)data;
    return i % 2 == k % 2;
}

static struct rhost_lines *
kept_lines(rhost_ctx *ctx, void *data, size_t i)
{
    (void)ctx;
    (void)i;
    return data;
}

static const char *
append_title(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    (void)ctx;
    rhost_lines_append(l, change->title);
    return strcmp(change->title, "b") == 0 ? "it is not possible" : NULL;
}

static int32_t
count_writes(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l)
{
    (void)data;
    (void)l;
    fake_log(ctx, 0, NULL, 0, i ? "written for b" : "written for a");
    return 0;
}

static void
a_batch_is_written_once_for_each_file_and_no_more_is_read_than_there_is(void **state)
{
    struct rhost_host host = fake_table;
    struct fake fake;
    struct rhost_lines *l = some_lines();
    const struct rhost_lines_keeper keeper = { .struct_size = sizeof keeper,
                                               .data = l,
                                               .same = is_same,
                                               .our_read = kept_lines,
                                               .edit = append_title,
                                               .write = count_writes };
    struct rhost_change changes[3];
    const struct rhost_change **list = tight(NULL, 3 * sizeof *list);

    (void)state;
    assert_non_null(l);
    fake_open(&fake);
    host.alloc = tight;
    fake.ctx.host = &host;
    for (size_t i = 0; i < 3; i++) {
        static const char *const titles[] = { "a", "b", "c" };

        changes[i] = (struct rhost_change){ .struct_size = sizeof changes[i],
                                            .title = titles[i],
                                            .should = fake.ctx.host->new_hash(&fake.ctx) };
        list[i] = &changes[i];
    }
    assert_int_equal(rhost_lines_set_kept(&fake.ctx, list, 3, &keeper), 0);
    assert_string_equal(rh_buf_text(&fake.log),
                        "0 written for a\ndid 0 a\ndid 0 c\n0 written for b\ndid 4 b\n");
    assert_int_equal(l->n, LINES + 3);
    fake_close(&fake);
    rhost_lines_free(l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_without_memory_gives_nothing),
        cmocka_unit_test(a_file_is_not_read_without_memory),
        cmocka_unit_test(reading_fails),
        cmocka_unit_test(what_could_not_be_edited_is_not_written),
        cmocka_unit_test(a_text_without_memory_is_not_written),
        cmocka_unit_test(a_text_takes_the_place_of_all_lines),
        cmocka_unit_test(where_no_line_is_marked_nothing_is_edited),
        cmocka_unit_test(a_batch_is_written_once_for_each_file_and_no_more_is_read_than_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
