/* SPDX-License-Identifier: MIT */
/* The watched processes, as the main loop knows them: shown merged, separately, or one alone. Threads: one. */
#ifndef RTOP_TUI_UI_PROCESSES_H
#define RTOP_TUI_UI_PROCESSES_H

#include "tui/feed/feed.h"
#include "tui/feed/session.h"
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
  pid_t parent; /* parent of a process that was forked or spawned by a
                   watched one; 0: the process was requested itself */
  uid_t owner;  /* owner of the channel or recording, with whose rights files are read */
  char command[256];
  char host[64];  /* host, for a stream, about whose processes nothing can be asked here; "": this machine */
  int host_place; /* in ui_source.host; -1: none */
  char ruby[32];
  enum rtop_feed_state state;
  bool replaced;           /* another source continues this process after exec */
  int64_t started_real_ns; /* its channel was made */
  /* the process began to load code at this time or later (ns); 0: unknown, or its files are not accessible */
  int64_t code_real_ns;
  char end[64];                 /* how the process ended; "" while it lives or when nothing is known */
  bool by_exec;                 /* then: it became another program */
  int64_t ended_real_ns;        /* wall clock time of the process's last window (ns), once it has ended */
  int64_t lived_ns;             /* lifetime from the start of the channel (ns), once the process has ended */
  uint64_t losses[RTOP_LOSSES]; /* losses in the process since its start */
};

/* Description of the watched processes, from the main loop. */
struct ui_source {
  bool ready;                 /* a channel was found */
  int processes;              /* that live; 1 when none does */
  int count;                  /* of all sources, those that ended too */
  struct ui_process main;     /* the first living process, with state and end of all together */
  int64_t clock_offset_ns;    /* real - mono */
  struct rtop_launch *launch; /* NULL: no command was started */
  const char *problem;        /* or NULL */
  const char *waits;          /* reason why there is no data of the command yet, or NULL */
  bool recording;             /* into a file, just now */
  struct ui_stream {
    bool there;         /* a stream is read */
    bool ended, broken; /* ended: nothing more will come; broken: the stream ended without its end mark */
    int silent_seconds; /* 0 while it flows */
    int behind_tenths;  /* of a second */
    uint64_t left_out;  /* windows that it had no room for */
    int64_t clock_ns;   /* difference from ui->now_ns to the sender's clock */
  } stream;
  int hosts; /* watched through ssh; 0: none are */
  struct ui_host {
    char name[64];
    enum rtop_host_state state;
    char reason[160];   /* why it is away; "": not known, or it is not */
    int retry_seconds;  /* until the next attempt; 0: it is under way, or none is needed */
    int silent_seconds; /* 0 while it sends */
    int skew_seconds;   /* its clock minus ours, if that is corrected; else 0 */
    int processes;      /* that have not ended */
  } host[RTOP_SESSION_HOSTS_MAX];
  char file[64];                        /* file name of a replay, without directory */
  struct ui_process at[UI_SOURCES_MAX]; /* processes by source; the last member, since most of it is empty */
};

/* Advances: merged, separately, then each process alone. */
void ui_processes_next(struct ui *ui);
static inline bool ui_lives(enum rtop_feed_state state)
{
  return state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED;
}
/* Is the process alive, or was it when the recording ended? */
static inline bool ui_process_goes_on(const struct ui_process *process)
{
  return ui_lives(process->state) || (process->state == RTOP_FEED_REPLAY && process->end[0] == '\0');
}
/* Returns the process that the header describes: the one shown alone, else the main one. */
const struct ui_process *ui_process(const struct ui *ui);
/* Returns the source that is shown alone; UI_ALL_SOURCES: all are shown. */
uint32_t ui_processes_alone(const struct ui *ui);
bool ui_processes_shows(const struct ui *ui, uint32_t source);
/* Explains why there is no data of the process shown alone in the span: it had ended, or did not exist yet. In a static
 * buffer; NULL: there is data, or another reason. */
const char *ui_processes_why_absent(const struct ui *ui);
/* Do all living processes except the main one descend from other watched ones? False for a recording, where
   that is unknown. */
bool ui_processes_one_tree(const struct ui *ui);
/* Number of processes that ended while others live; *last is the one that ended last (NULL: none). */
int ui_processes_gone(const struct ui *ui, const struct ui_process **last);
/* Number of processes shown separately; 0 while they are merged. */
int ui_processes_apart(const struct ui *ui);
/* Prefix of a thread's name: "4712 " or "4712@web1 " when processes are shown separately, else "". */
void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes);

/* Do processes run on different hosts, or could they? Then names of hosts are worth a column. */
bool ui_processes_have_hosts(const struct ui *ui);
/* The host of a process that is watched through ssh; NULL: none. */
const struct ui_host *ui_process_host(const struct ui *ui, const struct ui_process *process);
/* "4711", or of another host "4711@web1". */
enum { UI_WHO_BYTES = 80 };
void ui_process_who(const struct ui_process *process, char *out, size_t bytes);

/* Could processes be confused? False if there is one, or one after the other by exec. */
bool ui_processes_mixed(const struct ui *ui);
/* Prefix of what belongs to one process: "4712: " or "4712@web1: " while several are shown, else "". */
void ui_processes_whose(const struct ui *ui, uint32_t source, char *out, size_t bytes);

/* Returns the process whose source files can be read; 0 when it has ended. */
pid_t ui_source_pid(const struct ui *ui);
uid_t ui_source_owner(const struct ui *ui); /* with whose rights its files are read */

#endif
