/* SPDX-License-Identifier: Apache-2.0 */
/* host-kit - a target without rhost gets a kit, unless it has it: reach/bootstrap.h has the talk. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "reach/bootstrap.h"
#include "reach/chroot.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct rh_bootstrap
bootstrap_of(const struct rh_host *h, const char *const *argv)
{
    return (struct rh_bootstrap){ .nonce = h->nonce,
                                  .kits = h->options->kits,
                                  .n_kits = h->options->n_kits,
                                  .cache = rh_chroot_cache(h),
                                  .argv = argv };
}

int
rh_host_kit_begin(struct rh_host *h, struct rh_error *err)
{
    const char *state = rh_chroot_state(h);
    const char *argv[] = { "receive", state ? "--state-dir" : h->nonce, state, h->nonce, NULL };
    const struct rh_bootstrap b = bootstrap_of(h, argv);
    rh_autofree char *text = NULL;

    if (!b.n_kits) {
        (void)rh_error_set(err, RH_EINPUT, "no kit: this target has no rhost of its own");
        return rh_error_suggest(err, NULL,
                                "'rhost kit make' makes one; --remote-rhost=PATH names an installed one");
    }
    text = rh_bootstrap_text(&b, err);
    if (!text)
        return -1;
    rh_buf_truncate(&h->kit_text, 0);
    rh_buf_add(&h->kit_text, text);
    h->kit_sent = 0;
    h->kit = NULL;
    h->kit_at = 0;
    return 0;
}

bool
rh_host_kit_sends(const struct rh_host *h)
{
    return h->step == RH_HOST_KIT && (h->kit_sent < h->kit_text.n || (h->kit && h->kit_at < h->kit->size));
}

/* The script or an offer first, then the bytes of the kit. */
void
rh_host_kit_send(struct rh_host *h)
{
    char part[65536];
    ssize_t n, put;

    if (h->kit_sent < h->kit_text.n) {
        n = rh_child_write(h->child.in, h->kit_text.s + h->kit_sent, h->kit_text.n - h->kit_sent);
        h->kit_sent += n > 0 ? (size_t)n : 0;
        rh_host_moved(h, n);
        return;
    }
    if (!h->kit)
        return;
    n = pread(h->kit->fd, part, sizeof part, (off_t)h->kit_at);
    if (n <= 0) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "cannot read the kit '%s'", h->kit->path);
        return;
    }
    put = rh_child_write(h->child.in, part, (size_t)n);
    h->kit_at += put > 0 ? (uint64_t)put : 0;
    rh_host_moved(h, put);
}

/* What stops a kit, in words that say what to do. */
static void
explain(struct rh_host *h, const struct rh_bootstrap_answer *answer)
{
    static const struct {
        const char *word, *what;
    } words[] = {
        { "no-space", "no space for the kit" },
        { "no-exec", "programs cannot be started from the directory of the kit (noexec)" },
        { "read-only", "the file systems are read-only" },
        { "denied", "permission denied for the directory of the kit" },
        { "unsafe", "other users can change the directory of the kit" },
        { "wrong-arch", "no kit for the architecture of the target" },
        { "bad-digest", "the kit is damaged" },
        { "truncated", "the kit did not arrive completely" },
    };
    const char *what = "the kit cannot be used";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(answer->error, words[i].word) == 0)
            what = words[i].what;
    rh_host_end(h, RH_PUSH_REFUSED, NULL, "%s: %s", what, answer->message);
}

/* The bytes of a kit in the form that the target can unpack; NULL after the host's end. Reading it takes a
 * moment: most pushes need none. */
static const struct rh_kit *
load(struct rh_host *h, const struct rh_kit *needed, bool gzip)
{
    const struct rh_push_options *o = h->options;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_kit *kit = gzip ? &o->kits[needed - o->kits] : &o->plain_kits[needed - o->kits];

    if (kit->fd >= 0 || rh_kit_load(kit, !gzip, &err) == 0)
        return kit;
    rh_host_end(h, RH_PUSH_REFUSED, err.hint, "%s", err.message);
    return NULL;
}

static void
send_kit(struct rh_host *h, const struct rh_bootstrap_answer *answer)
{
    const struct rh_bootstrap b = bootstrap_of(h, NULL);
    const struct rh_kit *kit = rh_bootstrap_needed(&b, answer);
    rh_autofree char *offer = NULL;

    if (!kit || h->kit) {
        rh_host_end(h, RH_PUSH_REFUSED, NULL, "the target asks for an unknown kit");
        return;
    }
    kit = load(h, kit, answer->gzip);
    if (!kit)
        return;
    if (answer->damaged)
        rh_push_show_line(h, "warning: the kit on this target was damaged: it is sent again", true);
    offer = rh_bootstrap_offer(kit);
    rh_buf_add(&h->kit_text, offer);
    h->kit = kit;
    h->kit_at = 0;
}

void
rh_host_kit_line(struct rh_host *h, const char *line, size_t n)
{
    struct rh_bootstrap_answer answer = { .uid = -1 };

    rh_bootstrap_parse(&answer, h->nonce, line, n);
    if (answer.word == RH_BOOTSTRAP_NEED) {
        send_kit(h, &answer);
    } else if (answer.word == RH_BOOTSTRAP_ERROR) {
        explain(h, &answer);
    } else if (answer.word == RH_BOOTSTRAP_HAVE || answer.word == RH_BOOTSTRAP_READY) {
        struct rh_value *program = rh_value_new(h->arena, RH_ARRAY);

        rh_value_append(program, rh_value_string(h->arena, "/bin/sh"));
        rh_value_append(program, rh_value_string(h->arena, rh_arena_printf(h->arena, "%s/%s/rhost",
                                                                           answer.dir, answer.kit)));
        h->program = program;
        h->step = RH_HOST_HELLO;
    } else if (n) {
        rh_buf_truncate(&h->noise, 0);
        rh_buf_addn(&h->noise, line, n > 200 ? 200 : n);
    }
    rh_bootstrap_answer_clear(&answer);
}
