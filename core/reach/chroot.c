/* SPDX-License-Identifier: Apache-2.0 */
/* chroot - the way into a directory that is the root of an image or of another system.
 *
 * Everything that a push needs and an image must not keep is mounted: in a mount namespace of its own, which
 * ends with the run, also of a push that is killed. So is every process that the run has started, by a
 * namespace of processes.
 *
 *   /proc, /sys       of the kernel; /sys and /proc/sys cannot be written to
 *   /dev              the usual devices, terminals of its own, and /dev/shm
 *   /run              in memory; /run/rhost has the kit and the state, and the file `image`, which says what
 * this is
 *
 * PID 1 of the namespace stays outside of the directory: that is how programs see that they are in a chroot.
 */
#include "config.h"

#include "reach/chroot.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script[] =
    "root=$1 place=$2 state=$3 resolver=$4; shift 4; umask 022\n"
    "fail() { echo \"$1\" >&2; exit 126; }\n"
    "here() { [ -d \"$root/$1\" ] && [ ! -L \"$root/$1\" ]; }\n"
    "own=$place/rhost/resolv.conf file=$root/etc/resolv.conf\n"
    /* Whoever is alone in it removes what a push has left, or leaves; where there is another one, it does. */
    "exec 9<\"$root\" && flock -s 9 || fail \"cannot lock '$root'\"\n"
    "ours() {\n"
    "    here etc && [ -L \"$file\" ] || return 1\n"
    "    case $(readlink \"$file\") in /run/rhost/resolv.conf | /dev/rhost/resolv.conf) ;; *) return 1 ;; "
    "esac\n"
    "}\n"
    "clean() { flock -n -x 9 && ours && rm -f \"$file\"; }\n"
    /* The image's own name, or none: what is made in it must not have that of this machine. */
    "name=\n"
    "if here etc && [ -f \"$root/etc/hostname\" ] && [ ! -L \"$root/etc/hostname\" ]; then\n"
    "    name=$(head -c 256 \"$root/etc/hostname\" | head -n 1)\n"
    "fi\n"
    "case $name in '' | *[!A-Za-z0-9.-]*) name=localhost ;; esac\n"
    "{ printf '%s\\n' \"$name\" >/proc/sys/kernel/hostname; } 2>/dev/null || hostname \"$name\" || exit 126\n"
    /* The kernel is that of this machine: its parameters are to be read only. */
    "if here proc; then\n"
    "    mount -t proc -o nosuid,nodev,noexec proc \"$root/proc\" || fail \"cannot mount '$root/proc'\"\n"
    "    for part in sys irq bus sysrq-trigger; do\n"
    "        [ -e \"$root/proc/$part\" ] || continue\n"
    "        mount --bind \"$root/proc/$part\" \"$root/proc/$part\" &&\n"
    "            mount -o remount,bind,ro \"$root/proc/$part\" || fail \"cannot mount '$root/proc/$part'\"\n"
    "    done\n"
    "fi\n"
    "if here sys; then\n" /* a namespace of users may not have it */
    "    mount -t sysfs -o ro,nosuid,nodev,noexec sysfs \"$root/sys\" 2>/dev/null || :\n"
    "fi\n"
    "if here dev; then\n"
    "    mount -t tmpfs -o mode=755,nosuid tmpfs \"$root/dev\" || fail \"cannot mount '$root/dev'\"\n"
    "    for node in null zero full random urandom tty; do\n"
    "        [ -c \"/dev/$node\" ] || continue\n"
    "        : >\"$root/dev/$node\" && mount --bind \"/dev/$node\" \"$root/dev/$node\" ||\n"
    "            fail \"cannot mount '$root/dev/$node'\"\n"
    "    done\n"
    "    ln -s /proc/self/fd \"$root/dev/fd\"\n"
    "    ln -s fd/0 \"$root/dev/stdin\"\n"
    "    ln -s fd/1 \"$root/dev/stdout\"\n"
    "    ln -s fd/2 \"$root/dev/stderr\"\n"
    "    mkdir -m 1777 \"$root/dev/shm\"\n"
    "    mkdir \"$root/dev/pts\"\n"
    "    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts \"$root/dev/pts\" 2>/dev/null "
    "&&\n"
    "        ln -s pts/ptmx \"$root/dev/ptmx\"\n"
    "fi\n"
    "if [ \"$place\" = /run ]; then\n"
    "    mount -t tmpfs -o mode=755,nosuid,nodev tmpfs \"$root/run\" || fail \"cannot mount '$root/run'\"\n"
    "    mkdir -m 1777 \"$root/run/lock\"\n"
    "fi\n"
    "if [ -n \"$place\" ]; then\n"
    "    mkdir \"$root$place/rhost\" && mkdir -m 700 \"$root$place/rhost/state\" &&\n"
    "        : >\"$root$place/rhost/image\" && mount --bind \"$state\" \"$root$place/rhost/state\" ||\n"
    "        fail \"cannot mount '$root$place/rhost/state'\"\n"
    "fi\n"
    "clean\n" /* after a push that was killed */
    "flock -s 9 || exit 126\n"
    /* Of the resolver, the image gets a copy: it can change that. */
    "if [ -n \"$resolver\" ]; then\n"
    "    link=\n"
    "    [ -n \"$place\" ] && here etc && cat \"$resolver\" >\"$root$own\" ||\n"
    "        fail \"--resolv-conf needs the directories 'etc' and 'run' in '$root'\"\n"
    "    [ ! -L \"$file\" ] || link=$(readlink \"$file\")\n"
    "    case $link in ../run/*) link=/${link#../} ;; esac\n"
    "    if [ \"$link\" = \"$own\" ]; then\n" /* of another push */
    "        :\n"
    "    elif [ -z \"$link\" ] && [ ! -e \"$file\" ]; then\n"
    "        ln -s \"$own\" \"$file\" || exit 126\n"
    "    elif [ -z \"$link\" ]; then\n"
    "        [ ! -d \"$file\" ] && mount --bind \"$root$own\" \"$file\" ||\n"
    "            fail \"'/etc/resolv.conf' of the image is no file: --resolv-conf cannot be used\"\n"
    "    elif [ \"$place\" = /run ] && [ \"${link#/run/}\" != \"$link\" ] && [ \"${link#*..}\" = \"$link\" "
    "]; then\n"
    "        mkdir -p \"$root${link%/*}\" && cat \"$resolver\" >\"$root$link\" || exit 126\n"
    "    else\n"
    "        fail \"'/etc/resolv.conf' of the image is a link to '$link': --resolv-conf cannot be used\"\n"
    "    fi\n"
    "fi\n"
    "chroot \"$root\" \"$@\" 9<&-\n"
    "status=$?\n"
    "clean\n"
    "exit $status\n";

