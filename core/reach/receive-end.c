/* SPDX-License-Identifier: Apache-2.0 */
/* receive-end - how the command ended, for the controller or for the record. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/value.h"
#include "reach/receive-parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST_KEPT = 200 << 10, LARGEST_RECORD = 600 << 10 };

/* What the command has written to this file; NULL: nothing, or more than is sent. `key` of `end` says how
 * much it is then. */
static char *
read_written(const struct rh_receiver *r, const char *name, struct rh_value *end, const char *key, size_t *n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int fd =
        name ? openat(r->site.dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    if (st.st_size > RH_WIRE_FILE_MOST) {
        rh_value_put(end, key, rh_value_integer(r->arena, st.st_size));
        return NULL;
    }
    return rh_read_descriptor(fd, name, RH_WIRE_FILE_MOST, n, &err);
}

static struct rh_value *
end_value(struct rh_receiver *r)
{
    struct rh_value *v = rh_value_new(r->arena, RH_HASH);
    int status = r->child.status;

    rh_value_put(v, "push", rh_value_string(r->arena, r->push));
    rh_value_put(v, "from", rh_value_string(r->arena, r->from));
    rh_value_put(v, "began", rh_value_integer(r->arena, r->began));
    rh_value_put(v, "ended", rh_value_integer(r->arena, time(NULL)));
    rh_value_put(
        v, "status",
        rh_value_integer(r->arena, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
    if (WIFSIGNALED(status))
        rh_value_put(v, "signal", rh_value_integer(r->arena, WTERMSIG(status)));
    return v;
}

void
rh_receive_end(struct rh_receiver *r)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *end = end_value(r);
    size_t n = 0, n_result = 0;
    rh_autofree char *report = read_written(r, r->report, end, "report_bytes", &n);
    rh_autofree char *result = read_written(r, r->result, end, "result_bytes", &n_result);

    if (!r->disconnected) {
        if (report)
            rh_wire_add(&r->out, RH_WIRE_REPORT, report, n);
        if (result)
            rh_wire_add(&r->out, RH_WIRE_RESULT, result, n_result);
        rh_wire_add_value(&r->out, RH_WIRE_EXIT, end);
    }
    rh_value_put(end, "lost", rh_value_boolean(r->arena, r->disconnected));
    rh_value_put(end, "stopping", rh_value_boolean(r->arena, r->stopping));
    rh_value_put(end, "detached", rh_value_boolean(r->arena, r->detach));
    if (report && n <= LARGEST_KEPT)
        rh_value_put(end, "report", rh_value_stringn(r->arena, report, n));
    if (rh_push_record_size(end) > LARGEST_RECORD) /* JSON of JSON can be several times as long */
        rh_value_drop(end, "report");
    /* On disk before anything is sent: it goes when the controller has it. */
    if (rh_push_record_keep(&r->record, end, &err) < 0)
        rh_log_error(RH_ERR, &err);
    r->step = RH_RECEIVE_END;
}
