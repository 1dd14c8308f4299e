/* SPDX-License-Identifier: Apache-2.0 */
/* started - what a run has started itself: a notification does not restart it once more. */
#ifndef SERVICE_SYSTEMD_STARTED_H
#define SERVICE_SYSTEMD_STARTED_H

struct started; /* a list; NULL: it is empty */

/* Without memory nothing is noted, and the unit is restarted once more. */
void started_note(struct started **list, const char *name);
int started_has(const struct started *list, const char *name);
void started_forget(struct started **list);

#endif
