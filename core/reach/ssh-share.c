/* SPDX-License-Identifier: Apache-2.0 */
/* ssh-share - connections of ssh that are kept for the next push (ControlMaster).
 *
 * Most of what a push costs is the key exchange of ssh. The first one leaves a process of ssh that keeps the
 * connection for a while; those that follow open a channel of it through a socket. Who can use the socket can
 * run commands on the target: it is in a directory of mode 0700 that belongs to this user.
 *
 * ssh names the socket by %C: this host, the target's host, port and user, as its configuration has them.
 * Before that stands a digest of what else decides which connection it is: the options of the target, which
 * may have other keys or known hosts, and the agent. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/trust.h"
#include "reach/kit.h"
#include "reach/push-parts.h"
#include "reach/ssh-config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    DIGEST = 8,
    HOST_DIGEST = 40, /* of %C */
    SUFFIX = 17,      /* of the name that ssh creates the socket with */
    LONGEST_DIR = sizeof(((struct sockaddr_un *)0)->sun_path) - (1 + DIGEST + HOST_DIGEST + SUFFIX + 1),
    MORE = 3, /* seconds that a shared connection has beyond the time to connect, which ssh looks at itself */
};

/* --- The directory of the sockets. --------------------------------------------------------------- */

/* Whether only this user can enter the directory. */
static bool
is_own(const char *dir)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO))
           && rh_trust_path(dir, 0, &err) == 0;
}

static bool
is_trusted(const char *dir)
{
    rh_autoerror struct rh_error err = { 0 };
    struct stat st;

    return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && rh_trust_path(dir, 0, &err) == 0;
}

char *
rh_ssh_share_dir(void)
{
    rh_autofree char *kits = rh_kit_store();
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *slash = kits ? strrchr(kits, '/') : NULL;
    rh_autofree char *of_session = runtime && is_own(runtime) ? rh_printf("%s/rhost-ssh", runtime) : NULL;
    rh_autofree char *of_cache = slash ? rh_printf("%.*s/ssh", (int)(slash - kits), kits) : NULL;
    const char *of_root = geteuid() == 0 && is_trusted("/run") ? "/run/rhost-ssh" : NULL;
    const char *places[] = { of_session, of_root, of_cache };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };

        /* ssh reads '%', '~', '$' and quotes in it as something else. */
        if (places[i] && *places[i] == '/' && rh_endpoint_is_path(places[i])
            && strlen(places[i]) <= LONGEST_DIR && rh_make_directory(places[i], 0700, &err) == 0
            && is_own(places[i]))
            return rh_xstrdup(places[i]);
    }
    rh_log(RH_DEBUG, "no directory for shared connections of ssh is short enough and this user's alone");
    return NULL;
}

/* --- Which connection. --------------------------------------------------------------------------- */

static uint32_t
digest(uint32_t so_far, const char *text)
{
    do /* FNV-1a, with the NUL */
        so_far = (so_far ^ (unsigned char)*text) * 0x01000193;
    while (*text++);
    return so_far;
}

/* Whether options of a target say themselves how its connection is shared. Their -F goes to `file`. */
static bool
options_share(const char *const *options, const char **file)
{
    for (size_t i = 0; options && options[i]; i++) {
        const char *word = options[i], *value = word + 2;

        if (*word != '-' || !word[1])
            continue;
        if (word[1] == 'S' || strchr(word + 1, 'M') == word + strspn(word, "-46AaCfGgKkNnqsTtVvXxYy"))
            return true;
        if (word[1] != 'o' && word[1] != 'F')
            continue;
        if (!*value && !options[i + 1])
            return false;
        if (!*value)
            value = options[++i];
        value += strspn(value, " \t");
        if (word[1] == 'F')
            *file = value;
        else if (strncasecmp(value, "control", strlen("control")) == 0)
            return true;
    }
    return false;
}

/* What one file says is the same for all targets. */
static bool
config_shares(const char *file)
{
    static char *known;
    static bool is_known, shares;

    if (!is_known || (known ? !file || strcmp(known, file) != 0 : file != NULL)) {
        free(known);
        known = file ? rh_xstrdup(file) : NULL;
        shares = rh_ssh_config_shares(file);
        is_known = true;
    }
    return shares;
}

/* The socket of this connection, or NULL; the caller's. */
static char *
find_socket(const struct rh_host *h)
{
    rh_autoclosedir DIR *dir = opendir(h->options->ssh_dir);
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (strncmp(e->d_name, h->socket, DIGEST) == 0 && !strchr(e->d_name, '.'))
            return rh_printf("%s/%s", h->options->ssh_dir, e->d_name);
    return NULL;
}

void
rh_ssh_share_begin(struct rh_host *h)
{
    const char *const *options = h->target->settings.options, *agent = getenv("SSH_AUTH_SOCK");
    const struct rh_endpoint *at = &h->target->at;
    rh_autofree char *socket = NULL;
    const char *file = NULL;
    uint32_t all = digest(0x811c9dc5, agent ? agent : "");

    h->socket = NULL;
    h->heard = false;
    h->share_until = 0;
    if (at->connector != RH_CONNECT_SSH || !h->options->ssh_dir || h->retried || options_share(options, &file)
        || config_shares(file))
        return;
    all = digest(digest(all, at->place), at->user ? at->user : "");
    all = digest(all, rh_arena_printf(h->arena, "%u", at->port));
    for (size_t i = 0; options && options[i]; i++)
        all = digest(all, options[i]);
    h->socket = rh_arena_printf(h->arena, "%0*" PRIx32, (int)DIGEST, all);
    socket = find_socket(h);
    if (socket)
        h->share_until = rh_now() + h->options->connect_timeout + MORE;
}

/* --- When it is broken. -------------------------------------------------------------------------- */

bool
rh_ssh_share_is_broken(const struct rh_host *h)
{
    static const char *const messages[] = { "mux_client",    "muxclient",      "ontrol socket",
                                            "ControlSocket", "unix_listener",  "unix_dgram",
                                            "ControlPath",   "control master", "Shared connection" };

    for (size_t i = 0; h->errors.n && i < sizeof messages / sizeof messages[0]; i++)
        if (strstr(h->errors.s, messages[i]))
            return true;
    return false;
}

bool
rh_ssh_share_hangs(const struct rh_host *h)
{
    return h->share_until > 0 && !h->heard && rh_now() > h->share_until;
}

void
rh_ssh_share_drop(const struct rh_host *h)
{
    rh_autofree char *socket = h->socket ? find_socket(h) : NULL;

    if (socket)
        (void)unlink(socket);
}
