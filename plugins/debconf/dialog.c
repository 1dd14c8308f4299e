/* SPDX-License-Identifier: Apache-2.0 */
/* dialog - runs the programs of debconf, and speaks its protocol with debconf-communicate. */

#include "dialog.h"

#include <rhost/exec.h>

#include <stdlib.h>
#include <time.h>

enum { LOCKED = 60 /* seconds that a lock is waited for */, LONGEST = 120, MOST_OUTPUT = 64 << 20 };

void
dialog_begin(rhost_ctx *ctx, struct dialog *d)
{
    *d = (struct dialog){ .ctx = ctx };
    dialog_say(d, "CAPB", "escape");
}

static void
put(struct dialog *d, char c)
{
    if (d->len + 1 >= d->room) {
        size_t room = d->room ? d->room * 2 : 1024;
        char *more = rhost_alloc(d->ctx, room);

        if (d->len)
            memcpy(more, d->text, d->len);
        d->text = more;
        d->room = room;
    }
    d->text[d->len++] = c;
    d->text[d->len] = '\0';
}

/* With a backslash before each blank and backslash: it is split at blanks, and what is between them is one
 * word. */
static void
put_word(struct dialog *d, const char *word)
{
    for (; *word; word++) {
        if (*word == '\n') {
            put(d, '\\');
            put(d, 'n');
            continue;
        }
        if (strchr(" \t\r\v\f\\", *word))
            put(d, '\\');
        put(d, *word);
    }
}

void
dialog_add(struct dialog *d, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        if (i)
            put(d, ' ');
        put_word(d, words[i]);
    }
    put(d, '\n');
    d->n++;
}

/* The last line of what the program complained about. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *text = output->err_len ? output->err : output->out, *last;
    size_t len = strlen(text);

    while (len && strchr("\n ", text[len - 1]))
        len--;
    if (!len)
        return rhost_fmt(ctx, "it ended with status %d and no reason", output->status);
    text = rhost_copy(ctx, text, len);
    last = strrchr(text, '\n');
    text = last ? last + 1 : text;
    return strncmp(text, "debconf: ", 9) == 0 ? text + 9 : text;
}

static int
is_locked(const struct rhost_output *output)
{
    return output->err && strstr(output->err, "is locked by another process") != NULL;
}

int32_t
dialog_run(rhost_ctx *ctx, const char *const *argv, const char *input, const char **printed)
{
    static const char *const env[] = { "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", NULL };
    static const struct timespec nap = { .tv_nsec = 250000000 };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .input = input,
        .input_len = input ? strlen(input) : 0,
        .output_limit = MOST_OUTPUT,
        .timeout = LONGEST * 1000,
    };
    struct rhost_output output;

    for (int tries = 0;; tries++) {
        if (rhost_run(ctx, &command, &output) < 0)
            return -1;
        if (!is_locked(&output) || tries >= LOCKED * 4 || rhost_stopping(ctx))
            break;
        if (tries == 0) {
            rhost_warning(ctx, "another program has the database of debconf locked; waiting up to %d s",
                          LOCKED);
            rhost_busy(ctx, LOCKED + 5, "waiting for the database of debconf");
        }
        (void)nanosleep(&nap, NULL);
    }
    if (is_locked(&output))
        return rhost_fail(ctx, "another program has the database of debconf locked, and had so for %d s",
                          LOCKED);
    if (output.truncated)
        return rhost_fail(ctx, "%s printed more than %d MiB", argv[0], MOST_OUTPUT >> 20);
    *printed = output.out;
    /* debconf-communicate ends with the code of the last reply. */
    if (output.status != 0 && strcmp(argv[0], "debconf-communicate") != 0)
        return rhost_fail(ctx, "%s failed: %s", argv[0], complaint(ctx, &output));
    if (output.status != 0 && !output.out_len)
        return rhost_fail(ctx, "debconf failed: %s", complaint(ctx, &output));
    return 0;
}

/* In place. */
static void
unescape(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (*text == '\\' && text[1]) {
            text++;
            *to++ = *text == 'n' ? '\n' : *text;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

/* "CODE TEXT"; code 1 is 0 with what is escaped. */
static int
take_reply(rhost_ctx *ctx, const char *line, size_t len, struct reply *reply)
{
    char *text = rhost_copy(ctx, line, len), *end;

    reply->code = (int)strtol(text, &end, 10);
    if (end == text || (*end && *end != ' '))
        return 0;
    text = end + (*end == ' ');
    if (reply->code == 1) {
        unescape(text);
        reply->code = 0;
    }
    reply->text = text;
    return 1;
}

int32_t
dialog_send(struct dialog *d, const char *package, struct reply **replies)
{
    const char *const argv[] = { "debconf-communicate", "-fnoninteractive", package, NULL };
    const char *out;

    *replies = rhost_alloc(d->ctx, d->n * sizeof **replies);
    if (dialog_run(d->ctx, argv, d->text, &out) < 0)
        return -1;
    for (size_t i = 0; i < d->n; i++) {
        size_t len = strcspn(out, "\n");

        if (!out[len] || !take_reply(d->ctx, out, len, &(*replies)[i]))
            return rhost_fail(d->ctx, "debconf-communicate ended in the middle of its replies");
        out += len + 1;
    }
    (*replies)++; /* that of CAPB */
    return 0;
}
