/* SPDX-License-Identifier: Apache-2.0 */
/* filter - system calls that a confined process can't make (seccomp).
 *
 * What is refused fails with EPERM, so that a plugin gets an error and not a signal; what a C library has
 * another way for, with ENOSYS. libseccomp makes the program. It takes a while, so programs are kept:
 * processes with the same permissions have the same one. */
#include "config.h"

#include "sandbox/filter.h"
#include "sandbox/parts.h"

#include "base/error.h"

#if HAVE_SECCOMP

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_COMMON = 424, FASTOPEN = 0x20000000, TYPE_BITS = 4, FAMILY_BITS = 6, PROTOCOL_BITS = 5 };

/* What a program depends on. */
struct key {
    unsigned permissions, newest;
    bool ports;
};

static struct program {
    struct key key;
    struct sock_filter *code;
    unsigned short n;
} kept[8];
static size_t n_kept;

/* A filter being made; `failed` is the first error of libseccomp, as an errno. */
struct maker {
    scmp_filter_ctx filter;
    struct key key;
    int failed;
};

bool
rh_filter_possible(void)
{
    /* EFAULT: filters are there, and nothing was installed. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) < 0 && errno == EFAULT;
}

/* The number of a call of this architecture, or __NR_SCMP_ERROR. Calls that came later than this libseccomp
 * are known by number: all architectures count in step from 424 on. */
static int
call_number(const char *name, unsigned newer)
{
    if (newer)
        return seccomp_syscall_resolve_name("pidfd_send_signal") + (int)newer - FIRST_COMMON;
    return seccomp_syscall_resolve_name(name);
}

static void
refuse(struct maker *m, int number, const struct scmp_arg_cmp *where, unsigned n, int why)
{
    int done;

    if (number == __NR_SCMP_ERROR || m->failed)
        return;
    done = seccomp_rule_add_array(m->filter, SCMP_ACT_ERRNO((uint32_t)why), number, n, where);
    /* A negative number is a call that this architecture does not have, or has as part of another one. */
    if (done < 0 && number >= 0 && done != -EEXIST)
        m->failed = -done;
}

static void
refuse_name(struct maker *m, const char *name, const struct scmp_arg_cmp *where, unsigned n)
{
    refuse(m, seccomp_syscall_resolve_name(name), where, n, EPERM);
}

/* Refuses a call unless the low `bits` of an argument are one of `allowed`. `also` is NULL or a condition
 * under which this holds. Conditions can only be joined by "and", and an argument can be looked at once: so
 * what is not allowed is cut into ranges, each half of the one before. */
struct choice {
    int number;
    unsigned argument, bits, n_allowed;
    const unsigned *allowed;
    const struct scmp_arg_cmp *also;
};

static void
refuse_range(struct maker *m, const struct choice *c, unsigned start, unsigned width)
{
    unsigned mask = ((1U << c->bits) - 1) & ~((1U << width) - 1);
    struct scmp_arg_cmp where[2] = { SCMP_CMP64(c->argument, SCMP_CMP_MASKED_EQ, mask, start) };
    bool some = false;

    for (unsigned i = 0; i < c->n_allowed; i++)
        some = some || (c->allowed[i] & mask) == start;
    if (some && width == 0)
        return;
    if (some) {
        refuse_range(m, c, start, width - 1);
        refuse_range(m, c, start | 1U << (width - 1), width - 1);
        return;
    }
    if (c->also)
        where[1] = *c->also;
    if (!mask && !c->also)
        refuse(m, c->number, NULL, 0, EPERM);
    else if (!mask)
        refuse(m, c->number, c->also, 1, EPERM);
    else
        refuse(m, c->number, where, c->also ? 2 : 1, EPERM);
}

/* `whole`: the value has no other bits. */
static void
refuse_but(struct maker *m, const struct choice *c, bool whole)
{
    struct scmp_arg_cmp where[2] = { SCMP_CMP64(c->argument, SCMP_CMP_GT, (1U << c->bits) - 1, 0) };

    if (c->also)
        where[1] = *c->also;
    if (whole && c->n_allowed)
        refuse(m, c->number, where, c->also ? 2 : 1, EPERM);
    refuse_range(m, c, 0, c->bits);
}

/* TCP to some ports, or UDP: no other protocol, since Landlock's rules are for TCP alone. */
static void
refuse_protocols(struct maker *m, int number, int family)
{
    struct scmp_arg_cmp also = SCMP_CMP64(0, SCMP_CMP_MASKED_EQ, 0xffffffff, (unsigned)family);
    unsigned types[2], protocols[3] = { 0 }, n = 0;

    if (m->key.ports) {
        types[n++] = SOCK_STREAM;
        protocols[n] = IPPROTO_TCP;
    }
    if (m->key.permissions & RH_PERMIT_UDP) {
        types[n++] = SOCK_DGRAM;
        protocols[n] = IPPROTO_UDP;
    }
    refuse_but(m, &(struct choice){ number, 1, TYPE_BITS, n, types, &also }, false);
    refuse_but(m, &(struct choice){ number, 2, PROTOCOL_BITS, n + 1, protocols, &also }, true);
}

static void
refuse_sockets(struct maker *m)
{
    const unsigned p = m->key.permissions, local = AF_UNIX;
    bool inet = m->key.ports || (p & (RH_PERMIT_NETWORK | RH_PERMIT_UDP));
    unsigned families[5], n = 0, connected[] = { SOCK_STREAM, SOCK_SEQPACKET };
    int number = seccomp_syscall_resolve_name("socket"), pair = seccomp_syscall_resolve_name("socketpair");

    if (p & RH_PERMIT_UNIX)
        families[n++] = AF_UNIX;
    if (inet) {
        families[n++] = AF_INET;
        families[n++] = AF_INET6;
    }
    if (p & RH_PERMIT_NETLINK)
        families[n++] = AF_NETLINK;
    if (p & RH_PERMIT_PACKET)
        families[n++] = AF_PACKET;
    refuse_but(m, &(struct choice){ number, 0, FAMILY_BITS, n, families, NULL }, true);
    /* Where sockets are made through one call with the arguments in memory: none, or all. */
    if (!n)
        refuse_name(m, "socketcall", &SCMP_CMP64(0, SCMP_CMP_MASKED_EQ, 0xffffffff, 1), 1);
    if (inet && !(p & RH_PERMIT_NETWORK)) {
        /* MSG_FASTOPEN connects without connect(2). */
        refuse_name(m, "sendto", &SCMP_CMP64(3, SCMP_CMP_MASKED_EQ, FASTOPEN, FASTOPEN), 1);
        refuse_name(m, "sendmsg", &SCMP_CMP64(2, SCMP_CMP_MASKED_EQ, FASTOPEN, FASTOPEN), 1);
        refuse_name(m, "sendmmsg", &SCMP_CMP64(3, SCMP_CMP_MASKED_EQ, FASTOPEN, FASTOPEN), 1);
        refuse_protocols(m, number, AF_INET);
        refuse_protocols(m, number, AF_INET6);
    }
    /* A pair that is not connected for good could be connected to another socket. */
    refuse_but(m, &(struct choice){ pair, 0, FAMILY_BITS, 1, &local, NULL }, true);
    if (!(p & RH_PERMIT_UNIX))
        refuse_but(m, &(struct choice){ pair, 1, TYPE_BITS, 2, connected, NULL }, false);
}

static void
refuse_all(struct maker *m)
{
    for (size_t i = 0; i < rh_n_refused_calls; i++) {
        const struct rh_refused_call *call = &rh_refused_calls[i];

        if (!(m->key.permissions & call->permissions))
            refuse(m, call_number(call->name, call->newer), NULL, 0, EPERM);
    }
    for (size_t i = 0; i < rh_n_refused_values; i++) {
        const struct rh_refused_value *v = &rh_refused_values[i];
        struct scmp_arg_cmp where[2];
        unsigned n = 0;

        if (m->key.permissions & v->permissions)
            continue;
        for (; n < 2 && v->where[n].compare != RH_NO_MORE; n++)
            where[n] = v->where[n].compare == RH_IS
                           ? SCMP_CMP64(v->where[n].argument, SCMP_CMP_MASKED_EQ, v->where[n].mask,
                                        v->where[n].value)
                           : SCMP_CMP64(v->where[n].argument, SCMP_CMP_NE, v->where[n].value, 0);
        refuse(m, call_number(v->name, v->newer), where, n, EPERM);
    }
    refuse_sockets(m);
    refuse(m, call_number("clone3", 435), NULL, 0, ENOSYS);
    if (!(m->key.permissions & RH_PERMIT_SETID))
        refuse(m, call_number("openat2", 437), NULL, 0, ENOSYS);
}

/* What libseccomp has made, with calls that are too new refused in front of it. */
static int
take_program(scmp_filter_ctx filter, unsigned newest, struct program *p)
{
    unsigned base = (unsigned)call_number(NULL, FIRST_COMMON) - FIRST_COMMON;
    struct sock_filter head[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, base + newest, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, base + 0xfff, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    enum { HEAD = sizeof head / sizeof *head };
    rh_autoclose int fd = memfd_create("filter", MFD_CLOEXEC);
    int done = fd < 0 ? -errno : seccomp_export_bpf(filter, fd);
    off_t size = done < 0 ? 0 : lseek(fd, 0, SEEK_END);
    size_t n = newest ? HEAD : 0, all = n + (size_t)size / sizeof *head;

    if (done < 0 || size <= 0 || all > BPF_MAXINSNS)
        return done < 0 ? -done : EINVAL;
    p->code = rh_xalloc(all * sizeof *p->code);
    memcpy(p->code, head, n * sizeof *head);
    if (pread(fd, p->code + n, (size_t)size, 0) != size)
        return EIO;
    p->n = (unsigned short)all;
    return 0;
}

/* Has `add` refuse what it wants, and gives the program. */
static int
make_program(struct key key, void (*add)(struct maker *), struct program *p, struct rh_error *err)
{
    struct maker m = { .filter = seccomp_init(SCMP_ACT_ALLOW), .key = key };

    *p = (struct program){ .key = key };
    if (!m.filter)
        return rh_error_set(err, RH_ESYSTEM, "cannot make a filter of system calls: %s", "seccomp_init");
    /* Calls of other architectures fail: their numbers mean other calls. */
    if (seccomp_attr_set(m.filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) < 0)
        m.failed = EINVAL;
    rh_discard(seccomp_attr_set(m.filter, SCMP_FLTATR_CTL_OPTIMIZE, 2)); /* a tree; older ones have a list */
    add(&m);
    if (!m.failed)
        m.failed = take_program(m.filter, key.newest, p);
    seccomp_release(m.filter);
    if (m.failed) {
        free(p->code);
        p->code = NULL;
        return rh_error_system(err, m.failed, "cannot make a filter of system calls: %s", "libseccomp");
    }
    return 0;
}

static const struct program *
program_for(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    struct key key = { .permissions = c->permissions, .newest = m->newest_call, .ports = c->n_ports > 0 };
    size_t at = n_kept % (sizeof kept / sizeof *kept);

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i].code && kept[i].key.permissions == key.permissions && kept[i].key.newest == key.newest
            && kept[i].key.ports == key.ports)
            return &kept[i];
    free(kept[at].code);
    kept[at].code = NULL;
    if (make_program(key, refuse_all, &kept[at], err) < 0)
        return NULL;
    n_kept++;
    return &kept[at];
}

