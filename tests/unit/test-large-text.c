/* SPDX-License-Identifier: Apache-2.0 */
/* test-large-text - texts that go to a worker beside the frames. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/shared-text.h"
#include "base/value.h"
#include "plugin/frame.h"
#include "plugin/large-text.h"
#include "plugin/link.h"
#include "plugin/message.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = RH_SHARED_TEXT_LEAST, SMALL = LARGE - 1 };

/* Both ends of a way to a worker. */
struct way {
    struct rh_link link;
    struct rh_large_texts sent, received;
    struct rh_text_way put;
    struct rh_arena *arena;
    int end;
    char *text; /* LARGE bytes */
};

static uint32_t
send_text(void *data, const char *s, size_t n)
{
    struct way *w = data;

    return rh_large_text_send(&w->sent, &w->link, s, n);
}

static int
setup(void **state)
{
    static struct way w;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(fcntl(pair[0], F_SETFL, O_NONBLOCK), 0);
    w = (struct way){ .link = { .process = { .channel = pair[0], .output = -1, .ended = -1, .control = -1 } },
                      .arena = rh_arena_new(NULL),
                      .end = pair[1],
                      .text = rh_xalloc(LARGE + 1) };
    w.put = (struct rh_text_way){ .data = &w, .send = send_text };
    memset(w.text, 'x', LARGE);
    *state = &w;
    (void)alarm(60);
    return 0;
}

static int
teardown(void **state)
{
    struct way *w = *state;

    rh_large_texts_clear(&w->sent);
    rh_large_texts_clear(&w->received);
    rh_arena_free(w->arena);
    rh_link_close(&w->link);
    (void)close(w->end);
    free(w->text);
    (void)alarm(0);
    return 0;
}

/* What the worker gets next: the bytes of a frame, and the texts that came with them. */
static struct rh_in
receive(struct way *w, size_t n)
{
    char *bytes = rh_arena_alloc(w->arena, n + 1);
    size_t have = 0;

    while (have < n) {
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec part = { bytes + have, n - have };
        struct msghdr m = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes };
        ssize_t got;
        int fd;

        assert_true(rh_link_move(&w->link, 0) || w->link.out.n == w->link.sent);
        got = recvmsg(w->end, &m, MSG_CMSG_CLOEXEC);
        assert_true(got > 0);
        have += (size_t)got;
        if (m.msg_controllen) {
            memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
            assert_int_equal(rh_large_text_receive(&w->received, fd), 0);
        }
    }
    return (struct rh_in){ .at = bytes, .end = bytes + n, .texts = &w->received };
}

static struct rh_value *
pass(struct way *w, const struct rh_value *v, size_t *bytes)
{
    size_t before = w->link.out.n;
    struct rh_in in;

    rh_put_value_by(&w->link.out, v, &w->put);
    *bytes = w->link.out.n - before;
    in = receive(w, *bytes);
    return rh_take_value(&in, w->arena);
}

static struct rh_value *
resource(struct way *w, unsigned marks)
{
    struct rh_value *v = rh_value_new(w->arena, RH_HASH);
    struct rh_value *text = rh_value_stringn(w->arena, w->text, LARGE);

    text->marks = (uint8_t)marks;
    rh_value_put(v, "path", rh_value_string(w->arena, "/etc/motd"));
    rh_value_put(v, "content", text);
    rh_value_put(v, "mode", rh_value_string(w->arena, "0644"));
    return v;
}

static void
a_large_text_is_not_sent(void **state)
{
    struct way *w = *state;
    size_t bytes;
    const struct rh_value *v = resource(w, 0), *got = pass(w, v, &bytes);

    assert_true(bytes < 100);
    assert_true(rh_value_equal(v, got));
    assert_int_equal(w->link.n_attached, 0);
    assert_int_equal(w->link.transmitted, bytes);
}

static void
the_same_text_is_handed_over_once(void **state)
{
    struct way *w = *state;
    size_t bytes;

    for (int i = 0; i < 3; i++)
        assert_true(rh_value_equal(resource(w, 0), pass(w, resource(w, 0), &bytes)));
    assert_int_equal(w->received.n, 1);
    w->text[LARGE - 1] = 'y';
    assert_true(rh_value_equal(resource(w, 0), pass(w, resource(w, 0), &bytes)));
    assert_int_equal(w->received.n, 2);
}

/* All begin with the same: to look through them would take longer than to hand over. */
static void
texts_that_differ_at_the_end_are_found_in_order_only(void **state)
{
    static const char again[] = "abcddabc";
    static const size_t texts[] = { 1, 2, 3, 4, 5, 5, 5, 5 };
    struct way *w = *state;
    size_t bytes;

    for (size_t i = 0; again[i]; i++) {
        w->text[LARGE - 1] = again[i];
        assert_true(rh_value_equal(resource(w, 0), pass(w, resource(w, 0), &bytes)));
        assert_int_equal(w->received.n, texts[i]);
    }
}

/* No other end of the way is to be waited for: it would be for ever. */
static void
a_text_that_cannot_be_passed_ends_the_worker(void **state)
{
    struct way *w = *state;

    rh_link_attach(&w->link, -1);
    rh_put_u8(&w->link.out, 0);
    assert_true(rh_link_move(&w->link, 0));
    assert_true(w->link.dead);
}

