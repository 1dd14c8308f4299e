/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/mode.h - modes in symbols, as chmod(1) has them: "u=rw,g=r,o=", "g+w", "a=rX".
 *
 * What such a mode means can depend on the mode that a file has. Where it does, it is in sync when applying it would change
 * nothing: rhost_put_mode() reports it then as it is wanted, and else the mode that there is. */
#ifndef RHOST_MODE_H
#define RHOST_MODE_H

#include <rhost/posix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Data type: octal, or symbols. */
#define RHOST_TYPE_ANY_MODE                                                                                            \
    "Pattern[/\\A0?[0-7]{3,4}\\z/, "                                                                                   \
    "/\\A[ugoa]*([-+=]([rwxXst]*|[ugo]))+(,[ugoa]*([-+=]([rwxXst]*|[ugo]))+)*\\z/]"

/* The bits that one letter of permissions means for all classes; `now`: the mode so far, for X. */
static inline unsigned
rhost_mode_letter(char letter, unsigned now, int is_directory)
{
    switch (letter) {
    case 'r':
        return 0444u;
    case 'w':
        return 0222u;
    case 'x':
        return 0111u;
    case 'X':
        return is_directory || (now & 0111u) ? 0111u : 0u;
    case 's':
        return 06000u;
    case 't':
        return 01000u;
    default:
        return 0u;
    }
}

/* The bits that belong to the classes in front of `*at`, which is moved behind them: none are all. */
static inline unsigned
rhost_mode_classes(const char **at)
{
    unsigned of = 0;

    for (;; (*at)++)
        if (**at == 'u')
            of |= 04700u;
        else if (**at == 'g')
            of |= 02070u;
        else if (**at == 'o')
            of |= 01007u;
        else if (**at == 'a')
            of |= 07777u;
        else
            return of ? of : 07777u;
}

/* What the permissions behind `*at` mean, for all classes; it is moved behind them. u, g and o copy those of a class. */
static inline unsigned
rhost_mode_permissions(const char **at, unsigned now, int is_directory)
{
    unsigned bits = 0;

    if (**at == 'u' || **at == 'g' || **at == 'o') {
        bits = now >> (**at == 'u' ? 6 : **at == 'g' ? 3 : 0) & 7u;
        (*at)++;
        return bits << 6 | bits << 3 | bits;
    }
    for (; **at && strchr("rwxXst", **at); (*at)++)
        bits |= rhost_mode_letter(**at, now, is_directory);
    return bits;
}

/* The mode that `text`, of RHOST_TYPE_ANY_MODE, makes of the mode `now`; -1 for NULL. As with chmod of GNU, a '=' leaves
 * the setuid and setgid bits of a directory, and no class at all means all of them, whatever the umask. */
static inline int64_t
rhost_mode_of(const char *text, mode_t from, int is_directory)
{
    unsigned now = (unsigned)from & 07777u;

    if (!text || (*text >= '0' && *text <= '7'))
        return text ? (int64_t)strtol(text, NULL, 8) & 07777 : -1;
    while (*text) {
        unsigned of = rhost_mode_classes(&text);

        while (*text && *text != ',') {
            char operation = *text++;
            unsigned bits = rhost_mode_permissions(&text, now, is_directory) & of;

            if (operation == '+')
                now |= bits;
            else if (operation == '-')
                now &= ~bits;
            else
                now = (now & ~(of & (is_directory ? ~06000u : ~0u))) | bits;
        }
        text += *text == ',';
    }
    return (int64_t)now;
}

/* The canonical form of `mode`: octal, where it does not depend on the mode that there is. */
RHOST_UNUSED static inline void
rhost_tidy_any_mode(rhost_value *resource, int is_directory)
{
    const char *mode = rhost_str(resource, "mode");
    int64_t bits = rhost_mode_of(mode, 0, is_directory);

    if (!mode)
        return;
    /* Each class with nothing or all, since one can be copied to another, and with the special bits or without. */
    for (unsigned of = 1; of < 16; of++)
        if (rhost_mode_of(mode,
                          (of & 1u) * 0007u | (of >> 1 & 1u) * 0070u | (of >> 2 & 1u) * 0700u | (of >> 3) * 07000u,
                          is_directory)
            != bits)
            return;
    rhost_put_fmt(resource, "mode", "%04lo", (unsigned long)bits);
}

/* Reports the mode as it is wanted, where that would change nothing of `st`; else leaves what rhost_put_stat() has put. */
RHOST_UNUSED static inline void
rhost_put_mode(rhost_value *current, const rhost_value *should, const struct stat *st)
{
    const char *mode = rhost_str(should, "mode");

    if (mode && rhost_mode_of(mode, st->st_mode, S_ISDIR(st->st_mode)) == (int64_t)(st->st_mode & 07777))
        rhost_put_str(current, "mode", mode);
}

#ifdef __cplusplus
}
#endif

#endif
