/* SPDX-License-Identifier: Apache-2.0 */
/* connect - the program that connects to a target, as a list of arguments. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "reach/chroot.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words {
    struct rh_arena *arena;
    char **v;
    size_t n, cap;
};

static void
add(struct words *w, const char *word)
{
    if (w->n + 1 >= w->cap) {
        char **more = rh_arena_alloc(w->arena, 2 * (w->cap + 16) * sizeof *more);

        if (w->n)
            memcpy(more, w->v, w->n * sizeof *more);
        w->v = more;
        w->cap = 2 * (w->cap + 16);
    }
    w->v[w->n++] = rh_arena_strdup(w->arena, word);
    w->v[w->n] = NULL;
}

static void
add_all(struct words *w, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        add(w, words[i]);
}

/* Words for any shell: in quotes where they need some. The caller's. */
static char *
shell_line(const char *const *words)
{
    rh_autobuf struct rh_buf line = { 0 };

    rh_buf_add(&line, "exec");
    for (size_t i = 0; words[i]; i++) {
        rh_buf_addc(&line, ' ');
        if (rh_endpoint_is_path(words[i])) {
            rh_buf_add(&line, words[i]);
            continue;
        }
        rh_buf_addc(&line, '\'');
        for (const char *s = words[i]; *s; s++) {
            if (*s == '\'')
                rh_buf_add(&line, "'\\''");
            else
                rh_buf_addc(&line, *s);
        }
        rh_buf_addc(&line, '\'');
    }
    return rh_buf_take(&line);
}

/* Of several values of an option, ssh takes the first: those of the target come before these. */
static void
add_share(struct words *w, const struct rh_host *h)
{
    if (!h->socket)
        return;
    add(w, "-oControlMaster=auto");
    add(w, rh_arena_printf(w->arena, "-oControlPersist=%u", h->options->ssh_persist));
    add(w, rh_arena_printf(w->arena, "-oControlPath=%s/%s%%C", h->options->ssh_dir, h->socket));
}

/* One channel for one command. Host keys and users are as the configuration of OpenSSH has them. */
static void
add_ssh(struct words *w, const struct rh_host *h, const char *const *words)
{
    static const char *const usual[] = { "ssh",
                                         "-T",
                                         "-a",
                                         "-x",
                                         "-oBatchMode=yes",
                                         "-oForwardAgent=no",
                                         "-oClearAllForwardings=yes",
                                         "-oPermitLocalCommand=no",
                                         "-oRemoteCommand=none",
                                         "-oRequestTTY=no",
                                         "-oEscapeChar=none",
                                         "-oServerAliveInterval=15",
                                         "-oServerAliveCountMax=3",
                                         NULL };
    const struct rh_endpoint *at = &h->target->at;
    rh_autofree char *line = shell_line(words);

    add_all(w, usual);
    add(w, rh_arena_printf(w->arena, "-oConnectTimeout=%u", h->options->connect_timeout));
    if (at->port)
        add(w, rh_arena_printf(w->arena, "-p%u", at->port));
    if (at->user)
        add(w, rh_arena_printf(w->arena, "-l%s", at->user));
    if (h->retried || h->options->new_connections) /* whatever the options of the target say */
        add(w, "-oControlPath=none");
    add_all(w, h->target->settings.options);
    add_share(w, h);
    add(w, "--");
    add(w, at->place);
    add(w, line);
}

static const char *const clean[] = {
    "env",          "-i",        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root",   "USER=root", "LOGNAME=root",
    "LANG=C.UTF-8", NULL
};

static int
add_chroot(struct words *w, const struct rh_host *h, struct rh_error *err)
{
    const char *const *words = rh_chroot_words(h, err);

    if (!words)
        return -1;
    add_all(w, clean);
    add_all(w, words);
    return 0;
}

/* Into the namespaces of the process that is the machine's init. machinectl can take its time, which other
 * targets do not wait for. Namespaces of users and of cgroups are entered where they are not ours: root of
 * the machine, not of this one. */
static const char machine_script[] =
    "machine=$1; shift\n"
    "case $machine in\n"
    "*[!0-9]*)\n"
    "    leader=$(machinectl show --property=Leader --value -- \"$machine\") || {\n"
    "        echo \"cannot find machine '$machine'\" >&2\n"
    "        exit 126\n"
    "    }\n"
    "    ;;\n"
    "*) leader=$machine ;;\n"
    "esac\n"
    "case $leader in\n"
    "'' | *[!0-9]*) echo \"machine '$machine' has no leader: is it running?\" >&2; exit 126 ;;\n"
    "esac\n"
    "[ -e \"/proc/$leader/ns/mnt\" ] || { echo \"cannot enter process $leader: it does not run\" >&2; exit "
    "126; }\n"
    "other() {\n"
    "    [ -e \"/proc/self/ns/$1\" ] || return 1\n"
    "    [ \"$(readlink \"/proc/$leader/ns/$1\")\" != \"$(readlink \"/proc/self/ns/$1\")\" ]\n"
    "}\n"
    "more=\n"
    "if other cgroup; then more=$more\\ -C; fi\n"
    "if other user; then more=$more\\ -U; fi\n"
    "exec nsenter -t \"$leader\" -m -u -i -n -p -r -w $more -- \"$@\"\n";

static int
add_machine(struct words *w, const struct rh_host *h, struct rh_error *err)
{
    if (geteuid() != 0)
        return rh_error_set(err, RH_EINPUT, "machine: needs root on this machine");
    add_all(w, clean);
    add_all(w, (const char *const[]){ "/bin/sh", "-c", machine_script, "sh", h->target->at.place, NULL });
    return 0;
}

/* {command} is replaced by the whole command as one word for a shell; without it, its words follow. */
static void
add_template(struct words *w, const char *const *template, const char *const *words)
{
    rh_autofree char *line = shell_line(words);
    bool placed = false;

    for (size_t i = 0; template[i]; i++) {
        const char *at = strstr(template[i], "{command}");

        placed |= at != NULL;
        add(w, at ? rh_arena_printf(w->arena, "%.*s%s%s", (int)(at - template[i]), template[i], line, at + 9)
                  : template[i]);
    }
    if (!placed)
        add_all(w, words);
}

char **
rh_connect_argv(struct rh_arena *a, const struct rh_host *h, const char *const *words, struct rh_error *err)
{
    const struct rh_endpoint *at = &h->target->at;
    struct words w = { .arena = a };

    switch (at->connector) {
    case RH_CONNECT_SSH:
        add_ssh(&w, h, words);
        return w.v;
    case RH_CONNECT_COMMAND:
        add_template(&w, at->template, words);
        return w.v;
    case RH_CONNECT_CHROOT:
        if (add_chroot(&w, h, err) < 0)
            return NULL;
        break;
    case RH_CONNECT_MACHINE:
        if (add_machine(&w, h, err) < 0)
            return NULL;
        break;
    case RH_CONNECT_PODMAN:
    case RH_CONNECT_DOCKER:
        add(&w, at->connector == RH_CONNECT_PODMAN ? "podman" : "docker");
        add(&w, "exec");
        add(&w, "-i");
        add_all(&w, h->target->settings.options);
        add(&w, at->place);
        break;
    case RH_CONNECT_LOCAL:
        break;
    }
    add_all(&w, words);
    return w.v;
}
