/* SPDX-License-Identifier: MIT */
/* The list of processes to choose from, those in trouble first: all that have a channel, or those that are watched.
 *
 * Threads: the viewer's only one.
 */
#ifndef RTOP_TUI_UI_LIST_H
#define RTOP_TUI_UI_LIST_H

#include "tui/doctor/doctor_watch.h"
#include "tui/feed/bare.h"
#include "tui/reader/rperf_top_reader.h"
#include "tui/term/keys.h"
#include "ui_processes.h"
#include <stdbool.h>
#include <stddef.h>

enum { UI_LIST_MAX = 256 };

struct ui;
struct view_ops;

struct ui_list {
  const struct rperf_top_process *processes[UI_LIST_MAX]; /* sorted: processes in trouble first, ended ones last */
  const struct doctor_process *doctor[UI_LIST_MAX];       /* what is known of each; NULL: nothing */
  uint32_t source[UI_LIST_MAX];                           /* of each that is watched */
  size_t process_count;
  const struct rtop_symbols *symbols;           /* of their verdicts */
  struct rperf_top_list *owner;                 /* private: of all */
  struct doctor_watch *watch;                   /* private: of these */
  struct rperf_top_process own[UI_SOURCES_MAX]; /* private: those that are watched */
  struct doctor own_doctor;                     /* private: of these */
  int64_t read_ns;                              /* private: when that was read */
  struct rtop_bare bare[RTOP_BARE_MAX];         /* Ruby processes without the extension;
                                                   searched for only when the list is empty */
  size_t bare_count;                            /* all of them */
  bool choosing;                                /* the user came from a list, and can return to it */
  bool inside;                                  /* the list is that of the watched processes */
  const struct view_ops *before;                /* view from which the list of watched processes was
                                                   opened; NULL: the list is that of all processes */
};

/* Reads the list. When memory runs out, it is empty. */
void ui_list_read(struct ui *ui);
/* Updates the list of the watched processes, once a second. */
void ui_list_refresh(struct ui *ui);
/* Are more than two processes watched, or those of several hosts, so that a list is better than a key for the next one? */
bool ui_list_is_worth(const struct ui *ui);
/* The host of a row, and its name ("": this machine); a row without a process is of a host alone. NULL: none. */
const struct ui_host *ui_list_host(const struct ui *ui, size_t place);
const char *ui_list_host_name(const struct ui *ui, size_t place);
/* Only this one of those that are watched is shown. */
void ui_list_take(struct ui *ui, size_t place);
/* All of them again. */
void ui_list_leave(struct ui *ui);
void ui_list_keep(const struct ui *ui, struct rtop_symbols *symbols);
/* Of all; of those that are watched. */
void ui_list_forget(struct ui *ui);
void ui_list_forget_own(struct ui *ui);

#endif
