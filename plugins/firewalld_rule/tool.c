/* SPDX-License-Identifier: Apache-2.0 */
/* tool - runs firewall-cmd, or firewall-offline-cmd where firewalld does not run, and explains what they
 * refuse. */

#include "tool.h"

#include <rhost/exec.h>
#include <rhost/path.h>

enum { MOST_OPTIONS = 8, MOST_OUTPUT = 64 << 20, NO_BUS = 36, NOT_RUNNING = 252 };

int32_t
tool_suits(rhost_ctx *ctx)
{
    static const char *const places[] = { "/usr/bin/firewall-cmd", "/bin/firewall-cmd",
                                          "/usr/local/bin/firewall-cmd" };
    struct stat st;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (rhost_path_stat(ctx, places[i], RHOST_PATH_FOLLOW, &st) == 0)
            return 10;
    (void)rhost_fail(ctx, "firewalld is not installed: firewall-cmd is missing");
    return 0;
}

const char *
tool_name(enum tool tool)
{
    return tool == TOOL_OFFLINE ? "firewall-offline-cmd" : "firewall-cmd";
}

/* Without a system bus, as in a chroot, firewalld can't run, and firewall-cmd need not be asked. */
static int
has_bus(rhost_ctx *ctx)
{
    struct stat st;

    return rhost_path_stat(ctx, "/run/dbus/system_bus_socket", RHOST_PATH_FOLLOW, &st) == 0
           || errno != ENOENT;
}

/* The text behind the mark at the beginning of a line, up to its end; NULL: no line has it. */
static const char *
line_after(rhost_ctx *ctx, const char *text, const char *mark)
{
    size_t len = strlen(mark);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, mark, len) == 0)
            return rhost_copy(ctx, text + len, strcspn(text + len, "\n"));
    return NULL;
}

static const char *
last_line(rhost_ctx *ctx, const char *text)
{
    size_t end = strlen(text), from;

    while (end && text[end - 1] == '\n')
        end--;
    for (from = end; from && text[from - 1] != '\n'; from--)
        ;
    return end > from ? rhost_copy(ctx, text + from, end - from) : "it gives no reason";
}

/* firewalld gives a word of its own and the value: "INVALID_ZONE: nowhere". */
static const char *
explain(rhost_ctx *ctx, const char *message)
{
    static const struct {
        const char *word, *text;
    } words[] = {
        { "INVALID_ZONE", "unknown zone" },
        { "INVALID_SERVICE", "unknown service" },
        { "INVALID_ICMPTYPE", "unknown type of ICMP" },
        { "INVALID_PROTOCOL", "unknown protocol" },
        { "INVALID_IPSET", "unknown or unsuitable set of addresses" },
        { "INVALID_RULE", "firewalld does not take the rich rule" },
        { "NOT_ENABLED", "firewalld lists it, and does not find it to remove it" },
        { "COMMAND_FAILED", "the kernel does not take it" },
        { "PANIC_MODE",
          "firewalld is in panic mode, which drops everything: 'firewall-cmd --panic-off' ends it" },
        { "RUNNING_BUT_FAILED", "firewalld runs, but its configuration failed to load: see its log" },
        { "NOT_AUTHORIZED", "firewalld does not permit it" },
        { "ACCESS_DENIED", "firewalld is locked down and does not permit it" },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i].word);

        if (strncmp(message, words[i].word, len) != 0)
            continue;
        message += len + strspn(message + len, ": ");
        return *message ? rhost_fmt(ctx, "%s: %s", words[i].text, message) : words[i].text;
    }
    return message;
}

/* The first warning that is not about something being as desired already. */
static const char *
real_warning(rhost_ctx *ctx, const char *text)
{
    static const char mark[] = "Warning: ";

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *what = text + sizeof mark - 1;

        if (strncmp(text, mark, sizeof mark - 1) == 0 && strncmp(what, "ALREADY_", 8) != 0
            && strncmp(what, "ZONE_ALREADY_SET", 16) != 0)
            return rhost_copy(ctx, what, strcspn(what, "\n"));
    }
    return NULL;
}

static int32_t
judge(rhost_ctx *ctx, const struct rhost_output *output, const char **why)
{
    const char *message;

    if (output->status == 0) {
        *why = real_warning(ctx, output->err);
        *why = *why ? explain(ctx, *why) : NULL;
        return *why ? TOOL_REFUSED : TOOL_DONE;
    }
    if (output->status == NOT_RUNNING)
        return TOOL_NOT_RUNNING;
    message = line_after(ctx, output->err, "Error: ");
    /* Without a bus there is no firewalld; any other trouble with it says nothing of that. */
    if (output->status == NO_BUS && message && strstr(message, "Failed to connect to socket"))
        return TOOL_NOT_RUNNING;
    *why = explain(ctx, message ? message : last_line(ctx, *output->err ? output->err : output->out));
    return TOOL_REFUSED;
}

int32_t
tool_run(rhost_ctx *ctx, enum tool tool, const char *const *options, const char *const *repeated, size_t n,
         int reads, const char **out, const char **why)
{
    static const char *const env[] = { "LC_ALL=C.UTF-8", NULL };
    const char **argv = rhost_alloc(ctx, (n + MOST_OPTIONS + 3) * sizeof *argv);
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .output_limit = MOST_OUTPUT,
        .flags = reads ? RHOST_EXEC_READS : 0,
    };
    struct rhost_output output;
    size_t k = 0;

    argv[k++] = tool_name(tool);
    if (tool == TOOL_PERMANENT)
        argv[k++] = "--permanent";
    for (; *options && k < MOST_OPTIONS + 2; options++)
        argv[k++] = *options;
    for (size_t i = 0; i < n; i++)
        argv[k++] = repeated[i];
    argv[k] = NULL;
    *why = NULL;
    if (tool != TOOL_OFFLINE && !has_bus(ctx))
        return TOOL_NOT_RUNNING;
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (output.truncated)
        return rhost_fail(ctx, "%s printed more than %d MiB", argv[0], MOST_OUTPUT >> 20);
    *out = output.out;
    return judge(ctx, &output, why);
}
