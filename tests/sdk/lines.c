/* SPDX-License-Identifier: Apache-2.0 */
/* lines - <rhost/lines.h>: what is not edited stays byte for byte. */
#include "config.h"

#include <rhost/lines.h>

#include <rhost/fake-host.h>

#include <setjmp.h>

#include <cmocka.h>

static struct rhost_lines *
lines_of(const char *text, size_t len)
{
    struct rhost_lines *l = rhost_lines_from(text, len);

    assert_non_null(l);
    return l;
}

static void
assert_text(struct rhost_lines *l, const char *expected, size_t len)
{
    size_t got;
    char *text = rhost_lines_text(l, &got);

    assert_non_null(text);
    assert_int_equal(got, len);
    assert_memory_equal(text, expected, len + 1);
    free(text);
    rhost_lines_free(l);
}

#define LINES(text) lines_of("" text, sizeof text - 1)
#define ASSERT_TEXT(l, text) assert_text(l, "" text, sizeof text - 1)

static void
test_whatever_is_read_is_written_again(void **state)
{
    static const char *const texts[] = {
        "", "\n", "a", "a\n", "a\n\n", "\r\n", "a\r\nb\nc\r", "\r", "\xff\n"
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_text(lines_of(texts[i], strlen(texts[i])), texts[i], strlen(texts[i]));
    ASSERT_TEXT(LINES("a\0b\n\0"), "a\0b\n\0");
}

static void
test_lines_are_without_their_ends(void **state)
{
    struct rhost_lines *l = LINES("a\r\n\nbc");

    (void)state;
    assert_int_equal(l->n, 3);
    assert_true(rhost_line_is(l, 0, "a", 1));
    assert_true(rhost_line_is(l, 1, "", 0));
    assert_true(rhost_line_is(l, 2, "bc", 2));
    assert_false(rhost_line_is(l, 2, "b", 1));
    rhost_lines_free(l);
}

static void
test_a_new_line_ends_as_the_others(void **state)
{
    struct rhost_lines *l = LINES("a\r\nb");

    (void)state;
    rhost_lines_append(l, "c");
    ASSERT_TEXT(l, "a\r\nb\r\nc\r\n");
    l = LINES("");
    rhost_lines_append(l, "c");
    ASSERT_TEXT(l, "c\n");
    l = LINES("");
    rhost_lines_insert(l, 0, "c", 1);
    ASSERT_TEXT(l, "c\n");
}

static void
test_the_line_above_a_new_one_keeps_its_end(void **state)
{
    struct rhost_lines *l = LINES("a\r\nb\nc\r\nd\r\n");

    (void)state;
    rhost_lines_insert(l, 2, "new", 3);
    ASSERT_TEXT(l, "a\r\nb\nnew\r\nc\r\nd\r\n");
    l = LINES("a\nb\nc\r\n");
    rhost_lines_append(l, "new");
    ASSERT_TEXT(l, "a\nb\nc\r\nnew\n");
}

static void
test_a_missing_newline_stays_missing(void **state)
{
    struct rhost_lines *l = LINES("a\nb");

    (void)state;
    rhost_lines_put(l, 1, "long", 4);
    rhost_lines_insert(l, 0, "top", 3);
    ASSERT_TEXT(l, "top\na\nlong");
}

static void
test_many_edits(void **state)
{
    struct rhost_lines *l = LINES("x\ny\n");
    char number[16];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(number, sizeof number, "%d", i);
        rhost_lines_insert(l, 1, number, strlen(number));
        rhost_lines_put(l, 1, number, strlen(number));
    }
    assert_int_equal(l->n, 1002);
    rhost_lines_remove(l, 2, 999);
    assert_true(l->edited);
    rhost_lines_remove(l, l->n, 0); /* behind the last is nothing to take out, which is no mistake */
    ASSERT_TEXT(l, "x\n999\ny\n");
}

