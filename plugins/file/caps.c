/* SPDX-License-Identifier: Apache-2.0 */
/* caps - the capabilities that a program gets from its file, in the form in which the kernel keeps them
 * (struct vfs_cap_data of linux/capability.h). */

#include "caps.h"

#include <endian.h>
#include <errno.h>
#include <sys/xattr.h>

#define CAPS_NONE "none"
#define ATTRIBUTE "security.capability"

enum { REVISION = 0x02000000, EFFECTIVE = 1, SIZE = 20, LARGEST = 24 };

static const char *const names[] = {
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
};

enum { NAMES = sizeof names / sizeof *names };

struct caps {
    uint64_t permitted, inheritable;
    int effective; /* the kernel has it for all of a file, or for none */
};

/* --- As text. --------------------------------------------------------------------------------- */

/* The bit of "cap_NAME" at *at, which moves behind it; 0: there is no such, and *at stays. */
static uint64_t
bit_at(const char **at)
{
    size_t len = strcspn(*at, ",=+");

    for (size_t i = 0; len > 4 && i < NAMES; i++)
        if (strlen(names[i]) == len - 4 && strncmp(*at + 4, names[i], len - 4) == 0) {
            *at += len;
            return UINT64_C(1) << i;
        }
    return 0;
}

/* 0, or -1 with the reason in *why. */
static int
parse(rhost_ctx *ctx, const char *text, struct caps *c, const char **why)
{
    uint64_t effective = 0;

    memset(c, 0, sizeof *c);
    if (strcmp(text, CAPS_NONE) == 0)
        return 0;
    while (*text) {
        uint64_t bits = 0, one;

        for (;; text++) {
            one = bit_at(&text);
            if (!one) {
                *why = rhost_fmt(ctx, "unknown capability '%.*s'", (int)strcspn(text, ",=+"), text);
                return -1;
            }
            bits |= one;
            if (*text != ',')
                break;
        }
        for (text++; *text && *text != ' '; text++)
            *(*text == 'e' ? &effective : *text == 'p' ? &c->permitted : &c->inheritable) |= bits;
        text += *text == ' ';
    }
    c->effective = effective != 0;
    if (effective && effective != (c->permitted | c->inheritable)) {
        *why = "a file has 'e' for all of its capabilities that are 'p' or 'i', or for none";
        return -1;
    }
    return 0;
}

/* A clause of the text: those capabilities, in the order of their numbers. */
static const char *
clause(rhost_ctx *ctx, const char *before, uint64_t bits, const char *flags)
{
    const char *text = before;

    for (size_t i = 0; i < 64; i++)
        if (bits >> i & 1)
            text =
                i < NAMES
                    ? rhost_fmt(ctx, "%s%scap_%s", text, text == before ? *before ? " " : "" : ",", names[i])
                    : rhost_fmt(ctx, "%s%scap_%zu", text, text == before ? *before ? " " : "" : ",", i);
    return bits ? rhost_fmt(ctx, "%s=%s", text, flags) : before;
}

static const char *
text_of(rhost_ctx *ctx, const struct caps *c)
{
    const char *text = clause(ctx, "", c->permitted & c->inheritable, c->effective ? "eip" : "ip");

    text = clause(ctx, text, c->permitted & ~c->inheritable, c->effective ? "ep" : "p");
    text = clause(ctx, text, c->inheritable & ~c->permitted, c->effective ? "ei" : "i");
    return *text ? text : CAPS_NONE;
}

int
caps_tidy(rhost_ctx *ctx, rhost_value *resource)
{
    const char *text = rhost_str(resource, "capabilities"), *why, *tidy;
    struct caps c;

    if (!text)
        return 0;
    if (parse(ctx, text, &c, &why) < 0)
        return rhost_fail_attr(ctx, "capabilities", "%s", why);
    tidy = text_of(ctx, &c);
    if (strcmp(tidy, text) != 0)
        rhost_put_str(resource, "capabilities", tidy);
    return 0;
}

/* --- As the kernel has it. -------------------------------------------------------------------- */

static uint64_t
number(const unsigned char *low, const unsigned char *high)
{
    uint32_t l, h;

    memcpy(&l, low, sizeof l);
    memcpy(&h, high, sizeof h);
    return le32toh(l) | (uint64_t)le32toh(h) << 32;
}

int
caps_report(rhost_ctx *ctx, int fd, int always, rhost_value *current)
{
    unsigned char raw[LARGEST] = { 0 };
    ssize_t len = fgetxattr(fd, ATTRIBUTE, raw, sizeof raw);
    struct caps c = { 0 };
    const char *text;

    if (len < 0 && errno != ENODATA && errno != ENOTSUP && errno != EOPNOTSUPP)
        return rhost_fail_errno(ctx, "cannot read the capabilities");
    if (len >= SIZE) {
        c.effective = raw[0] & EFFECTIVE;
        c.permitted = number(raw + 4, raw + 12);
        c.inheritable = number(raw + 8, raw + 16);
    } else if (len >= 12) { /* of the first revision, with 32 of them */
        static const unsigned char none[4];

        c.effective = raw[0] & EFFECTIVE;
        c.permitted = number(raw + 4, none);
        c.inheritable = number(raw + 8, none);
    }
    text = text_of(ctx, &c);
    if (always || c.permitted || c.inheritable)
        rhost_put_str(current, "capabilities", text);
    return 0;
}

int
caps_set(rhost_ctx *ctx, int fd, const rhost_value *should)
{
    const char *why = "";
    struct caps c;
    uint32_t raw[5];
    int rc;

    if (parse(ctx, rhost_str_or(should, "capabilities", CAPS_NONE), &c, &why) < 0)
        return rhost_fail_attr(ctx, "capabilities", "%s", why);
    raw[0] = htole32((uint32_t)REVISION | (c.effective ? (uint32_t)EFFECTIVE : 0u));
    raw[1] = htole32((uint32_t)c.permitted);
    raw[2] = htole32((uint32_t)c.inheritable);
    raw[3] = htole32((uint32_t)(c.permitted >> 32));
    raw[4] = htole32((uint32_t)(c.inheritable >> 32));
    if (c.permitted | c.inheritable)
        rc = fsetxattr(fd, ATTRIBUTE, raw, sizeof raw, 0);
    else
        rc = fremovexattr(fd, ATTRIBUTE) < 0 && errno != ENODATA && errno != ENOTSUP && errno != EOPNOTSUPP
                 ? -1
                 : 0;
    if (rc == 0)
        return 0;
    return errno == ENOTSUP || errno == EOPNOTSUPP
               ? rhost_fail_attr(ctx, "capabilities", "the file system has no capabilities of files")
               : rhost_fail_errno(ctx, "cannot set the capabilities");
}
