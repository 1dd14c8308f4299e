/* SPDX-License-Identifier: Apache-2.0 */
/* capability - a process that keeps only some of its capabilities.
 *
 * Without its capabilities user 0 is still the owner of the system's files, and SECBIT_NOROOT keeps it from
 * getting capabilities back by executing a program. */
#include "config.h"

#include "sandbox/parts.h"

#include "base/error.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct sets {
    uint64_t effective, permitted, inheritable;
};

/* The C library has no wrapper of these two. */
static int
read_sets(struct sets *s)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[2] = { { 0 } };

    if (syscall(SYS_capget, &head, data) < 0)
        return -1;
    s->effective = data[0].effective | (uint64_t)data[1].effective << 32;
    s->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    s->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
    return 0;
}

static int
write_sets(const struct sets *s)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[2] = {
        { (uint32_t)s->effective, (uint32_t)s->permitted, (uint32_t)s->inheritable },
        { (uint32_t)(s->effective >> 32), (uint32_t)(s->permitted >> 32), (uint32_t)(s->inheritable >> 32) },
    };

    return (int)syscall(SYS_capset, &head, data);
}

bool
rh_capability_effective(int number)
{
    struct sets s;

    return read_sets(&s) == 0 && (s.effective >> number & 1);
}

/* No program that is executed later gets more than `kept`. */
static int
drop_bounding(uint64_t kept)
{
    for (int n = 0; n < 64; n++) {
        if ((kept >> n & 1) || prctl(PR_CAPBSET_DROP, n, 0, 0, 0) == 0)
            continue;
        if (errno == EINVAL)
            break; /* the kernel knows no more */
        return -1;
    }
    return 0;
}

/* What programs that it executes have: nothing, or what it has itself. */
static int
set_ambient(uint64_t kept)
{
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -1;
    for (int n = 0; n < 64; n++)
        if ((kept >> n & 1) && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, n, 0, 0) < 0)
            return -1;
    return 0;
}

int
rh_capabilities_reduce(const struct rh_confinement *c, struct rh_error *err)
{
    const uint64_t setpcap = UINT64_C(1) << CAP_SETPCAP;
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED
                               | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    struct sets s;
    uint64_t kept, inherited;
    bool may_set;

    if (read_sets(&s) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "capget");
    kept = s.permitted & c->capabilities;
    inherited = c->permissions & RH_PERMIT_EXECUTE ? kept : 0;
    may_set = s.effective & setpcap;
    if (may_set && drop_bounding(c->capabilities) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "PR_CAPBSET_DROP");
    s.permitted = s.effective = kept | (may_set ? setpcap : 0);
    s.inheritable = inherited;
    if (write_sets(&s) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "capset");
    if (set_ambient(inherited) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "PR_CAP_AMBIENT");
    if (may_set && prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "PR_SET_SECUREBITS");
    s.permitted = s.effective = kept;
    if (write_sets(&s) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "capset");
    return 0;
}
