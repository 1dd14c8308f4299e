/* SPDX-License-Identifier: Apache-2.0 */
/* virtualization - which hypervisor is below the machine, and which container around it. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/value.h"
#include "facts/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#define NONE "none"

/* The hypervisor. */

struct sign {
    const char *text, *kind;
};

/* What a processor of a virtual machine answers, when it is asked who runs it. */
static const struct sign signatures[] = {
    { "ACRNACRNACRN", "acrn" }, { "KVMKVMKVM", "kvm" },           { "LinuxKVMHv", "kvm" },
    { "Linux KVM Hv", "kvm" },  { "Microsoft Hv", "hyperv" },     { "QNXQVMBSQG", "qnx" },
    { "TCGTCGTCGTCG", "qemu" }, { "VBoxVBoxVBox", "virtualbox" }, { "VMwareVMware", "vmware" },
    { "XenVMMXenVMM", "xen" },  { "bhyve bhyve ", "bhyve" },      { " lrpepyh vr", "parallels" },
};

/* How firmware names begin. Those of real machines are in none of these. */
static const struct sign firmware[] = {
    { "KVM", "kvm" },
    { "OpenStack", "kvm" },
    { "KubeVirt", "kvm" },
    { "VMware", "vmware" },
    { "VMW", "vmware" },
    { "innotek GmbH", "virtualbox" },
    { "VirtualBox", "virtualbox" },
    { "Oracle Corporation VirtualBox", "virtualbox" },
    { "Xen", "xen" },
    { "Parallels", "parallels" },
    { "BHYVE", "bhyve" },
    { "Hyper-V", "hyperv" },
    { "Apple Virtualization", "apple" },
    { "Google Compute Engine", "kvm" },
    { "QEMU", "qemu" },
    { "Bochs", "bochs" },
};

static const char *
by_processor(const struct rh_probe *l)
{
#if defined __x86_64__ || defined __i386__
    unsigned eax, ebx, ecx, edx;
    char signature[13] = "";

    if (!l->live || !__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & 0x80000000U))
        return NULL;
    __cpuid(0x40000000U, eax, ebx, ecx, edx);
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (strcmp(signature, signatures[i].text) == 0)
            return signatures[i].kind;
#else
    (void)l;
    (void)signatures;
#endif
    return NULL;
}

static const char *
by_firmware(const struct rh_probe *l)
{
    static const char *const files[] = { "product_name", "sys_vendor", "board_vendor", "bios_vendor" };
    const char *vendor = rh_probe_line(l, "/sys/class/dmi/id/sys_vendor");

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *text = rh_probe_line(l, "/sys/class/dmi/id/%s", files[i]);

        for (size_t k = 0; text && k < sizeof firmware / sizeof firmware[0]; k++)
            if (strncmp(text, firmware[k].text, strlen(firmware[k].text)) == 0)
                return firmware[k].kind;
    }
    if (vendor && strcmp(vendor, "Microsoft Corporation") == 0) {
        const char *product = rh_probe_line(l, "/sys/class/dmi/id/product_name");

        return product && strcmp(product, "Virtual Machine") == 0 ? "hyperv" : NULL;
    }
    return NULL;
}

/* Whether the processors say that there is a hypervisor, and whether that is Linux's own tricks. */
static const char *
by_cpuinfo(const struct rh_probe *l)
{
    char *text = rh_probe_text(l, "/proc/cpuinfo"), *line;
    const char *found = NULL;

    while (!found && (line = rh_probe_next(&text))) {
        char *value = rh_probe_value(line, ':'), *word;

        if (value && strcmp(line, "vendor_id") == 0 && strcmp(value, "User Mode Linux") == 0)
            found = "uml";
        if (value && strcmp(line, "flags") == 0) {
            while (!found && (word = rh_probe_word(&value)))
                if (strcmp(word, "hypervisor") == 0)
                    found = "other";
            break;
        }
    }
    return found;
}

static const char *
hypervisor(const struct rh_probe *l)
{
    const char *from_cpuinfo = by_cpuinfo(l), *kind = by_firmware(l), *type;

    if (from_cpuinfo && strcmp(from_cpuinfo, "uml") == 0)
        return from_cpuinfo;
    type = rh_probe_line(l, "/sys/hypervisor/type");
    if (type && strcmp(type, "xen") == 0)
        return "xen";
    type = by_processor(l);
    /* VirtualBox may run on what calls itself KVM; QEMU is but the shell around KVM. */
    if (kind && strcmp(kind, "qemu") != 0)
        return kind;
    if (type)
        return type;
    if (kind)
        return kind;
    type = rh_probe_line(l, "/sys/class/dmi/id/sys_vendor");
    if (from_cpuinfo && type && strcmp(type, "Amazon EC2") == 0) /* which has real machines as well */
        return "kvm";
    return from_cpuinfo;
}

/* The container. */

/* A name that a manager of containers gave itself. */
static const char *
as_kind(const struct rh_probe *l, const char *text)
{
    size_t n = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") : 0;

    return n && n < 40 ? rh_arena_strndup(l->arena, text, n) : NULL;
}

/* "container=lxc" among PID 1's variables, each of which ends with a NUL; only root may read it. */
static const char *
by_environment(const struct rh_probe *l)
{
    static const char name[] = "container=";
    char *all = rh_probe_blocks(l, "/proc/1/environ"), *at;

    for (at = all; at && *at; at += strlen(at) + 1)
        if (strncmp(at, name, sizeof name - 1) == 0)
            return as_kind(l, at + sizeof name - 1);
    return NULL;
}

static const char *
by_cgroup(const struct rh_probe *l)
{
    static const struct sign parts[] = {
        { "/docker", "docker" }, { "/kubepods", "kubernetes" },         { "/libpod", "podman" },
        { "/lxc", "lxc" },       { "/machine.slice/libpod", "podman" },
    };
    const char *text = rh_probe_text(l, "/proc/1/cgroup");

    for (size_t i = 0; text && i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(text, parts[i].text))
            return parts[i].kind;
    return NULL;
}

static const char *
container(const struct rh_probe *l)
{
    const char *kind = as_kind(l, rh_probe_line(l, "/run/systemd/container"));
    const char *release = rh_probe_line(l, "/proc/sys/kernel/osrelease");

    if (!kind)
        kind = by_environment(l);
    if (kind && strcmp(kind, "oci") != 0)
        return kind;
    if (rh_probe_exists(l, "/run/.containerenv"))
        return "podman";
    if (rh_probe_exists(l, "/.dockerenv"))
        return "docker";
    if (kind)
        return kind;
    if (rh_probe_exists(l, "/proc/vz") && !rh_probe_exists(l, "/proc/bc"))
        return "openvz";
    if (release && (strstr(release, "Microsoft") || strstr(release, "WSL")))
        return "wsl";
    return by_cgroup(l);
}

struct rh_value *
rh_fact_virtualization(const struct rh_probe *l)
{
    struct rh_value *v = rh_value_new(l->arena, RH_HASH);
    const char *kind = hypervisor(l), *around = container(l);
    int image = rh_probe_image(l);

    rh_probe_put(l, v, "kind", kind ? kind : NONE);
    rh_probe_put(l, v, "container", around ? around : NONE);
    rh_probe_put_boolean(l, v, "virtual", kind || around);
    if (image >= 0)
        rh_probe_put_boolean(l, v, "chroot", image);
    return v;
}
