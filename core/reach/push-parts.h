/* SPDX-License-Identifier: Apache-2.0 */
/* push-parts - what the files behind push.h share. */
#ifndef RH_REACH_PUSH_PARTS_H
#define RH_REACH_PUSH_PARTS_H

#include "base/child.h"
#include "reach/push.h"
#include "reach/wire.h"

#include <poll.h>

struct rh_arena;
struct rh_value;

enum {
    RH_PUSH_NONCE = 24,
    RH_PUSH_SHOWN = 8192,
    RH_PUSH_PING = 15,     /* seconds between signs of life to a target */
    RH_HOST_PATIENCE = 60, /* seconds that a target has for the next byte; beyond the time to connect */
};

enum rh_host_step {
    RH_HOST_WAITING,
    RH_HOST_BECOME, /* until the command runs as another user */
    RH_HOST_KIT,    /* until the target has the kit */
    RH_HOST_HELLO,  /* until the receiver says hello */
    RH_HOST_SEND,
    RH_HOST_RUN,
    RH_HOST_DONE,
};

/* What a run came to, as its end says. A target can send anything: only these numbers are kept. */
enum rh_host_count {
    RH_COUNT_TOTAL,
    RH_COUNT_UNCHANGED,
    RH_COUNT_CHANGED,
    RH_COUNT_REFRESHED,
    RH_COUNT_FAILED,
    RH_COUNT_SKIPPED,
    RH_COUNT_WOULD_CHANGE,
    RH_COUNT_WOULD_REFRESH,
    RH_COUNT_UNKNOWN,
    RH_COUNT_EXCLUDED,
    RH_HOST_COUNTS
};

struct rh_host_counts {
    bool known; /* the run has ended */
    struct {
        bool reported;
        int64_t n;
    } each[RH_HOST_COUNTS];
};

/* A plan of a target that is applied. */
struct rh_push_plan {
    const char *place;           /* the directory of the target that it was made in: the site goes there */
    struct rh_value *attributes; /* names of the files of attributes that it was made with */
    struct rh_buf text;
};

/* One target and all that goes on with it. */
struct rh_host {
    struct rh_push_target *target;
    const struct rh_push_options *options;
    struct rh_arena *arena;
    enum rh_host_step step;
    enum rh_push_outcome outcome;
    char *message; /* why; NULL: nothing to say */
    char *hint;
    char nonce[RH_PUSH_NONCE + 1];
    enum rh_become become;
    bool password_sent, retried, stopped;
    struct rh_child child;
    double began, ended, pinged;
    double deadline; /* for the next thing that has to come or go: see rh_host_work() */
    double gone;     /* since when its program has ended, and nothing came any more; 0: it runs */
    double closed;   /* since when its output is closed; 0: it is open */

    const char *socket; /* how the name of that of its shared connection begins; NULL: it shares none */
    double share_until; /* until when a connection that is there has to answer; 0: there was none */
    bool heard;         /* anything, of this connection */

    struct rh_buf lines;  /* of standard output before the hello: a line that is not complete */
    struct rh_buf noise;  /* the last line of it */
    struct rh_buf errors; /* of the connector, cut at the front */
    struct rh_wire in;
    struct rh_buf head;             /* frames of this target alone, before those of the site */
    struct rh_buf tail;             /* and after them */
    size_t sent;                    /* of head, site and tail together */
    size_t site_end;                /* what of it the target has to take before it can run anything */
    const char *rhost;              /* the program there; NULL: none is known */
    const struct rh_value *program; /* the same, for the request; NULL: as it knows itself */

    struct rh_buf kit_text; /* the script that starts a kit, and the offer of one */
    size_t kit_sent;
    const struct rh_kit *kit; /* that it needs; NULL: none */
    uint64_t kit_at;          /* bytes of it that were sent */

