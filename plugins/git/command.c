/* SPDX-License-Identifier: Apache-2.0 */
/* command - runs git for one resource. */

#include "command.h"

#include <rhost/posix.h>

#include <stdarg.h>
#include <unistd.h>

enum { MOST_WORDS = 32, MOST_OPTIONS = 32, LONGEST_COMPLAINT = 600 };

void
git_command_open(rhost_ctx *ctx, struct git *g, const rhost_value *should, const char *path, int64_t uid,
                 int64_t gid)
{
    const char *name = NULL;

    *g = (struct git){ .ctx = ctx, .should = should, .path = path, .uid = -1, .gid = -1 };
    g->remote = rhost_str_or(should, "remote", "origin");
    if (geteuid() != 0)
        return;
    g->uid = uid;
    g->user = rhost_fmt(ctx, "%lld", (long long)uid);
    /* With the groups of the account where there is one. */
    if (rhost_ids_name(ctx, RHOST_IDS_USER, (uint32_t)uid, &name) != 0 || !name || gid >= 0) {
        g->gid = gid >= 0 ? gid : uid;
        g->group = rhost_fmt(ctx, "%lld", (long long)g->gid);
    }
}

/* The text of a line that says nothing by itself. */
static int
is_idle(const char *line, size_t n)
{
    static const char *const idle[] = {
        "hint:",    "Please ",      "From ",       "and the repository exists",
        "Aborting", "Submodule ",   "Switched to", "To ",
        "HEAD ",    "Cloning into", "@",
    };

    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (n >= strlen(idle[i]) && strncmp(line, idle[i], strlen(idle[i])) == 0)
            return 1;
    return n == 0;
}

const char *
git_complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *start = output->err_len ? output->err : output->out, *text = NULL;

    /* From the end: what matters is said last. */
    for (const char *end = start + strlen(start), *line = end; line > start; end = line - 1) {
        const char *from, *to = end;

        for (line = end; line > start && line[-1] != '\n';)
            line--;
        for (from = line; from < to && strchr(" \t\r", *from);)
            from++;
        while (to > from && strchr(" \t\r", to[-1]))
            to--;
        if (is_idle(from, (size_t)(to - from)))
            continue;
        if (text && strlen(text) + (size_t)(to - from) > LONGEST_COMPLAINT)
            break;
        text = rhost_fmt(ctx, "%.*s%s%s",
                         to - from > LONGEST_COMPLAINT ? LONGEST_COMPLAINT : (int)(to - from), from,
                         !text           ? ""
                         : to[-1] == ':' ? " "
                                         : "; ",
                         text ? text : "");
    }
    return text ? text : rhost_fmt(ctx, "it ended with status %d and gave no reason", (int)output->status);
}

/* Names of files for ssh and for the helper of credentials pass through a shell: the data type of the
 * attributes admits no character that means something there. */
static const char *
ssh_command(const struct git *g)
{
    const char *key = rhost_str(g->should, "ssh_key"), *hosts = rhost_str(g->should, "known_hosts");

    return rhost_fmt(g->ctx, "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o StrictHostKeyChecking=yes%s%s%s%s",
                     key ? " -o IdentitiesOnly=yes -i " : "", key ? key : "",
                     hosts ? " -o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile=" : "",
                     hosts ? hosts : "");
}

/* What the repository says for itself must not start programs or ask people. */
static size_t
add_options(const struct git *g, const char **argv)
{
    static const char *const always[] = {
        "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.askPass=",
        "credential.helper=",       "gc.autoDetach=false",  "maintenance.autoDetach=false",
    };
    const char *credentials = rhost_str(g->should, "credentials");
    const char *signers = rhost_str(g->should, "allowed_signers");
    size_t n = 0;

    argv[n++] = "git";
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        argv[n++] = "-c";
        argv[n++] = always[i];
    }
    if (credentials) {
        argv[n++] = "-c";
        argv[n++] = rhost_fmt(g->ctx, "credential.helper=store --file=%s", credentials);
    }
    if (signers) {
        argv[n++] = "-c";
        argv[n++] = rhost_fmt(g->ctx, "gpg.ssh.allowedSignersFile=%s", signers);
    }
    return n;
}

static const char *
directory_above(rhost_ctx *ctx, const char *path)
{
    const char *end = strrchr(path, '/');

    return end && end != path ? rhost_copy(ctx, path, (size_t)(end - path)) : "/";
}

int32_t
git_run_words(const struct git *g, uint64_t flags, struct rhost_output *output, const char *const *words)
{
    const char *source = rhost_str_or(g->should, "source", "");
    int is_local = *source == '/' || strncmp(source, "file:", 5) == 0;
    const char *const env[] = {
        "LC_ALL=C",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_ATTR_NOSYSTEM=1",
        "GIT_EDITOR=:",
        /* A submodule of a remote repository must not reach repositories of this machine. */
        is_local ? "GIT_ALLOW_PROTOCOL=https:http:ssh:git:file" : "GIT_ALLOW_PROTOCOL=https:http:ssh:git",
        ssh_command(g),
        rhost_fmt(g->ctx, "GIT_CEILING_DIRECTORIES=%s", directory_above(g->ctx, g->path)),
        NULL,
    };
    const char *argv[MOST_OPTIONS + MOST_WORDS + 1];
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .cwd = g->path,
        .user = g->user,
        .group = g->group,
        .flags = flags,
        .output_limit = 4 << 20,
        .timeout = (uint32_t)rhost_int(g->should, "timeout", 600) * 1000,
    };
    struct rhost_output own;
    size_t n = add_options(g, argv), first = n;

    while (*words && n < first + MOST_WORDS)
        argv[n++] = *words++;
    argv[n] = NULL;
    if (*words)
        return rhost_fail(g->ctx, "git gets too many arguments");
    if (rhost_run(g->ctx, &command, output ? output : &own) < 0)
        return -1;
    if (!output && own.status != 0)
        return rhost_fail(g->ctx, "git %s failed: %s", argv[first], git_complaint(g->ctx, &own));
    return 0;
}

/* The words of a variable argument list, which ends with NULL. */
#define WORDS(words, last)                                                                                   \
    do {                                                                                                     \
        va_list ap;                                                                                          \
        size_t n_words = 0;                                                                                  \
                                                                                                             \
        va_start(ap, last);                                                                                  \
        while (n_words < MOST_WORDS && ((words)[n_words] = va_arg(ap, const char *)))                        \
            n_words++;                                                                                       \
        va_end(ap);                                                                                          \
        (words)[n_words] = NULL;                                                                             \
    } while (0)

int32_t
git_run(const struct git *g, uint64_t flags, struct rhost_output *output, ...)
{
    const char *words[MOST_WORDS + 1];

    WORDS(words, output);
    return git_run_words(g, flags, output, words);
}

int32_t
git_ask(const struct git *g, const char **line, ...)
{
    const char *words[MOST_WORDS + 1];
    struct rhost_output output;

    WORDS(words, line);
    *line = NULL;
    if (git_run_words(g, RHOST_EXEC_READS, &output, words) < 0)
        return -1;
    if (output.status == 0 && output.out_len)
        *line = rhost_copy(g->ctx, output.out, strcspn(output.out, "\n"));
    return 0;
}
