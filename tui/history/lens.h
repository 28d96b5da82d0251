/* SPDX-License-Identifier: MIT */
/* What is shown of a call: frames that are hidden, and frames that are put together.
 *
 * A lens maps every call node to the node that is shown for it. The time of a hidden frame goes to the
 * nearest caller that is shown, at the line of that call; when there is none, to the root. So nothing is
 * lost and 100 % stays 100 %. Label sets, the outermost frames of labelled stacks, are hidden unless asked
 * for. The value of a key can be a frame "key=value" at the root or at the leaf of stacks that have it: then that
 * has the time, and the method is its caller. Frames that are merged become one made-up frame (RTOP_SYMBOL_GROUP, or one
 * per line); calls within a class or a gem are then no calls any more. Shown nodes and made-up frames live in
 * the same symbols under ids of their own: whoever has a sum needs no more than those.
 *
 * Time can also be left out by the state of its thread: a state that is not shown is part of no method, stack or label.
 * What the process did as a whole, and each thread, is told with it all the same: lens.c maps nodes, sums ask for states.
 *
 * Answers are kept per node and forgotten when the look changes or names are completed; memory grows with
 * the symbols. Threads: one.
 */
#ifndef RTOP_TUI_LENS_H
#define RTOP_TUI_LENS_H

#include "symbols.h"
#include <stdbool.h>

enum rtop_merge {
  RTOP_MERGE_METHOD,
  RTOP_MERGE_LINE,
  RTOP_MERGE_CLASS,
  RTOP_MERGE_FILE,
  RTOP_MERGE_GEM,
  RTOP_MERGE_LABEL,
  RTOP_MERGES
};

enum { RTOP_LENS_EXCLUDE_BYTES = 4096, RTOP_LENS_LABEL_BYTES = 512, RTOP_LENS_KEYS_BYTES = 256 };

struct rtop_lens_look {
  bool only_mine; /* no gems, no standard library, nothing of Ruby's own */
  bool no_c;      /* no methods written in C, and none of Ruby's own in Ruby */
  enum rtop_merge merge;
  bool processes;                        /* methods of different processes are different ones */
  unsigned states;                       /* 1 << enum rtop_state of each that is shown; 0: all of them */
  bool labels;                           /* label sets stay the outermost frames of their stacks (exports) */
  char exclude[RTOP_LENS_EXCLUDE_BYTES]; /* patterns as in shm/base/pattern.h; "": none */
  char label
      [RTOP_LENS_LABEL_BYTES]; /* KEY=GLOB, KEY, one a line: only what fits all of them; !KEY=GLOB: what does not */
  /* Keys, one a line: of each a frame at that end of stacks, in this order from the root. */
  char label_root[RTOP_LENS_KEYS_BYTES], label_leaf[RTOP_LENS_KEYS_BYTES];
};

struct rtop_lens;

/* Shows everything as it is. The symbols must outlive it. NULL when memory ran out. */
struct rtop_lens *rtop_lens_create(struct rtop_symbols *symbols);
void rtop_lens_destroy(struct rtop_lens **lens);

/* False when memory ran out or a pattern means nothing: everything stays as it was. */
bool rtop_lens_set(struct rtop_lens *lens, const struct rtop_lens_look *look);
const struct rtop_lens_look *rtop_lens_look(const struct rtop_lens *lens);
/* NULL when the patterns are fine, else a message for people in a static buffer. */
const char *rtop_lens_check(const char *exclude);
/* The folder that a watched process works in: code below it is the application's even when the folder
 * itself lies where gems do, and files are named from there. Raw bytes. More than a handful are ignored. */
void rtop_lens_own(struct rtop_lens *lens, const char *folder);

/* Is this a method of the application itself, not of a gem, of the standard library or of Ruby? */
bool rtop_lens_is_mine(const struct rtop_lens *lens, const struct rtop_symbol *symbol);

/* Changes whenever an answer could: a sum made before is not like one made now. */
uint32_t rtop_lens_version(struct rtop_lens *lens);
/* The node that is shown; 0 for those of no shown frame. RTOP_LENS_OUT: the node's labels are not those that
 * were asked for, its time is not shown at all. */
#define RTOP_LENS_OUT UINT32_MAX
uint32_t rtop_lens_node(struct rtop_lens *lens, uint32_t source, uint32_t node);
/* The same without frames of labels at the leaf: where a thread is, not whose its time is. */
uint32_t rtop_lens_place(struct rtop_lens *lens, uint32_t source, uint32_t node);
/* The process that a source tells of (rtop_process_of()), 0: not told apart; two sources of one process are one. */
void rtop_lens_process(struct rtop_lens *lens, uint32_t source, uint32_t process);
/* What the answers for processes that are told apart take. */
size_t rtop_lens_apart_bytes(const struct rtop_lens *lens);
/* The source has another number from now on. */
void rtop_lens_renumber(struct rtop_lens *lens, uint32_t source, uint32_t number);

/* After a sweep of the symbols: nodes that were shown may be gone. */
void rtop_lens_forget(struct rtop_lens *lens);

/* Is time in this state shown? */
static inline bool rtop_lens_shows(const struct rtop_lens_look *look, unsigned state)
{
  return look->states == 0 || (look->states >> state & 1) != 0;
}

/* Adds a key to a list of them. NULL when it is there, else what is wrong, for people. */
const char *rtop_lens_add_key(char *keys, const char *key);
/* Takes it out again. False: it was not there. */
bool rtop_lens_drop_key(char *keys, const char *key);

const char *rtop_merge_name(enum rtop_merge merge); /* "method", … as on the command line */
bool rtop_merge_parse(const char *name, enum rtop_merge *merge);

/* "waiting", "blocked,gc": states by name, with commas. False: one is none of them. */
bool rtop_states_parse(const char *names, unsigned *states);
/* The names again, with commas; "" when all are shown. */
void rtop_states_text(unsigned states, char *out, size_t bytes);

/* Everything that is not as usual, in a few words: "mine -C class !gem:rack". Returns its length; 0: all as
 * it is. */
size_t rtop_lens_text(const struct rtop_lens_look *look, char *out, size_t bytes);

#endif
