/* SPDX-License-Identifier: MIT */
/* What the session_*.c files share. */
#ifndef RTOP_TUI_SESSION_IMPL_H
#define RTOP_TUI_SESSION_IMPL_H

#include "family.h"
#include "launch_words.h"
#include "session.h"
#include "shm/base/error.h"

enum {
  SESSION_SOON_MS = 10,      /* ms between searches for the channel of a command that starts */
  SESSION_LOOK_MS = 100,     /* ms between scans that read all of /proc, and between checks for an exec */
  SESSION_GRACE_MS = 3000,   /* ms in which a living process without a channel may make another one */
  SESSION_LEAVE_MS = 1000,   /* ms after the end of a process by which all its data, and how it ended, have been read */
  SESSION_FORK_MS = 2000,    /* ms after a command's end in which its descendants may still move to the background */
  SESSION_LOOKS_MS = 300,    /* so long it is looked for */
  SESSION_DAEMON_MS = 10000, /* nor have a channel */
  SESSION_SPARE = 100,       /* searches for processes may use at most 1 / SESSION_SPARE of this program's time */
  SESSION_DESCENDANTS_MAX = 256,
  SESSION_PULSE_MS = 1000,
  SESSION_CORES_MS = 250, /* ms between readings of the reasons for missing cores */
  SESSION_CORES_MAX = 32, /* with more processes than this, reasons for missing cores are not read */
  SESSION_PAST = 1024,
  SESSION_WORDS_BYTES = sizeof((struct rtop_error *)NULL)->text,
};

struct session_trace {
  char name[RTOP_SESSION_TRACE_BYTES + 1];
  uint32_t id;      /* 1, 2, … */
  uint32_t seconds; /* 0: as long as we are here */
  bool forced;      /* trace also where YJIT compiles and code stays slower */
};

struct session_feed {
  struct rtop_feed *feed;
  int host;                                 /* 1, 2, …; 0: of none */
  uint32_t traces[RTOP_SESSION_TRACES_MAX]; /* by its slots: whose it is; 0: nobody's */
  enum rtop_feed_state state;
  pid_t parent;         /* parent of a descendant of a requested process; 0: the process was requested itself */
  uint64_t start_ticks; /* of the process; 0: not known */
  uint32_t process;     /* rtop_process_of() */
  uint64_t opened;      /* 1, 2, … */
  uint64_t told;        /* hash of the process's name as last written to the recorder */
  bool was_live;
  bool reaped;           /* it was our child when it ended: */
  int status;            /* as wait(2) has it */
  bool replaced;         /* another feed continues this process after exec */
  int64_t over_since_ms; /* 0: it is not */
};

/* A process that was watched; its pid may be reused. */
struct session_past {
  pid_t pid;
  int host;
  uint64_t start_ticks; /* 0: not known */
  uint32_t nth;
};

/* Time when to check a family member for a channel again, and number of failed checks. */
struct session_try {
  pid_t pid;
  uint64_t start_ticks;
  int64_t next_ms;
  unsigned count;
};

struct rtop_session {
  struct rtop_profile *profile;
  struct session_feed feeds[RTOP_SESSION_FEEDS_MAX];
  int count;
  uint64_t opened; /* so many feeds, ever */
  struct session_past past[SESSION_PAST];
  uint32_t rate_hz;
  struct session_trace traces[RTOP_SESSION_TRACES_MAX];
  int trace_count;
  uint32_t trace_id;
  uint32_t slower_us;                    /* threshold above which calls are reported one by one (us); 0: none */
  char (*left_out)[SESSION_WORDS_BYTES]; /* reasons why requested processes are not watched */
  int left_out_count;
  bool needs_rights; /* as in the wish */
  bool skips_past;   /* only new windows of living processes are read, and */
  int64_t but_ns;    /* this much of the history that their rings hold (ns) */
  bool by_seconds, always_by_seconds;
  struct rtop_recorder *recorder; /* NULL: nothing is recorded */
  struct rtop_feed *stream;       /* the first feed if it is a stream, else NULL */
  struct session_hosts *hosts;    /* NULL: none are watched */
  int64_t next_pulse_ms, next_cores_ms;
  struct rtop_launch *launch;
  int64_t started_mono_ns; /* of the session, and of the command */
  int64_t next_look_ms;
  bool follows; /* what they make, too */
  struct rtop_family family;
  struct session_try *tries; /* in the order of the family */
  size_t try_count, try_capacity;
  int64_t next_family_ms, thorough_family_ms;
  const char *const *names; /* patterns for processes to watch; new processes may match them after others ended */
  int name_count;
  bool finds_again; /* what was chosen, when it was restarted: */
  char again[256];  /* how it calls itself, "": not known yet */
  uid_t again_owner;
  int64_t next_names_ms;
  int without_place; /* number of matching processes beyond the limit at the last search */
  bool crowded;      /* there were more than can be watched */
  bool recording_full;
  bool command_over;  /* and its last windows were read */
  int64_t ended_ms;   /* time when the end of the command was noticed (ms); 0: it runs */
  bool awaits;        /* a process that the command left behind may still make a channel */
  bool waits, failed; /* words say why */
  char words[RTOP_LAUNCH_WORDS_BYTES];
};

/* session.c */
bool session_is_over(enum rtop_feed_state state);
/* Returns the index for another feed: a new one, or that of the feed that ended first. -1: all are needed. */
int session_place(const struct rtop_session *session);
void session_take(struct rtop_session *session, struct rtop_feed *feed, int place);
/* The same for a feed of that host. */
void session_take_of(struct rtop_session *session, struct rtop_feed *feed, int place, int host);
void session_leave_out(struct rtop_session *session, const char *why);
bool session_all_over(const struct rtop_session *session);
bool session_add_tree(struct rtop_session *session, pid_t pid, struct rtop_error *error);

/* session_hosts.c: processes of other hosts, through ssh. */
bool session_hosts_open(struct rtop_session *session, const struct rtop_session_wish *wish, struct rtop_error *error);
void session_hosts_close(struct rtop_session *session);
size_t session_hosts_poll(struct rtop_session *session);
/* Is all that will ever come of them there? */
bool session_hosts_over(const struct rtop_session *session);
int session_hosts_fd(const struct rtop_session *session);

/* session_trace.c: sends all trace requests to a new feed. */
void session_trace_all(struct rtop_session *session, struct session_feed *feed);

/* session_names.c: join all living processes that match the names: at once, or when the next search is due. */
void session_names_look(struct rtop_session *session);
void session_names_tick(struct rtop_session *session, int64_t now_ms);

/* session_daemon.c: makes this program the parent of processes that the command leaves behind; to be called before the
   command is started. */
void session_adopt(struct rtop_session *session);
/* Searches for the process as which an ended command continues (session->awaits). */
void session_await(struct rtop_session *session, int64_t now_ms);
/* Does the command, which has ended, continue in the background as this process? */
bool session_is_daemon(const struct rtop_session *session, pid_t pid);
/* Notes how the command and its descendants ended. This program is their parent, so it knows the status even if they
 * did not write it (exit!, or a daemon's first process). */
void session_waited(struct rtop_session *session);

/* session_tree.c: reports once that not all processes are watched. */
void session_say_crowded(struct rtop_session *session);
/* Adds a process whose descendants are wanted, with or without a channel. */
void session_tree_add(struct rtop_session *session, pid_t pid);
/* Search for descendants and join those with a channel: at once, or when the next search is due. */
void session_tree_look(struct rtop_session *session);
void session_tree_look_quickly(struct rtop_session *session); /* just after such a look */
void session_tree_tick(struct rtop_session *session, int64_t now_ms);

#endif
