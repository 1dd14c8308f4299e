/* SPDX-License-Identifier: Apache-2.0 */
/* ssh-config - what the configuration of OpenSSH says about shared connections.
 *
 * `ssh -G` knows it exactly, and takes as much time as a push over a shared connection: its words are looked
 * for instead. */
#include "config.h"

#include "reach/ssh-config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"

#include <glob.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, DEEPEST = 16 /* as of ssh */ };

#define BLANKS " \t\r\f"

struct place {
    const char *home;
    const char *base; /* of relative names in Include */
};

static bool shares(const struct place *p, const char *path, int depth);

/* The next word of a line, in quotes or not; NULL: there is none. */
static char *
next_word(char **rest)
{
    char *word = *rest + strspn(*rest, BLANKS "="), *end;

    if (!*word || *word == '#')
        return NULL;
    if (*word == '"')
        end = strchrnul(++word, '"');
    else
        end = word + strcspn(word, BLANKS);
    *rest = end + (*end != '\0');
    *end = '\0';
    return word;
}

static bool
included_share(const struct place *p, const char *pattern, int depth)
{
    rh_autofree char *path = NULL;
    glob_t found = { 0 };
    bool yes = false;

    if (strchr(pattern, '%') || strchr(pattern, '$') || depth >= DEEPEST)
        return true;
    if (strncmp(pattern, "~/", 2) == 0)
        path = rh_printf("%s%s", p->home, pattern + 1);
    else if (*pattern == '~')
        return true;
    else
        path = *pattern == '/' ? rh_xstrdup(pattern) : rh_printf("%s/%s", p->base, pattern);
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !yes; i++)
            yes = shares(p, found.gl_pathv[i], depth + 1);
    globfree(&found);
    return yes;
}

static bool
line_shares(const struct place *p, char *line, int depth)
{
    char *rest = line + strspn(line, BLANKS), *keyword = rest, *word;
    size_t n = strcspn(rest, BLANKS "=");

    if (strncasecmp(keyword, "control", strlen("control")) == 0)
        return true;
    if (n != strlen("include") || strncasecmp(keyword, "include", n) != 0)
        return false;
    rest += n;
    while ((word = next_word(&rest)))
        if (included_share(p, word, depth))
            return true;
    return false;
}

static bool
shares(const struct place *p, const char *path, int depth)
{
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, &err);
    char *rest = text, *line;

    while (rest && (line = strsep(&rest, "\n")))
        if (line_shares(p, line, depth))
            return true;
    return false;
}

bool
rh_ssh_config_shares(const char *file)
{
    const struct passwd *user = getpwuid(getuid());
    const char *home = user ? user->pw_dir : "/nonexistent";
    rh_autofree char *own = rh_printf("%s/.ssh", home), *usual = rh_printf("%s/config", own);
    const struct place of_user = { .home = home, .base = own },
                       of_system = { .home = home, .base = "/etc/ssh" };

    if (file)
        return strcmp(file, "none") != 0 && shares(&of_user, file, 0);
    return shares(&of_user, usual, 0) || shares(&of_system, "/etc/ssh/ssh_config", 0);
}
