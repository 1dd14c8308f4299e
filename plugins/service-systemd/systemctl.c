/* SPDX-License-Identifier: Apache-2.0 */
/* systemctl - what systemctl does by itself, without a manager. */

#include "systemctl.h"

#include "names.h"
#include "tidy.h"

#include <rhost/posix.h>

#include <unistd.h>

enum { MOST_STATUS = 4 }; /* of a unit that is not enabled, or that does not exist */

static const char *
program(void)
{
    static const char *const places[] = { "/usr/bin/systemctl", "/bin/systemctl" };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

int
systemctl_has_image(void)
{
    return rhost_in_chroot() && program();
}

int
systemctl_is_init(void)
{
    char target[256];
    ssize_t n = readlink("/sbin/init", target, sizeof target - 1);
    const char *name;

    if (n < 0)
        return access("/sbin/init", F_OK) < 0;
    target[n] = '\0';
    name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
    return strcmp(name, "systemd") == 0;
}

int
systemctl_run(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *const *words, int offline,
              uint64_t flags, struct rhost_output *out)
{
    const char *env[5] = { "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", NULL }, **argv;
    struct rhost_command command = {
        .struct_size = sizeof command,
        .env = env,
        .user = owner ? owner->user : NULL,
        .flags = flags,
        .timeout = 60000,
    };
    size_t n = 0, at = 2, first = 0;

    if (owner)
        env[at++] = rhost_fmt(ctx, "XDG_RUNTIME_DIR=/run/user/%lld", (long long)owner->uid);
    if (offline) /* it sees a chroot by itself, unless /proc is missing */
        env[at++] = "SYSTEMD_OFFLINE=1";
    while (words[n])
        n++;
    argv = rhost_alloc(ctx, (n + 7) * sizeof *argv);
    if (owner && owner->limit > 0) {
        argv[first++] = "timeout";
        argv[first++] = "--kill-after=5";
        argv[first++] = rhost_fmt(ctx, "%g", owner->limit);
        command.timeout = (uint32_t)((owner->limit + 30) * 1000);
    }
    argv[first++] = program();
    if (!argv[first - 1])
        return rhost_fail(ctx, "systemctl is not installed");
    if (owner)
        argv[first++] = "--user";
    memcpy(argv + first, words, (n + 1) * sizeof *argv);
    command.argv = argv;
    return rhost_run(ctx, &command, out) < 0 ? -1 : 0;
}

const char *
systemctl_complaint(rhost_ctx *ctx, const struct rhost_output *out)
{
    const char *text = *out->err ? out->err : out->out;
    size_t n = strlen(text), start;
    char *line;

    while (n && text[n - 1] == '\n')
        n--;
    for (start = n; start && text[start - 1] != '\n';)
        start--;
    if (start == n)
        return rhost_fmt(ctx, "systemctl exited with status %d", (int)out->status);
    line = rhost_copy(ctx, text + start, n - start);
    tidy_line(line);
    return line;
}

const char *
systemctl_state(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit)
{
    const char *const words[] = { "is-enabled", "--", unit, NULL };
    struct rhost_output out;
    const char *state;

    if (systemctl_run(ctx, owner, words, 1, RHOST_EXEC_READS, &out) < 0)
        return NULL;
    if (out.signal || out.status > MOST_STATUS) {
        (void)rhost_fail(ctx, "'systemctl is-enabled %s' failed with status %d: %s", unit, (int)out.status,
                         systemctl_complaint(ctx, &out));
        return NULL;
    }
    state = rhost_copy(ctx, out.out, strcspn(out.out, "\n"));
    return strcmp(state, "not-found") == 0 ? "" : state;
}

const char *
systemctl_change(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *verb,
                 const char *const *units)
{
    const char **words;
    struct rhost_output out;
    size_t n = 0;

    while (units[n])
        n++;
    words = rhost_alloc(ctx, (n + 3) * sizeof *words);
    words[0] = verb;
    words[1] = "--";
    memcpy(words + 2, units, (n + 1) * sizeof *words);
    if (systemctl_run(ctx, owner, words, 1, 0, &out) < 0)
        return "systemctl could not be run";
    return out.status ? systemctl_complaint(ctx, &out) : NULL;
}

char *
systemctl_list(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *pattern)
{
    const char *const words[] = { "list-unit-files", "--no-legend", "--no-pager", "--full", "--",
                                  pattern,           NULL };
    struct rhost_output out;

    if (systemctl_run(ctx, owner, words, 1, RHOST_EXEC_READS, &out) < 0)
        return NULL;
    if (out.status && !*out.out
        && *out.err) { /* that nothing fits is a failure for newer ones, without a word */
        (void)rhost_fail(ctx, "cannot list the unit files of %s: %s", owner ? owner->user : "this image",
                         systemctl_complaint(ctx, &out));
        return NULL;
    }
    return rhost_copy(ctx, out.out, out.out_len);
}

const char *
systemctl_next(char **list, const char **state, const char **preset)
{
    char *line;

    while ((line = strsep(list, "\n"))) {
        char *columns[3] = { NULL };
        size_t n = 0;

        for (char *word; n < 3 && (word = strsep(&line, " "));)
            if (*word)
                columns[n++] = word;
        if (!n || strlen(columns[0]) >= NAMES_MAX || !names_type(columns[0]))
            continue;
        *state = n > 1 ? columns[1] : "";
        *preset = n > 2 ? columns[2] : "";
        return columns[0];
    }
    return NULL;
}

const char *
systemctl_unknown(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *name)
{
    const char *best = NULL, *other, *state, *preset;
    size_t stem = strlen(name) - strlen(names_type(name));
    unsigned least = stem > 6 ? 3 : stem > 3 ? 2 : 1;
    char *list = systemctl_list(ctx, owner, rhost_fmt(ctx, "*%s", names_type(name)));

    while (list && (other = systemctl_next(&list, &state, &preset))) {
        unsigned distance = names_is_template(other) ? least + 1 : names_distance(name, other, least);

        if (distance <= least && distance > 0) {
            best = rhost_strdup(ctx, other);
            least = distance - 1;
        }
    }
    return rhost_fmt(ctx, "unknown unit '%s'%s%s%s%s%s%s", name, owner ? " of user '" : "",
                     owner ? owner->user : "", owner ? "'" : "", best ? ": did you mean '" : "",
                     best ? best : "", best ? "'?" : "");
}
