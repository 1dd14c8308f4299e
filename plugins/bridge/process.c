/* SPDX-License-Identifier: Apache-2.0 */
/* process - the process of a program, and who uses it. */

#include "process.h"

#include <rhost/keep.h>
#include <rhost/provider.h>

#include <stdlib.h>

/* The host has ended the program by then. */
static void
release_process(void *kept)
{
    struct process *p = kept;

    text_clear(&p->connect);
    free(p);
}

/* Of one that was not closed, because it could not be opened. */
static void
release_seat(void *kept)
{
    struct seat *seat = kept;

    if (seat->process && seat->shares)
        seat->process->users--;
    free(seat);
}

bool
process_can_share(const struct rhost_programs *programs)
{
    return programs
           && programs->struct_size >= offsetof(struct rhost_programs, share) + sizeof programs->share;
}

static struct process *
process_of(rhost_ctx *ctx, bool shares)
{
    void **word = shares ? rhost_keep_shared(ctx, "rhost.bridge.process", release_process)
                         : rhost_keep_word(ctx, "rhost.bridge.process", release_process);

    if (word && !*word)
        *word = need(sizeof(struct process));
    return word ? *word : NULL;
}

struct seat *
seat_of(rhost_ctx *ctx, const struct description *of, bool exclusive)
{
    /* The process first: what is kept last is released first. */
    bool shares = of->shared && !exclusive && process_can_share(ctx->host->extension(ctx, RHOST_PROGRAM_ID));
    struct process *process = process_of(ctx, shares);
    void **word = process ? rhost_keep_word(ctx, "rhost.bridge.seat", release_seat) : NULL;
    struct seat *seat;

    if (!word)
        return NULL;
    if (!*word) {
        seat = need(sizeof *seat);
        seat->of = of;
        seat->shares = shares;
        *word = seat;
    }
    seat = *word;
    if (!seat->process) {
        seat->process = process;
        process->users++;
    }
    return seat;
}

/* {"disconnect":...} was sent by then, where it was connected. */
static void
stop(rhost_ctx *ctx, struct seat *seat)
{
    const struct rhost_programs *programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID);
    struct process *p = seat->process;

    if (!p->program || !programs)
        return;
    if (programs->waits(ctx, p->program))
        rhost_warning(ctx, "the program '%s' sent output after its last answer, which is ignored",
                      seat->of->program);
    programs->stop(ctx, p->program);
    p->program = NULL;
    p->linked = p->verified = false;
}

void
seat_drop(rhost_ctx *ctx, struct seat *seat)
{
    if (seat->process && --seat->process->users == 0)
        stop(ctx, seat);
    seat->process = NULL;
}

void
seat_join(rhost_ctx *ctx, struct seat *seat, const struct seat *other)
{
    if (seat->process == other->process)
        return;
    seat_drop(ctx, seat);
    seat->process = other->process;
    seat->process->users++;
}

void
seat_lose(struct seat *seat, struct rhost_program *program)
{
    struct process *p = seat->process;

    seat->ended = program;
    if (p->program != program)
        return;
    p->program = NULL;
    p->linked = p->verified = false;
}

void
seat_leave(rhost_ctx *ctx, struct seat *seat)
{
    const struct rhost_programs *programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID);

    if (seat->ended && programs)
        programs->stop(ctx, seat->ended);
    seat->ended = NULL;
    seat_drop(ctx, seat);
}