static void
test_a_file_is_fresh_until_it_changes(void **state)
{
    struct rhost_fake fake;
    char path[] = "/tmp/rhost-lines-XXXXXX";
    int fd = mkstemp(path);
    struct timespec moment = { .tv_nsec = 60000000 };
    struct rhost_lines *l;

    (void)state;
    rhost_fake_init(&fake);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\n", 2), 2);
    l = rhost_lines_read(&fake.ctx, path);
    assert_non_null(l);
    assert_false(rhost_lines_are_fresh(l)); /* written a moment ago: nobody could tell */
    rhost_lines_free(l);
    nanosleep(&moment, NULL);
    l = rhost_lines_read(&fake.ctx, path);
    assert_true(rhost_lines_are_fresh(l));
    assert_int_equal(pwrite(fd, "b", 1, 0), 1); /* as long as before */
    assert_false(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    nanosleep(&moment, NULL);
    l = rhost_lines_read(&fake.ctx, path);
    rhost_lines_append(l, "c");
    assert_false(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    assert_int_equal(unlink(path), 0);
    l = rhost_lines_read(&fake.ctx, path);
    assert_non_null(l);
    assert_int_equal(l->exists, 0);
    assert_true(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    close(fd);
    rhost_fake_clear(&fake);
}

static void
test_what_is_no_file_is_refused(void **state)
{
    char path[] = "/tmp/rhost-lines-XXXXXX";
    struct rhost_fake fake;
    struct rhost_lines *lines;
    int fd = mkstemp(path);

    (void)state;
    rhost_fake_init(&fake);
    assert_null(rhost_lines_read(&fake.ctx, "/"));
    assert_int_equal(errno, EISDIR);
    assert_null(rhost_lines_read(&fake.ctx, "/dev/null"));
    assert_int_equal(errno, EINVAL);
    assert_null(rhost_lines_of(&fake.ctx, "/dev/null"));
    assert_non_null(strstr(fake.said, "it is not a regular file"));
    assert_int_equal(ftruncate(fd, (off_t)20 << 30), 0);
    assert_null(rhost_lines_of(&fake.ctx, path));
    assert_non_null(strstr(fake.said, "it is larger than 64 MiB"));
    assert_null(rhost_lines_read_fd(fd, path, 1 << 20));
    assert_int_equal(errno, EFBIG);
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_null(rhost_lines_read_fd(fd, path, 4095));
    assert_int_equal(errno, EFBIG);
    lines = rhost_lines_read_fd(fd, path, 4096);
    assert_non_null(lines);
    rhost_lines_free(lines);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(rhost_lines_read(&fake.ctx, path)); /* nobody writes to it: that must not hold us up */
    assert_int_equal(errno, EINVAL);
    assert_int_equal(unlink(path), 0);
    close(fd);
    rhost_fake_clear(&fake);
}

/* A provider's own state and the lines that are kept for it never meet. */
static void
test_the_state_word_stays_the_provider_s_own(void **state)
{
    char path[] = "/tmp/rhost-lines-XXXXXX", own[] = "mine";
    int fd = mkstemp(path);
    struct rhost_fake fake;

    (void)state;
    rhost_fake_init(&fake);
    *fake.ctx.host->state(&fake.ctx) = own;
    assert_int_equal(write(fd, "a\n", 2), 2);
    assert_int_equal(rhost_lines_of(&fake.ctx, path)->n, 1);
    assert_ptr_equal(*fake.ctx.host->state(&fake.ctx), own);
    assert_string_equal(own, "mine");
    assert_int_equal(unlink(path), 0);
    close(fd);
    rhost_fake_clear(&fake);
}

/* --- Somebody else, who changes the file between reading and writing. -------------------------- */

static int meddles; /* so often */
static int edits;

static int32_t
meddle_replace(rhost_ctx *ctx, const struct rhost_new_file *file)
{
    struct stat st;
    int fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC);

    (void)ctx;
    assert_true(fd >= 0);
    if (meddles-- > 0)
        assert_int_equal(write(fd, "theirs\n", 7), 7);
    assert_non_null(file->seen);
    assert_int_equal(file->seen->exists, 1);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    if (st.st_size != file->seen->size || (uint64_t)st.st_ino != file->seen->ino)
        return RHOST_FILE_CHANGED;
    fd = open(file->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(fd, file->content, file->content_len), (ssize_t)file->content_len);
    close(fd);
    return 0;
}

static const void *
find_meddler(const char *id)
{
    static const struct rhost_file file = { .struct_size = sizeof file, .replace = meddle_replace };

    return strcmp(id, RHOST_FILE_ID) == 0 ? &file : NULL;
}

static const char *
append_ours(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    (void)ctx;
    edits++;
    if (strcmp(change->title, "no") == 0)
        return "not this one";
    rhost_lines_append(l, "ours");
    return NULL;
}

static void
meddled(int times, const char *expected_text, int expected_edits, const char *expected_said)
{
    static const struct rhost_lines_how how = { .struct_size = sizeof how, .edit = append_ours };
    char path[] = "/tmp/rhost-lines-XXXXXX", text[256] = "";
    struct rhost_fake fake;
    struct rhost_change one = { .struct_size = sizeof one, .title = "yes" };
    struct rhost_change two = { .struct_size = sizeof two, .title = "no" };
    const struct rhost_change *changes[] = { &one, &two };
    rhost_value *name;
    int fd = mkstemp(path);

    rhost_fake_init(&fake);
    fake.find = find_meddler;
    name = rhost_fake_hash(&fake);
    rhost_put_str(name, "path", path);
    one.name = one.should = two.name = two.should = name;
    assert_int_equal(write(fd, "a\n", 2), 2);
    meddles = times;
    edits = 0;
    assert_int_equal(rhost_lines_set(&fake.ctx, changes, 2, &how), times == 99 ? -1 : 0);
    assert_int_equal(edits, expected_edits);
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, expected_text);
    assert_non_null(strstr(fake.said, expected_said));
    assert_non_null(strstr(fake.said, "no: not this one"));
    assert_int_equal(unlink(path), 0);
    close(fd);
    rhost_fake_clear(&fake);
}

static void
test_what_others_wrote_meanwhile_is_kept(void **state)
{
    (void)state;
    meddled(0, "a\nours\n", 2, "did creating yes");
    meddled(1, "a\ntheirs\nours\n", 4, "did creating yes");
    meddled(4, "a\ntheirs\ntheirs\ntheirs\ntheirs\nours\n", 10, "did creating yes");
    meddled(99, "a\ntheirs\ntheirs\ntheirs\ntheirs\ntheirs\n", 10, "something else changed it 5 times");
}

static void
test_text_is_told_from_other_bytes(void **state)
{
    static const char *const good[] = { "", "abc\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    static const char *const bad[] = { "\xe9",         "a\xc3",        "\xc0\x80",
                                       "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                       "\xf0\x9f\x98", "\x80",         "\xff" };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(rhost_is_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rhost_is_utf8(bad[i], strlen(bad[i])));
}

static size_t
count_descriptors(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void
test_several_files_are_kept_at_once(void **state)
{
    char one[] = "/tmp/rhost-lines-XXXXXX", two[] = "/tmp/rhost-lines-XXXXXX";
    struct timespec moment = { .tv_nsec = 100000000 };
    const struct rhost_lines *a, *b;
    int fd = mkstemp(one), other = mkstemp(two);
    struct rhost_fake fake;

    (void)state;
    rhost_fake_init(&fake);
    assert_int_equal(write(fd, "a\n", 2), 2);
    nanosleep(&moment, NULL); /* or they are read again, as somebody could have written meanwhile */
    a = rhost_lines_of(&fake.ctx, one);
    b = rhost_lines_of(&fake.ctx, two);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(rhost_lines_of(&fake.ctx, one), a);
    assert_ptr_equal(rhost_lines_of(&fake.ctx, two), b);
    assert_int_equal(a->n, 1);
    assert_int_equal(unlink(one), 0);
    assert_int_equal(unlink(two), 0);
    close(fd);
    close(other);
    rhost_fake_clear(&fake);
}

static void
test_what_is_opened_is_closed(void **state)
{
    char path[] = "/tmp/rhost-lines-XXXXXX";
    struct rhost_fake fake;
    struct rhost_lines *l;
    int fd = mkstemp(path);
    size_t before = count_descriptors();

    (void)state;
    rhost_fake_init(&fake);
    assert_int_equal(write(fd, "a\n", 2), 2);
    l = rhost_lines_read(&fake.ctx, path);
    assert_non_null(l);
    ASSERT_TEXT(l, "a\n");
    assert_null(rhost_lines_read(&fake.ctx, "/tmp"));
    assert_int_equal(unlink(path), 0);
    l = rhost_lines_read(&fake.ctx, path);
    assert_non_null(l);
    assert_int_equal(l->exists, 0);
    rhost_lines_free(l);
    assert_int_equal(count_descriptors(), before);
    close(fd);
    rhost_fake_clear(&fake);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whatever_is_read_is_written_again),
        cmocka_unit_test(test_lines_are_without_their_ends),
        cmocka_unit_test(test_a_new_line_ends_as_the_others),
        cmocka_unit_test(test_the_line_above_a_new_one_keeps_its_end),
        cmocka_unit_test(test_a_missing_newline_stays_missing),
        cmocka_unit_test(test_many_edits),
        cmocka_unit_test(test_a_file_is_fresh_until_it_changes),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_the_state_word_stays_the_provider_s_own),
        cmocka_unit_test(test_what_others_wrote_meanwhile_is_kept),
        cmocka_unit_test(test_several_files_are_kept_at_once),
        cmocka_unit_test(test_what_is_opened_is_closed),
        cmocka_unit_test(test_text_is_told_from_other_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