/* Signals to other processes, where Landlock does not keep them from it. A child of the process that is
 * confined can't send signals to itself either. */
static void
refuse_signals(struct maker *m)
{
    const unsigned self = (unsigned)getpid();
    const char *const by_process[] = { "kill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "tgkill", "tkill" };

    for (size_t i = 0; i < sizeof by_process / sizeof *by_process; i++)
        refuse_name(m, by_process[i], &SCMP_CMP64(0, SCMP_CMP_NE, self, 0), 1);
    refuse(m, call_number("pidfd_send_signal", FIRST_COMMON), NULL, 0, EPERM);
    /* A descriptor can send any signal to whom it is given to. */
    refuse_name(m, "fcntl", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN), 1);
    refuse_name(m, "fcntl", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN_EX), 1);
    refuse_name(m, "fcntl64", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN), 1);
    refuse_name(m, "fcntl64", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN_EX), 1);
    refuse_name(m, "ioctl", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, FIOSETOWN), 1);
    refuse_name(m, "ioctl", &SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xffffffff, SIOCSPGRP), 1);
}

static int
install(const struct program *p, struct rh_error *err)
{
    struct sock_fprog program = { .len = p->n, .filter = p->code };

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "PR_SET_SECCOMP");
    return 0;
}

int
rh_filter_prepare(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    return !m->seccomp || program_for(c, m, err) ? 0 : -1;
}

