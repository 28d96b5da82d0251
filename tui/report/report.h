/* SPDX-License-Identifier: MIT */
/* An update without a screen: a frame of time, its sum and its methods, to be written as text or JSON.
 *
 * Threads: one. The next update reuses the memory of sum and methods.
 */
#ifndef RTOP_TUI_REPORT_H
#define RTOP_TUI_REPORT_H

#include "tui/feed/feed.h"
#include "tui/feed/session.h"
#include "tui/history/profile.h"
#include "tui/methods/methods.h"
#include "tui/methods/methods_changes.h"
#include "tui/methods/raised_list.h"
#include "tui/stalls/wait_sums.h"
#include "tui/tables/exact_table.h"
#include "tui/tables/fiber_table.h"
#include "tui/tables/history.h"
#include "tui/tables/label_table.h"
#include "since_mark.h"
#include "sites_table.h"
#include "tui/tables/slow_list.h"
#include "tui/tables/whole_table.h"
#include "tui/verdict/verdict_past.h"
#include "tui/verdict/verdict_words.h"
#include <stdbool.h>
#include <stdio.h>

/* One of the processes. */
struct rtop_report_process {
  pid_t pid;
  enum rtop_feed_state state;
  /* parent, watched or not, of a process that was forked or spawned by a watched one; 0: the process
     was requested itself */
  pid_t parent;
  const char *command, *ruby;
  const char *host;      /* where it runs; NULL: here, or not known */
  uint32_t process;      /* rtop_session_process() */
  uint64_t opened;       /* in which order they came */
  bool replaced;         /* another source continues this process after exec, and contains its figures */
  struct rtop_cost cost; /* cost of the process's threads in the frame; the
                            costs of all processes add up to the frame's cost */
  unsigned threads;      /* alive at the end of the frame */
  bool has_end;
  struct rtop_feed_end end;
};

struct rtop_report {
  struct rtop_sum sum;
  struct rtop_methods methods;
  struct rtop_sum sets_sum;  /* private */
  struct label_table labels; /* of every key; none without labels */
  struct since_mark since;   /* compared every few seconds */
  struct fiber_table fibers;
  struct exact_table exact;     /* of traced methods; none without */
  struct slow_list slow;        /* their calls that took longer than */
  uint32_t slower_us;           /* this; 0: nobody here asked */
  uint64_t slower_requests_ns;  /* set by the caller: threshold above which blocks with labels
                               are listed one by one (ns); 0: the slowest are listed */
  struct whole_table whole;     /* of all calls; nothing is told without */
  struct sites_table sites;     /* of new objects; the same */
  enum sites_order sites_order; /* the caller's */
  struct raised_list raised;
  struct wait_sums waits;
  struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
  enum rtop_feed_state state;
  bool has_end;
  struct rtop_feed_end end; /* how the process that ended last did so, if all have ended */
  int64_t clock_offset_ns;
  unsigned states;            /* states whose time counts for methods and labels; 0: all (rtop_lens_shows()) */
  const char *command, *ruby; /* strings of the first process; command: its present name for itself */
  pid_t source_pids[RTOP_SESSION_FEEDS_MAX];                    /* by source */
  struct rtop_report_process processes[RTOP_SESSION_FEEDS_MAX]; /* by source */
  int source_count;
  struct rtop_host_look hosts[RTOP_SESSION_HOSTS_MAX]; /* that are watched through ssh */
  int host_count;
  int gone_count;               /* number of ended processes whose places here were taken by others, */
  struct rtop_cost gone;        /* and what they had of the frame */
  bool tells_losses;            /* of any process */
  uint64_t losses[RTOP_LOSSES]; /* losses of all processes since their start */
  struct verdict verdict;       /* on the frame */
  int64_t verdict_ns;           /* for how long it has been so */
  bool verdict_longer;          /* and longer than that */
  struct verdict_maker maker;   /* private */
  struct verdict_past past;     /* private */
  struct history history;       /* history of each method over the last minute;
                                   filled only if methods are sorted by it */
  bool compared;                /* rows have changes (row->delta) of this figure: */
  enum rtop_sort_key change_of;
  uint64_t before_ns;                   /* how much time they are compared with */
  const struct rtop_profile *before_of; /* private: profile whose sum is compared;
                                           NULL: the previous frame is compared */
  struct rtop_sum before_sum;           /* private */
  struct rtop_methods before;           /* private */
  struct rtop_changes changes;          /* private */
};

/* "4711", or of another host "4711@web1", by source. */
enum { RTOP_REPORT_WHO_BYTES = 80 };
void rtop_report_who(const struct rtop_report *report, uint32_t source, char *out, size_t bytes);

/* Takes the last frame_seconds (0: everything) of the session. False when memory ran out. */
bool rtop_report_take(struct rtop_report *report, struct rtop_session *session,
                      const struct rtop_methods_options *options, double frame_seconds);
/* The same for any span. */
bool rtop_report_take_span(struct rtop_report *report, struct rtop_session *session,
                           const struct rtop_methods_options *options, struct rtop_span span);
/* Compares the rows with everything that another profile holds (a recording), or if `other` is NULL with the previous
 * frame. Methods that no longer occur get rows; when sorted by DELTA, all rows are sorted again. Does nothing if there
 * is no time to compare with. False when memory ran out. */
bool rtop_report_compare(struct rtop_report *report, struct rtop_profile *profile, struct rtop_profile *other);
/* Returns the earlier row of a method; NULL: the method did not occur. */
const struct rtop_method_row *rtop_report_before(const struct rtop_report *report, uint32_t frame);
/* Makes the verdict on the sum's frame; rtop_report_take() does so, too. */
bool rtop_report_judge(struct rtop_report *report, struct rtop_profile *profile);
/* The verdict in words. */
void rtop_report_verdict_words(const struct rtop_report *report, struct verdict_words *words, int columns);
void rtop_report_destroy(struct rtop_report *report);

/* Writes the main table as text, `columns` wide, and an empty line. */
void rtop_report_write_text(const struct rtop_report *report, FILE *out, int columns);

/* Writes "fib.rb:3", "<C>", or "" for frames of the profiler; `line` 0: the frame's first line. */
void rtop_report_location(char *out, size_t out_bytes, const struct rtop_symbol *symbol, uint32_t line,
                          bool whole_path);

#endif