    /* What it has said. */
    char *name;             /* of the host, from its hello; NULL: it has said none */
    struct rh_buf out, err; /* lines that are not complete */
    struct rh_buf progress;
    struct rh_buf report;
    bool earlier_unsaved,
        kept;                 /* a report of an earlier push could not be kept; this one's was tried to be */
    bool report_cut;          /* it was too large, and is left out */
    struct rh_push_plan plan; /* that is applied */
    bool planned;             /* its plan is kept */
    struct rh_buf result;     /* another file that the command has written: its plan */
    struct rh_buf output;     /* all that the command printed, for JSON */
    struct rh_buf last_error; /* the last error that it printed */
    size_t done, total;
    char *at; /* the resource that it is at */
    struct rh_host_counts counts;
    char *run;
    int status; /* of the command; -1: not known */
};

/* host-state.c */
void rh_host_init(struct rh_host *h, struct rh_push_target *t, const struct rh_push_options *options,
                  struct rh_arena *a);
void rh_host_clear(struct rh_host *h);

/* Frees what only a host that is at work needs: of many targets, it would be most of the memory. */
void rh_host_forget(struct rh_host *h);
bool rh_host_is_active(const struct rh_host *h);

/* It is over; the first outcome stays. */
void rh_host_end(struct rh_host *h, enum rh_push_outcome outcome, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* After a write to it: so many bytes were taken, which renews its time; -1: it takes none any more, and has a
 * short time to say why. */
void rh_host_moved(struct rh_host *h, ssize_t n);

/* The name of a number in JSON. */
const char *rh_host_count_name(enum rh_host_count count);

/* host.c: connect, become another user, find the receiver, send, listen. */
void rh_host_start(struct rh_host *h);

/* What it waits for: three descriptors. */
void rh_host_poll(const struct rh_host *h, struct pollfd fds[3]);

/* Does what can be done now. */
void rh_host_work(struct rh_host *h, const struct pollfd fds[3]);

/* Whether its receiver listens, and no frame to it is under way. */
bool rh_host_is_idle(const struct rh_host *h);

/* Asks the command to end; one that has not begun does not. */
void rh_host_stop(struct rh_host *h);

/* host-talk.c: frames of the receiver. */

/* Makes the frames that go before and after those of the site. */
void rh_host_prepare(struct rh_host *h);
RH_CHECKED int rh_host_frame(struct rh_host *h, enum rh_wire_kind kind, const char *content, size_t n,
                             struct rh_error *err);

/* Takes the counts that the end of a run has; what is no number is left out. */
void rh_host_take_counts(struct rh_host *h, const struct rh_value *counts);

/* host-attributes.c: the attributes of groups and of the target, as files that have each value at the line
 * and column of the file of targets. */

/* Adds the frames of the files to `frames`, and an option for each to `options`. Returns how many bytes they
 * have. */
size_t rh_host_add_attributes(const struct rh_host *h, struct rh_buf *frames, struct rh_value *options);

/* host-plan.c: a plan of this target is made, or applied. */
bool rh_host_makes_plan(const struct rh_host *h);

/* Reads the plan that is to be applied. -1: the host has ended with the reason. */
RH_CHECKED int rh_host_plan_begin(struct rh_host *h);

/* Adds what the plan needs to the request, to its command and to the frames, and the options of `attributes`
 * where the plan does not have them. -1: the host has ended with the reason. */
RH_CHECKED int rh_host_plan_prepare(struct rh_host *h, struct rh_value *request, struct rh_value *command,
                                    const struct rh_value *attributes, struct rh_buf *frames);

/* Keeps the plan that the target has sent. -1 with an error. */
RH_CHECKED int rh_host_plan_keep(struct rh_host *h, struct rh_error *err);

/* host-kit.c: a target without rhost gets a kit, unless it has it. */
RH_CHECKED int rh_host_kit_begin(struct rh_host *h, struct rh_error *err);
bool rh_host_kit_sends(const struct rh_host *h);
void rh_host_kit_send(struct rh_host *h);
void rh_host_kit_line(struct rh_host *h, const char *line,
                      size_t n); /* of its answers, without the newline */

/* connect.c */

/* The arguments of the program that connects to the target and runs `words` there; the arena's. NULL with an
 * error. */
RH_CHECKED char **rh_connect_argv(struct rh_arena *a, const struct rh_host *h, const char *const *words,
                                  struct rh_error *err);

/* ssh-share.c: connections of ssh that are kept for the next push. */

/* Decides whether the connection that begins now is a shared one. */
void rh_ssh_share_begin(struct rh_host *h);

/* Whether what ssh printed is about a shared connection. */
bool rh_ssh_share_is_broken(const struct rh_host *h);

/* Whether a shared connection that was there does not answer. */
bool rh_ssh_share_hangs(const struct rh_host *h);

/* Removes the socket of this connection: the next push opens a new one. */
void rh_ssh_share_drop(const struct rh_host *h);

/* host-failure.c: why a connection ended before its receiver said hello. Ends the host with that. */
void rh_host_explain(struct rh_host *h);

/* push-output.c: what is printed while targets are at work, in the order in which it comes. It waits in
 * memory where a pager or a terminal takes nothing. */
void rh_push_output_add(int fd, const char *text, size_t n);

/* Writes what is taken at once; with `all`, all of it, however long that takes. */
void rh_push_output_flush(bool all);

/* The descriptor that something waits for; -1: nothing waits. */
int rh_push_output_waits_for(void);

/* Whether so much waits that targets are not listened to. */
bool rh_push_output_is_full(void);

/* push-pause.c: Ctrl-Z. From open to close SIGTSTP is noted; rh_push_pause() then stops this process, while
 * another one gives the targets signs of life. */
void rh_push_pause_open(void);
void rh_push_pause_close(void);
void rh_push_pause(const struct rh_host *hosts, size_t n);

/* push-show.c: lines for people. */
void rh_push_show_output(struct rh_host *h, struct rh_buf *partial, const char *text, size_t n, bool error);
void rh_push_show_line(const struct rh_host *h, const char *text, bool error);
void rh_push_show_live(struct rh_host *hosts, size_t n);
void rh_push_show_summary(const struct rh_host *hosts, size_t n, const struct rh_push_result *result,
                          const struct rh_push_options *o, double seconds);

/* plans.c */

/* The name of the file with the plan of this target; the caller's. */
char *rh_plans_name(const char *target);

/* Keeps the plan that a target has sent, for its owner only. -1 with an error when it is none. */
RH_CHECKED int rh_plans_keep(const struct rh_plans *p, const char *target, const struct rh_buf *text,
                             struct rh_error *err);

/* Reads the plan of a target. */
RH_CHECKED int rh_plans_load(const struct rh_plans *p, const char *target, struct rh_arena *a,
                             struct rh_push_plan *to, struct rh_error *err);

/* push-name.c */

/* Adds a text as a part of a file name: what is no letter, digit, '.', '-' or '_' becomes '_', and what is
 * too long is cut. Then a digest of the text follows, so that no two of them get the same name. */
void rh_push_add_file_name(struct rh_buf *b, const char *text);

/* push-prune.c: the id of the newest push that is kept, the caller's; NULL: there is none. */
char *rh_push_newest(const char *state_dir);

/* push-report.c */

/* Keeps the report of a host that has ended, the first time only, and frees it unless --format=json prints
 * it. -1 after a warning when it cannot be kept. */
RH_CHECKED int rh_push_keep_report(struct rh_host *h);

/* Keeps what a target tells of an earlier push. -1 after a warning. */
RH_CHECKED int rh_push_keep_earlier(const struct rh_host *h, const struct rh_value *earlier);
void rh_push_print_json(struct rh_host *hosts, size_t n, const struct rh_push_result *result,
                        const struct rh_push_options *o, double seconds);

#endif
