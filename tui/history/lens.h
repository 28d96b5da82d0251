/* SPDX-License-Identifier: MIT */
/* A lens: what is shown of a stack, by hiding and merging frames.
 *
 * It maps every call tree node to the node shown for it. Time of a hidden frame goes to the nearest shown caller, at
 * the line of that call, or to the root if there is none, so the total stays 100 %. Label sets, the outermost frames of
 * labelled stacks, are hidden unless requested; a label value can become a frame "key=value" at the root or leaf of its
 * stacks. Merged frames become one artificial frame (RTOP_SYMBOL_GROUP, or one per line), and calls within a class or
 * gem disappear. Shown nodes and artificial frames are in the same symbols under ids of their own.
 *
 * Time can also be left out by thread state; such time is missing from methods, stacks and labels, but not from process
 * and thread totals: the lens maps nodes, sums select states.
 *
 * Answers are cached per node until the look changes or names are completed; memory grows with the symbols. Threads:
 * one.
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
  bool only_mine; /* hides gems, the standard library and Ruby's own code */
  bool no_c;      /* hides methods in C and Ruby's own methods in Ruby */
  enum rtop_merge merge;
  bool processes;                        /* methods of different processes are different ones */
  unsigned states;                       /* a bit 1 << enum rtop_state for each state that is shown; 0: all states */
  bool labels;                           /* shows label sets as the outermost frames of their stacks (exports) */
  char exclude[RTOP_LENS_EXCLUDE_BYTES]; /* patterns of hidden frames (shm/base/pattern.h); "": none */
  char label
      /* conditions KEY=GLOB or KEY, one per line, all of which must match; !KEY=GLOB must not match */
      [RTOP_LENS_LABEL_BYTES];
  /* Keys, one per line: each adds a frame at that end of stacks, in this order from the root. */
  char label_root[RTOP_LENS_KEYS_BYTES], label_leaf[RTOP_LENS_KEYS_BYTES];
};

struct rtop_lens;

/* Makes a lens that hides and merges nothing. The symbols must outlive the lens. NULL when memory ran out. */
struct rtop_lens *rtop_lens_create(struct rtop_symbols *symbols);
void rtop_lens_destroy(struct rtop_lens **lens);

/* Sets what is shown. False when memory ran out or a pattern is invalid; the lens is then unchanged. */
bool rtop_lens_set(struct rtop_lens *lens, const struct rtop_lens_look *look);
const struct rtop_lens_look *rtop_lens_look(const struct rtop_lens *lens);
/* Checks the patterns of hidden frames. NULL when they are valid, else a message for people in a static buffer. */
const char *rtop_lens_check(const char *exclude);
/* Adds the working directory of a watched process: code below it belongs to the application even if the directory is
 * inside a gem directory, and its files are named from there. Raw bytes. Only a few directories are kept. */
void rtop_lens_own(struct rtop_lens *lens, const char *folder);

/* Is this a method of the application, as opposed to a gem, the standard library or Ruby? */
bool rtop_lens_is_mine(const struct rtop_lens *lens, const struct rtop_symbol *symbol);

/* Returns a number that changes whenever an answer may have changed: sums made at different versions must
   not be mixed. */
uint32_t rtop_lens_version(struct rtop_lens *lens);
/* The node that is shown for a node; 0 when none of its frames is shown. RTOP_LENS_OUT: the labels of the node do not
 * match, so its time is not shown at all. */
#define RTOP_LENS_OUT UINT32_MAX
uint32_t rtop_lens_node(struct rtop_lens *lens, uint32_t source, uint32_t node);
/* Like rtop_lens_node(), without label frames at the leaf: for the present stack of a thread, not for labelled time. */
uint32_t rtop_lens_place(struct rtop_lens *lens, uint32_t source, uint32_t node);
/* Sets the process that a source belongs to (rtop_process_of()); 0: the source is not shown separately. Two sources of
   one process count as one. */
void rtop_lens_process(struct rtop_lens *lens, uint32_t source, uint32_t process);
/* Bytes of memory that the lens uses to remember, with processes shown separately, which method stands for which. */
size_t rtop_lens_apart_bytes(const struct rtop_lens *lens);
/* Call when a source gets another number. */
void rtop_lens_renumber(struct rtop_lens *lens, uint32_t source, uint32_t number);

/* Discards all answers; call after a sweep of the symbols, which may have removed shown nodes. */
void rtop_lens_forget(struct rtop_lens *lens);

/* Is time in this state shown? */
static inline bool rtop_lens_shows(const struct rtop_lens_look *look, unsigned state)
{
  return look->states == 0 || (look->states >> state & 1) != 0;
}

/* Adds a key to a list of keys. NULL when the list contains the key afterwards, else the problem, for people. */
const char *rtop_lens_add_key(char *keys, const char *key);
/* Removes a key from the list. False when the list did not contain it. */
bool rtop_lens_drop_key(char *keys, const char *key);

const char *rtop_merge_name(enum rtop_merge merge); /* "method", … as on the command line */
bool rtop_merge_parse(const char *name, enum rtop_merge *merge);

/* Parses state names separated by commas, such as "waiting" or "blocked,gc". False when a name is unknown. */
bool rtop_states_parse(const char *names, unsigned *states);
/* Writes state names separated by commas; "" when all states are shown. */
void rtop_states_text(unsigned states, char *out, size_t bytes);

/* Writes all settings that differ from the default in a few words: "mine -C class !gem:rack". Returns the length; 0
 * when there are none. */
size_t rtop_lens_text(const struct rtop_lens_look *look, char *out, size_t bytes);

#endif