/* Exactly as many bytes have arrived as one read takes. */
static void
what_has_not_come_yet_does_not_end_the_worker(void **state)
{
    struct way *w = *state;

    memset(w->text, 0, LARGE);
    for (int i = 0; i < 16; i++)
        assert_int_equal(send(w->end, w->text, 4096, 0), 4096);
    assert_true(rh_link_move(&w->link, 0));
    assert_int_equal(w->link.received, 16 * 4096);
    assert_false(w->link.dead);
}

static void
several_texts_arrive_in_order(void **state)
{
    struct way *w = *state;
    struct rh_value *list = rh_value_new(w->arena, RH_ARRAY);
    size_t bytes;

    for (int i = 0; i < 5; i++) {
        w->text[0] = (char)('a' + i);
        rh_value_append(list, resource(w, 0));
    }
    assert_true(rh_value_equal(list, pass(w, list, &bytes)));
    assert_int_equal(w->received.n, 5);
    assert_true(bytes < 500);
}

static void
a_copy_shares_the_text_and_keeps_it(void **state)
{
    struct way *w = *state;
    struct rh_arena *other = rh_arena_new(NULL);
    size_t bytes;
    const struct rh_value *got = rh_value_get(pass(w, resource(w, 0), &bytes), "content");
    const struct rh_value *copy = rh_value_copy(other, got);

    assert_ptr_equal(copy->u.string, got->u.string);
    rh_large_text_drop(&w->received, 1);
    rh_arena_reset(w->arena);
    assert_memory_equal(copy->u.string, w->text, LARGE);
    assert_int_equal(copy->u.string[LARGE], 0);
    rh_arena_free(other);
}

/* In a frame it is overwritten when its batch ends; and what is small is sent sooner than mapped. */
static void
secrets_and_small_texts_go_in_the_frame(void **state)
{
    struct way *w = *state;
    struct rh_buf b = { 0 };
    struct rh_value *v = resource(w, RH_SENSITIVE), *outer = resource(w, 0);

    rh_put_value_by(&b, v, &w->put);
    assert_true(b.n > LARGE);
    rh_buf_truncate(&b, 0);
    outer->marks = RH_SENSITIVE;
    rh_put_value_by(&b, outer, &w->put);
    assert_true(b.n > LARGE);
    rh_buf_truncate(&b, 0);
    rh_put_value_by(&b, rh_value_stringn(w->arena, w->text, SMALL), &w->put);
    assert_true(b.n > SMALL);
    assert_int_equal(w->sent.n, 0);
    rh_buf_clear(&b);
}

static void
many_texts_are_let_go_of(void **state)
{
    struct way *w = *state;
    size_t frame = 0;
    struct rh_in in;

    for (int i = 0; i < 300; i++) {
        size_t bytes;

        memcpy(w->text, &i, sizeof i);
        (void)pass(w, rh_value_stringn(w->arena, w->text, LARGE), &bytes);
        rh_arena_reset(w->arena);
        rh_large_texts_trim(&w->sent, &w->link);
        while (w->link.out.n > w->link.sent) {
            in = receive(w, RH_FRAME_HEADER + 4);
            in.at += 4;
            assert_int_equal(rh_take_u32(&in), RH_RELEASE);
            rh_large_text_drop(&w->received, rh_take_u32(&in));
            frame++;
        }
    }
    assert_int_equal(frame, 300 - 256);
    assert_int_equal(w->received.bytes, 256 << 20);
    assert_int_equal(w->sent.bytes, 256 << 20);
}

static void
what_was_not_sent_is_no_text(void **state)
{
    struct way *w = *state;
    const uint32_t numbers[] = { 0, 2, UINT32_MAX };
    size_t bytes;

    (void)pass(w, resource(w, 0), &bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct rh_buf b = { 0 };
        struct rh_in in;

        rh_put_u8(&b, RH_STRING | 0x80);
        rh_put_u8(&b, 0);
        rh_put_u32(&b, numbers[i]);
        in = (struct rh_in){ .at = b.s, .end = b.s + b.n, .texts = &w->received };
        assert_null(rh_take_value(&in, w->arena));
        assert_true(in.bad);
        rh_buf_clear(&b);
    }
}

/* The host takes none at all from a worker. */
static void
nothing_beside_an_answer_is_read(void **state)
{
    struct way *w = *state;
    struct rh_in in;
    size_t bytes;

    (void)pass(w, resource(w, 0), &bytes);
    rh_put_value_by(&w->link.out, resource(w, 0), &w->put);
    in = receive(w, bytes);
    in.texts = NULL;
    assert_null(rh_take_value(&in, w->arena));
}

static void
memory_that_can_change_is_refused(void **state)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct way *w = *state;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text", 5), 5);
    assert_null(rh_shared_text_map(fd));
    assert_int_equal(rh_large_text_receive(&w->received, fd), -1);
    assert_int_equal(w->received.n, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_large_text_is_not_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(the_same_text_is_handed_over_once, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_that_differ_at_the_end_are_found_in_order_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_text_that_cannot_be_passed_ends_the_worker, setup, teardown),
        cmocka_unit_test_setup_teardown(several_texts_arrive_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_shares_the_text_and_keeps_it, setup, teardown),
        cmocka_unit_test_setup_teardown(secrets_and_small_texts_go_in_the_frame, setup, teardown),
        cmocka_unit_test_setup_teardown(many_texts_are_let_go_of, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_not_sent_is_no_text, setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_not_come_yet_does_not_end_the_worker, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_beside_an_answer_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_can_change_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
