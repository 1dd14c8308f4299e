/* SPDX-License-Identifier: Apache-2.0 */
/* builtin - the facts that are always there: one function each, called when it is read.
 *
 * NULL: nothing is known. docs/reference/facts.md says what each of them holds. */
#ifndef RH_FACTS_BUILTIN_H
#define RH_FACTS_BUILTIN_H

struct rh_probe;
struct rh_value;

/* os.c */
struct rh_value *rh_fact_os(const struct rh_probe *l);

/* system.c */
struct rh_value *rh_fact_apparmor(const struct rh_probe *l);
struct rh_value *rh_fact_architecture(const struct rh_probe *l);
struct rh_value *rh_fact_boot_time(const struct rh_probe *l);
struct rh_value *rh_fact_init(const struct rh_probe *l);
struct rh_value *rh_fact_kernel(const struct rh_probe *l);
struct rh_value *rh_fact_package_manager(const struct rh_probe *l);
struct rh_value *rh_fact_package_managers(const struct rh_probe *l);
struct rh_value *rh_fact_rhost(const struct rh_probe *l);
struct rh_value *rh_fact_selinux(const struct rh_probe *l);
struct rh_value *rh_fact_uptime(const struct rh_probe *l);

/* local.c */
struct rh_value *rh_fact_locale(const struct rh_probe *l);
struct rh_value *rh_fact_time(const struct rh_probe *l);
struct rh_value *rh_fact_timezone(const struct rh_probe *l);

/* names.c */
struct rh_value *rh_fact_domain(const struct rh_probe *l);
struct rh_value *rh_fact_fqdn(const struct rh_probe *l);
struct rh_value *rh_fact_hostname(const struct rh_probe *l);

/* accounts.c */
struct rh_value *rh_fact_identity(const struct rh_probe *l);
struct rh_value *rh_fact_users(const struct rh_probe *l);

/* hardware.c */
struct rh_value *rh_fact_disks(const struct rh_probe *l);
struct rh_value *rh_fact_dmi(const struct rh_probe *l);
struct rh_value *rh_fact_memory(const struct rh_probe *l);
struct rh_value *rh_fact_processors(const struct rh_probe *l);

/* mounts.c */
struct rh_value *rh_fact_mounts(const struct rh_probe *l);

/* network.c; see also facts/probe.h */
struct rh_value *rh_fact_network(const struct rh_probe *l);

/* virtualization.c */
struct rh_value *rh_fact_virtualization(const struct rh_probe *l);

#endif
