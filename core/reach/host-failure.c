/* SPDX-License-Identifier: Apache-2.0 */
/* host-failure - why a connection ended before its receiver said hello, or while it worked: one line, and
 * what to do. */
#include "config.h"

#include "base/alloc.h"
#include "base/text.h"
#include "reach/push-parts.h"

#include <string.h>
#include <sys/wait.h>

/* What programs print, and what it means. The first that fits. */
static const struct {
    const char *text; /* in what was printed to standard error */
    const char *message, *hint;
} known[] = {
    { "REMOTE HOST IDENTIFICATION HAS CHANGED", "the host key of the target is not the one in known_hosts",
      "compare the keys; 'ssh-keygen -R HOST' removes the old one" },
    { "Host key verification failed", "the host key of the target is not known",
      "connect once with ssh, or add the key to known_hosts" },
    { "is not in the sudoers file", "sudo refused: the user is not in the sudoers file", NULL },
    { "is not allowed to execute", "sudo refused: the user may not run this command", NULL },
    { "may not run sudo", "sudo refused: the user may not run sudo", NULL },
    { "a password is required", "sudo needs a password", "use --ask-become or --become-password-file" },
    { "must have a tty", "sudo refused: requiretty is set", "set '!requiretty' for this user in sudoers" },
    { "incorrect password attempt", "wrong password for sudo", NULL },
    { "sudo: command not found", "sudo is not installed on the target", NULL },
    { "sudo: not found", "sudo is not installed on the target", NULL },
    { "doas: command not found", "doas is not installed on the target", NULL },
    { "doas: not found", "doas is not installed on the target", NULL },
    { "uthentication required", "doas needs a password, which it reads from a terminal only",
      "use 'permit nopass' in doas.conf, or sudo" },
    { "doas: Operation not permitted", "doas refused", NULL },
    { "Permission denied (", "permission denied: no key was accepted", "check the user, and 'ssh-add -l'" },
    { "Too many authentication failures", "permission denied: too many keys were offered",
      "name the key: IdentityFile and IdentitiesOnly in ssh_config" },
    { "Connection refused", "connection refused", NULL },
    { "Connection timed out", "connection timed out", NULL },
    { "Operation timed out", "connection timed out", NULL },
    { "No route to host", "no route to host", NULL },
    { "Network is unreachable", "network is unreachable", NULL },
    { "Could not resolve hostname", "the name of the host cannot be resolved", NULL },
    { "Connection reset", "connection reset", NULL },
    { "Broken pipe", "connection reset", NULL },
    { "not responding", "connection timed out", NULL },
    { "no such container", "no such container", NULL },
    { "No such container", "no such container", NULL },
    { "container state improper", "the container is not running", NULL },
};

/* The last line of a text that has something in it; the caller's. */
static char *
last_line(const struct rh_buf *b)
{
    size_t end = b->n, start;

    while (end && strchr("\r\n ", b->s[end - 1]))
        end--;
    for (start = end; start && b->s[start - 1] != '\n';)
        start--;
    if (end - start > 300)
        end = start + 300;
    if (end == start)
        return rh_xstrdup("");
    {
        rh_autofree char *line = rh_xstrndup(b->s + start, end - start);

        return rh_safe_text(line);
    }
}

/* What a program printed that we know; -1: nothing. */
static int
find_known(const struct rh_host *h)
{
    for (size_t i = 0; h->errors.n && i < sizeof known / sizeof known[0]; i++)
        if (strstr(h->errors.s, known[i].text))
            return (int)i;
    return -1;
}

/* While the command ran: the target knows how it ended, and the next push asks. */
static void
explain_loss(struct rh_host *h)
{
    static const char next[] = "the next push reports its result";
    const char *run = h->options->detach ? "goes on" : "was stopped";
    int why = find_known(h);

    if (h->stopped)
        rh_host_end(h, RH_PUSH_FAILED, NULL, "interrupted");
    else if (why < 0)
        rh_host_end(h, RH_PUSH_UNREACHABLE, next, "the connection was lost; the run %s", run);
    else
        rh_host_end(h, RH_PUSH_UNREACHABLE, next, "the connection was lost (%s); the run %s",
                    known[why].message, run);
}

void
rh_host_explain(struct rh_host *h)
{
    rh_autofree char *last = last_line(&h->errors), *noise = NULL;
    int status = WIFEXITED(h->child.status) ? WEXITSTATUS(h->child.status) : 128 + WTERMSIG(h->child.status);
    int why = find_known(h);

    rh_buf_addn(&h->noise, "", 0);
    if (h->step >= RH_HOST_RUN) {
        explain_loss(h);
        return;
    }
    if (why >= 0) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, known[why].hint, "%s", known[why].message);
        return;
    }
    /* Of a banner and of what a login shell prints, the shell has said why; ssh, or a command that is not
     * there, says so itself. */
    if (!*last || (status != 126 && status != 127 && status != 255))
        noise = last_line(h->lines.n ? &h->lines : &h->noise);
    if (noise && *noise)
        rh_host_end(h, RH_PUSH_UNREACHABLE, "is its login shell a shell?",
                    "the target did not run the command: it printed '%s'", noise);
    else if (*last)
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "%s", last);
    else
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "the connection ended with status %d", status);
}
