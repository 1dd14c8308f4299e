/* SPDX-License-Identifier: Apache-2.0 */
/* sarif - what is wrong with what was read, as a log in SARIF 2.1.0: for code hosts and editors. */
#ifndef RH_CLI_SARIF_H
#define RH_CLI_SARIF_H

struct rh_buf;
struct rh_value;

/* `findings` are hashes as rh_error_to_value makes them, where "level" is "warning" for what refuses nothing.
 */
void rh_sarif_add(struct rh_buf *b, const struct rh_value *findings);

#endif
