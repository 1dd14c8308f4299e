/* SPDX-License-Identifier: Apache-2.0 */
/* running - what systemd-networkd has made of the files: asked by networkctl(1) and ip(8), never in an image.
 */

#include "running.h"

#include "address.h"

#include <rhost/exec.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <fnmatch.h>

#define CLASS "/sys/class/net"
#define LINKS "/run/systemd/netif/links"

enum { MILLISECONDS = 30000 };

static int32_t
run(rhost_ctx *ctx, const char *const *argv, uint64_t flags, struct rhost_output *output)
{
    static const char *const env[] = { "LC_ALL=C", "SYSTEMD_COLORS=0", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .flags = flags, .timeout = MILLISECONDS
    };

    return rhost_run(ctx, &command, output);
}

/* The last line that a command printed. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    char *text = rhost_copy(ctx, output->err, output->err_len), *line;

    for (size_t n = strlen(text); n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = '\0';
    line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    if (*line)
        return line;
    return output->signal ? rhost_fmt(ctx, "signal %d ended it", output->signal)
                          : rhost_fmt(ctx, "it ended with status %d and gives no reason", output->status);
}

/* is-active answers by its status: 0 it is, 3 it is not, 4 there is no such unit. */
int
running_is_active(rhost_ctx *ctx)
{
    const char *const argv[] = { "systemctl", "is-active", "systemd-networkd.service", NULL };
    struct rhost_output output;
    struct stat st;

    if (rhost_path_stat(ctx, "/run/systemd/system", RHOST_PATH_FOLLOW, &st) < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot tell whether systemd-networkd runs");
    if (run(ctx, argv, RHOST_EXEC_READS, &output) < 0)
        return -1;
    if (output.status == 0 && strncmp(output.out, "active", 6) == 0)
        return 1;
    if (output.status == 3 || output.status == 4)
        return 0;
    return rhost_fail(ctx, "systemctl cannot tell whether systemd-networkd runs: %s",
                      complaint(ctx, &output));
}

static int
matches(rhost_ctx *ctx, const char *match, const char *name)
{
    int inverted = *match == '!', found = 0;

    match += inverted;
    while (*match && !found) {
        size_t len = strcspn(match, " ");

        found = fnmatch(rhost_copy(ctx, match, len), name, 0) == 0;
        match += len + (match[len] != '\0');
    }
    return found != inverted;
}

ssize_t
running_interfaces(rhost_ctx *ctx, const char *match, const char ***names)
{
    ssize_t n = rhost_path_list(ctx, CLASS, 0, names), left = 0;

    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '" CLASS "'");
    for (ssize_t i = 0; i < n && *match; i++)
        if (matches(ctx, match, (*names)[i]))
            (*names)[left++] = (*names)[i];
    return left;
}

const char *
running_file(rhost_ctx *ctx, const char *interface)
{
    static const char label[] = "Network File: ";
    const char *const argv[] = { "networkctl", "--no-pager", "--lines=0", "status", "--", interface, NULL };
    struct rhost_output output;
    const char *at;

    if (run(ctx, argv, RHOST_EXEC_READS, &output) < 0)
        return NULL;
    at = output.status == 0 ? strstr(output.out, label) : NULL;
    if (!at) {
        (void)rhost_fail(ctx, "networkctl cannot tell the file of the interface '%s': %s", interface,
                         output.status ? complaint(ctx, &output) : "its output has none");
        return NULL;
    }
    at += sizeof label - 1;
    return *at == '/' ? rhost_copy(ctx, at, strcspn(at, "\n")) : "";
}

/* --- What is on an interface. ------------------------------------------------------------------- */

/* Only where it is installed can be told what an interface has. */
static int
has_ip(rhost_ctx *ctx)
{
    static const char *const paths[] = { "/usr/sbin/ip", "/usr/bin/ip", "/sbin/ip", "/bin/ip" };
    struct stat st;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (rhost_path_stat(ctx, paths[i], RHOST_PATH_FOLLOW, &st) == 0)
            return 1;
    return 0;
}

/* What ip shows; NULL after the reason was given. */
static const char *
ip(rhost_ctx *ctx, const char *const *argv)
{
    struct rhost_output output;

    if (run(ctx, argv, RHOST_EXEC_READS, &output) < 0)
        return NULL;
    if (output.status == 0)
        return output.out;
    (void)rhost_fail(ctx, "ip cannot show the interface: %s", complaint(ctx, &output));
    return NULL;
}

static const char *
next_word(rhost_ctx *ctx, const char **at)
{
    const char *word;
    size_t len;

    *at += strspn(*at, " \t\\");
    len = strcspn(*at, " \t\\\n");
    word = rhost_copy(ctx, *at, len);
    *at += len;
    return word;
}

/* Whether what `ip address` shows has the address: "    inet 192.0.2.10/24 brd ...". */
static int
has_address(rhost_ctx *ctx, const char *shown, const struct address *wanted)
{
    for (const char *line = shown; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *at = line, *word = next_word(ctx, &at);
        struct address a;

        if (strncmp(word, "inet", 4) == 0 && address_parse(next_word(ctx, &at), &a, NULL)
            && a.family == wanted->family && memcmp(a.bytes, wanted->bytes, sizeof a.bytes) == 0)
            return 1;
    }
    return 0;
}

/* Whether what `ip route` shows has it: "198.51.100.0/24 via 192.0.2.1 proto static metric 5". */
static int
has_route(rhost_ctx *ctx, const char *shown, const struct address *to, const struct address *gateway,
          int64_t metric)
{
    for (const char *line = shown; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *at = line, *word = next_word(ctx, &at);
        struct address a = { .family = to->family };
        int via = !gateway, same_metric = metric < 0;

        if (strcmp(word, "default") != 0 && !address_parse(word, &a, NULL))
            continue;
        if (a.family != to->family || a.prefix != to->prefix
            || memcmp(a.bytes, to->bytes, sizeof a.bytes) != 0)
            continue;
        while (*at && *at != '\n') {
            word = next_word(ctx, &at);
            if (gateway && strcmp(word, "via") == 0)
                via = address_parse(next_word(ctx, &at), &a, NULL)
                      && memcmp(a.bytes, gateway->bytes, sizeof a.bytes) == 0;
            else if (metric >= 0 && strcmp(word, "metric") == 0)
                same_metric = strcmp(next_word(ctx, &at), rhost_fmt(ctx, "%lld", (long long)metric)) == 0;
        }
        if (via && same_metric)
            return 1;
    }
    return 0;
}

static const char *
routes_of(rhost_ctx *ctx, const char *interface, int family)
{
    const char *const argv[] = {
        "ip", family == AF_INET ? "-4" : "-6", "route", "show", "table", "main", "dev", interface, NULL
    };

    return ip(ctx, argv);
}

/* "" when it has all; NULL after the reason was given. */
static const char *
missing_routes(rhost_ctx *ctx, const char *interface, const rhost_value *config, int gateways)
{
    const rhost_value *list = rhost_get(config, gateways ? "gateway" : "routes");
    const char *shown[2] = { NULL, NULL };

    for (size_t i = 0; i < rhost_count(list); i++) {
        const rhost_value *one = rhost_at(list, i, NULL);
        const char *via = gateways ? rhost_str_at(list, i) : rhost_str(one, "gateway");
        const char *text = gateways ? NULL : rhost_str(one, "destination");
        struct address to = { 0 }, gateway = { 0 };
        int six;

        if ((via && !address_parse(via, &gateway, NULL)) || (text && !address_parse(text, &to, NULL)))
            continue;
        if (!text)
            to.family = gateway.family;
        six = to.family == AF_INET6;
        if (!shown[six] && !(shown[six] = routes_of(ctx, interface, to.family)))
            return NULL;
        if (has_route(ctx, shown[six], &to, via ? &gateway : NULL,
                      gateways ? -1 : rhost_int(one, "metric", -1)))
            continue;
        return gateways ? rhost_fmt(ctx, "gateway %s", via)
                        : rhost_fmt(ctx, "route to %s%s%s", text, via ? " via " : "", via ? via : "");
    }
    return "";
}

/* networkd writes a file for each interface whenever it configures it. */
static int
is_stale(rhost_ctx *ctx, unsigned long index, const char *path)
{
    struct stat file, link;

    if (rhost_path_stat(ctx, path, 0, &file) < 0
        || rhost_path_stat(ctx, rhost_fmt(ctx, LINKS "/%lu", index), 0, &link) < 0)
        return 0;
    return file.st_mtim.tv_sec != link.st_mtim.tv_sec ? file.st_mtim.tv_sec > link.st_mtim.tv_sec
                                                      : file.st_mtim.tv_nsec > link.st_mtim.tv_nsec;
}

int
running_lacks(rhost_ctx *ctx, const char *interface, const rhost_value *config, const char *path, int which,
              const char **what)
{
    const char *const argv[] = { "ip", "address", "show", "dev", interface, NULL };
    const rhost_value *addresses = rhost_get(config, "addresses");
    const char *shown, *flags;

    *what = NULL;
    if (!has_ip(ctx))
        return RUNNING_NOTHING;
    shown = ip(ctx, argv);
    if (!shown)
        return -1;
    if ((which & RUNNING_FRESHNESS) && is_stale(ctx, strtoul(shown, NULL, 10), path)) {
        *what = rhost_fmt(ctx, "'%s' was changed after systemd-networkd has configured %s", path, interface);
        return RUNNING_FRESHNESS;
    }
    flags = strchr(shown, '<');
    flags = flags ? rhost_copy(ctx, flags, strcspn(flags, ">")) : "";
    if (strstr(flags, "NO-CARRIER"))
        return RUNNING_NOTHING;
    for (size_t i = 0; (which & RUNNING_ADDRESSES) && i < rhost_count(addresses); i++) {
        const char *text = rhost_str_at(addresses, i);
        struct address a;

        if (address_parse(text, &a, NULL) && !has_address(ctx, shown, &a)) {
            *what = rhost_fmt(ctx, "%s lacks the address %s", interface, text);
            return RUNNING_ADDRESSES;
        }
    }
    for (int gateways = 1; gateways >= 0; gateways--) {
        int bit = gateways ? RUNNING_GATEWAY : RUNNING_ROUTES;
        const char *missing = which & bit ? missing_routes(ctx, interface, config, gateways) : "";

        if (!missing)
            return -1;
        if (*missing) {
            *what = rhost_fmt(ctx, "%s lacks the %s", interface, missing);
            return bit;
        }
    }
    return RUNNING_NOTHING;
}

static int
networkctl(rhost_ctx *ctx, const char *verb, const char *interface)
{
    const char *const argv[] = { "networkctl", verb, interface ? "--" : NULL, interface, NULL };
    struct rhost_output output;

    if (run(ctx, argv, 0, &output) < 0)
        return -1;
    if (output.status == 0)
        return 0;
    return rhost_fail(ctx, "'networkctl %s%s%s' failed: %s", verb, interface ? " " : "",
                      interface ? interface : "", complaint(ctx, &output));
}

int
running_reload(rhost_ctx *ctx)
{
    return networkctl(ctx, "reload", NULL);
}

int
running_reconfigure(rhost_ctx *ctx, const char *interface)
{
    return networkctl(ctx, "reconfigure", interface);
}
