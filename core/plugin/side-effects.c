/* SPDX-License-Identifier: Apache-2.0 */
/* side-effects - what a provider must leave as it found it in its process. */
#include "config.h"

#include "plugin/side-effects.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "provider/extensions.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int
count_descriptors(void)
{
    rh_autoclosedir DIR *d = opendir("/proc/self/fd");
    int n = 0;

    if (!d)
        return 0;
    while (readdir(d))
        n++;
    return n - rh_ext_program_descriptors();
}

static mode_t
current_mask(void)
{
    mode_t mask = umask(022);

    (void)umask(mask);
    return mask;
}

void
rh_side_effects_note(struct rh_side_effects *m)
{
    struct stat st = { 0 };

    m->descriptors = count_descriptors();
    m->open = (struct rh_growth){ .last = m->descriptors };
    m->children = (struct rh_growth){ 0 };
    m->mask = current_mask();
    if (stat(".", &st) == 0) {
        m->folder_dev = st.st_dev;
        m->folder = st.st_ino;
    }
}

enum { GROWING = 8 };

/* Children of ours that are in our own session: a command that was run properly has its own, or (the
 * keeper of one that is bound: provider/exec-child.h) leads a process group, and
 * what it left running is its business. What has ended of those is reaped; the plugin's own it may still
 * wait for, until they are ended here. */
static int
count_children(bool end)
{
    rh_autofclose FILE *f = fopen("/proc/thread-self/children", "re");
    int pid, n = 0;

    while (f && fscanf(f, "%d", &pid) == 1) {
        if (getsid(pid) == getsid(0) && getpgid(pid) != pid) {
            n++;
            if (end)
                (void)kill(pid, SIGKILL);
        } else {
            (void)waitpid(pid, NULL, WNOHANG);
        }
    }
    while (end && waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    return n;
}

static void
add(struct rh_buf *b, const char *what, int n)
{
    rh_buf_add(b, b->n ? ", " : "");
    rh_buf_add(b, what);
    if (n >= 0)
        rh_buf_addf(b, " (%d)", n);
}

static void
put_right(struct rh_side_effects *m, struct rh_buf *b)
{
    mode_t mask = current_mask();
    struct stat st;

    if (mask != m->mask) {
        add(b, "changed the umask", -1);
        (void)umask(m->mask);
    }
    if (stat(".", &st) == 0 && (st.st_dev != m->folder_dev || st.st_ino != m->folder)) {
        add(b, "changed the working directory", -1);
        if (chdir("/") < 0)
            add(b, "which cannot be restored", -1);
        if (stat(".", &st) == 0) {
            m->folder_dev = st.st_dev;
            m->folder = st.st_ino;
        }
    }
}

static bool
keeps_growing(struct rh_growth *g, int now)
{
    g->times = now > g->last ? g->times + 1 : 0;
    g->last = now;
    return g->times == GROWING;
}

bool
rh_side_effects_watch(struct rh_side_effects *m, struct rh_buf *b)
{
    int descriptors = count_descriptors(), children = count_children(false);

    if (keeps_growing(&m->open, descriptors))
        add(b, "opens more descriptors with each request", descriptors - m->descriptors);
    if (keeps_growing(&m->children, children))
        add(b, "starts more child processes with each request", children);
    put_right(m, b);
    return b->n > 0;
}

bool
rh_side_effects_check_closed(struct rh_side_effects *m, bool connected, struct rh_buf *b)
{
    int descriptors = count_descriptors(), children = count_children(true);

    if (descriptors > m->descriptors && !connected)
        add(b, "left descriptors open", descriptors - m->descriptors);
    if (children && !connected)
        add(b, "left child processes behind, which were killed", children);
    m->descriptors = descriptors;
    put_right(m, b);
    return b->n > 0;
}

bool
rh_side_effects_check(struct rh_side_effects *m, struct rh_buf *b)
{
    return rh_side_effects_check_closed(m, false, b);
}
