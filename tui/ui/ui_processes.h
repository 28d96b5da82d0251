/* SPDX-License-Identifier: MIT */
/* The processes that are watched, as the loop knows them: merged, apart, or one of them alone. Threads: one. */
#ifndef RTOP_TUI_UI_PROCESSES_H
#define RTOP_TUI_UI_PROCESSES_H

#include "tui/feed/feed.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rtop_launch;
struct ui;

enum { UI_SOURCES_MAX = 128 };
#define UI_ALL_SOURCES UINT32_MAX

/* A process that is watched. */
struct ui_process {
  pid_t pid;
  pid_t parent; /* of one that another one forked or spawned; 0: it was asked for */
  uid_t owner;  /* of the channel or the recording: with whose rights files are read */
  char command[256];
  char host[64]; /* of a stream: nothing of the process can be asked for here; "": it is one of this machine */
  char ruby[32];
  enum rtop_feed_state state;
  bool replaced; /* by exec: another source goes on with it */
  int64_t started_real_ns;      /* its channel was made */
  int64_t code_real_ns;         /* it began to load code then, or later; 0: not known, or its files are not ours */
  char end[64];                 /* how it ended; "" while it lives or nothing is known */
  bool by_exec;                 /* then: it became another program */
  int64_t ended_real_ns;        /* then: time of day of its last window */
  int64_t lived_ns;             /* then: from the start of the channel on */
  uint64_t losses[RTOP_LOSSES]; /* what found no room, since it was started */
};

/* What is watched, as the loop knows it. */
struct ui_source {
  bool ready;                 /* a channel was found */
  int processes;              /* that live; 1 when none does */
  int count;                  /* of all sources, those that ended too */
  struct ui_process main;     /* the first that lives; state and end are those of all together */
  int64_t clock_offset_ns;    /* real - mono */
  struct rtop_launch *launch; /* NULL: no command was started */
  const char *problem;        /* or NULL */
  const char *waits;          /* why there is nothing of the command yet, or NULL */
  bool recording;             /* into a file, just now */
  struct ui_stream {
    bool there;         /* a stream is read */
    bool ended, broken; /* and nothing comes any more; and its end was missing */
    int silent_seconds; /* 0 while it flows */
    int behind_tenths;  /* of a second */
    uint64_t left_out;  /* windows that it had no room for */
    int64_t clock_ns;   /* what is added to ui->now_ns for the clock there */
  } stream;
  char file[64];                        /* of a replay: its name without the folder */
  struct ui_process at[UI_SOURCES_MAX]; /* by source; last, for most of it is empty */
};

/* Merged, apart, each of them alone, one after the other. */
void ui_processes_next(struct ui *ui);
static inline bool ui_lives(enum rtop_feed_state state)
{
  return state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED;
}
/* It lives, or did when the recording ended. */
static inline bool ui_process_goes_on(const struct ui_process *process)
{
  return ui_lives(process->state) || (process->state == RTOP_FEED_REPLAY && process->end[0] == '\0');
}
/* The process that the header tells of: one that is shown alone, or else the main one. */
const struct ui_process *ui_process(const struct ui *ui);
/* The source that is shown alone; UI_ALL_SOURCES: all are shown. */
uint32_t ui_processes_alone(const struct ui *ui);
bool ui_processes_shows(const struct ui *ui, uint32_t source);
/* Why nothing is known of the one that is shown alone in what is shown: it was over by then, or not there yet. In a static
 * buffer; NULL: something is, or that is not why. */
const char *ui_processes_why_absent(const struct ui *ui);
/* Do all that live, but for the main one, descend from others? Not known of a recording: then no. */
bool ui_processes_one_tree(const struct ui *ui);
/* The processes that are gone while others go on: how many, and the one that went last (NULL: none). */
int ui_processes_gone(const struct ui *ui, const struct ui_process **last);
/* How many there are to be told apart: 0 while they are merged. */
int ui_processes_apart(const struct ui *ui);
/* "4712 " in front of a thread's name when processes are apart, else "". */
void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes);

/* Are there several to be mixed up: not one after the other in one, by exec? */
bool ui_processes_mixed(const struct ui *ui);
/* "4712: " in front of what is one process's while several are shown, else "". */
void ui_processes_whose(const struct ui *ui, uint32_t source, char *out, size_t bytes);

/* Whose files can be read: 0 when it is over. */
pid_t ui_source_pid(const struct ui *ui);
uid_t ui_source_owner(const struct ui *ui); /* with whose rights its files are read */

#endif