int
rh_filter_export(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_buf *to,
                 struct rh_error *err)
{
    const struct program *p = m->seccomp ? program_for(c, m, err) : NULL;

    if (p)
        rh_buf_addn(to, p->code, p->n * sizeof *p->code);
    return p || !m->seccomp ? 0 : -1;
}

/* That which the plan was given, copied for its alignment, or one that is made now. */
static const struct program *
program_of(const struct rh_confinement *c, const struct rh_mechanisms *m, struct program *given,
           struct rh_error *err)
{
    if (!c->filter)
        return program_for(c, m, err);
    given->code = rh_xalloc(c->n_filter);
    memcpy(given->code, c->filter, c->n_filter);
    given->n = (unsigned short)(c->n_filter / sizeof *given->code);
    return given;
}

int
rh_filter_apply(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    struct program given = { 0 };
    const struct program *p = m->seccomp ? program_of(c, m, &given, err) : NULL;
    rh_autofree __attribute__((unused)) struct sock_filter *code = given.code;

    if (!m->seccomp)
        return 0;
    if (!p)
        return -1;
    if (m->landlock < 6 && !(c->permissions & RH_PERMIT_SIGNAL)) {
        struct program signals;
        int done;

        if (make_program((struct key){ 0 }, refuse_signals, &signals, err) < 0)
            return -1;
        done = install(&signals, err);
        free(signals.code);
        if (done < 0)
            return -1;
    }
    return install(p, err);
}

#else

bool
rh_filter_possible(void)
{
    return false;
}

int
rh_filter_prepare(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    (void)c, (void)m, (void)err;
    return 0;
}

int
rh_filter_export(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_buf *to,
                 struct rh_error *err)
{
    (void)c, (void)m, (void)to, (void)err;
    return 0;
}

int
rh_filter_apply(const struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    (void)c, (void)m, (void)err;
    return 0;
}

#endif