/* Whether the directory has a directory of this name, which is no link. */
static bool
has_directory(const char *dir, const char *name)
{
    rh_autofree char *path = rh_printf("%s/%s", dir, name);
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where something can be in memory there; "": nowhere. */
static const char *
place_in(const char *dir)
{
    return has_directory(dir, "run") ? "/run" : has_directory(dir, "dev") ? "/dev" : "";
}

const char *
rh_chroot_state(const struct rh_host *h)
{
    const char *place = h->target->at.connector == RH_CONNECT_CHROOT ? place_in(h->target->at.place) : "";

    return *place ? rh_arena_printf(h->arena, "%s/rhost/state", place) : NULL;
}

const char *
rh_chroot_cache(const struct rh_host *h)
{
    const char *place = h->target->at.connector == RH_CONNECT_CHROOT ? place_in(h->target->at.place) : "";

    return *place ? rh_arena_printf(h->arena, "%s/rhost/kits", place) : NULL;
}

/* The directory on this machine that has the state of the image: its lock, journals and what was replaced. */
static const char *
keep_state(const struct rh_host *h, const char *dir, struct rh_error *err)
{
    rh_autofree char *real = realpath(dir, NULL);
    rh_autobuf struct rh_buf path = { 0 };

    if (!real) {
        (void)rh_error_system(err, errno, "cannot enter '%s'", dir);
        return NULL;
    }
    rh_buf_addf(&path, "%s/images/", h->options->state_dir);
    rh_push_add_file_name(&path, real);
    if (rh_make_directory(path.s, 0700, err) < 0)
        return NULL;
    return rh_arena_strdup(h->arena, path.s);
}

const char *const *
rh_chroot_words(const struct rh_host *h, struct rh_error *err)
{
    const char *dir = h->target->at.place, *place = place_in(dir), *state;
    const char **words = rh_arena_alloc(h->arena, 24 * sizeof *words);
    const char *const all[] = {
        "unshare", "--mount", "--uts", "--pid", "--fork", "--propagation=private",
        "--",      "/bin/sh", "-c",    script,  "sh",
    };
    struct stat st;
    size_t n = 0;

    if (geteuid() != 0) {
        (void)rh_error_set(err, RH_EINPUT, "chroot needs root on this machine");
        return NULL;
    }
    if (access(dir, X_OK) < 0) {
        (void)rh_error_system(err, errno, "cannot enter '%s'", dir);
        return NULL;
    }
    /* Programs of it run as root of this machine. */
    if (rh_trust_path(dir, RH_TRUST_CALLER, err) < 0)
        return NULL;
    /* A sticky bit keeps others from replacing what is there, and not from adding what is missing. */
    if (stat(dir, &st) < 0 || (st.st_mode & (S_IWGRP | S_IWOTH))) {
        (void)rh_error_set(err, RH_EINPUT, "'%s' cannot be entered: others can write to it", dir);
        return NULL;
    }
    state = *place ? keep_state(h, dir, err) : "";
    if (!state)
        return NULL;
    for (; n < sizeof all / sizeof all[0]; n++)
        words[n] = all[n];
    words[n++] = dir;
    words[n++] = place;
    words[n++] = state;
    words[n++] = h->options->resolv_conf ? "/etc/resolv.conf" : "";
    words[n] = NULL;
    return words;
}
