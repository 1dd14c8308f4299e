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
    m->mask = current_mask();
    if (stat(".", &st) == 0) {
        m->folder_dev = st.st_dev;
        m->folder = st.st_ino;
    }
}

/* Children of ours that are in our own session: a command that was run properly has its own, or (the
 * keeper of one that is bound: provider/exec-child.h) leads a process group, and
 * what it left running is its business. */
static int
end_children(void)
{
    rh_autofclose FILE *f = fopen("/proc/thread-self/children", "re");
    int pid, n = 0;

    while (f && fscanf(f, "%d", &pid) == 1)
        if (getsid(pid) == getsid(0) && getpgid(pid) != pid) {
            (void)kill(pid, SIGKILL);
            n++;
        }
    while (waitpid(-1, NULL, WNOHANG) > 0)
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

bool
rh_side_effects_check(struct rh_side_effects *m, struct rh_buf *b)
{
    int descriptors = count_descriptors();
    mode_t mask = current_mask();
    struct stat st;
    int children = end_children();

    if (descriptors > m->descriptors) {
        add(b, "left descriptors open", descriptors - m->descriptors);
        m->descriptors = descriptors;
    }
    if (children)
        add(b, "left child processes behind, which were killed", children);
    if (mask != m->mask) {
        add(b, "changed the umask", -1);
        (void)umask(m->mask);
    }
    if (stat(".", &st) == 0 && (st.st_dev != m->folder_dev || st.st_ino != m->folder)) {
        add(b, "changed the working directory", -1);
        if (chdir("/") < 0)
            add(b, "which cannot be put right", -1);
        rh_side_effects_note(m);
        m->descriptors = descriptors;
    }
    return b->n > 0;
}
