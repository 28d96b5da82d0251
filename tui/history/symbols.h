/* SPDX-License-Identifier: MIT */
/* Frames and call nodes under the viewer's own dense ids, merged over all sources.
 *
 * A source (live ring, dead ring, recording) numbers frames and nodes in its own way; feed translates.
 * Equal frames (label, path, line, kind) get one id, equal nodes (parent, frame, line) too, so that
 * several processes can be shown as one. Names are sanitised when they are added. Those that carry numbers of one process
 * (shm/base/generated_name.h) are made the same here, so in everything that shows, keeps or sends symbols; what such a
 * method is called in its process stays beside it.
 *
 * Ids are dense; 0 is the root. parent < id. What nobody uses any more can be let go (rtop_symbols_sweep): ids
 * and pointers stay valid until then, and what was used at the last sweep until the next but one. The names of a
 * frame may be completed.
 */
#ifndef RTOP_TUI_SYMBOLS_H
#define RTOP_TUI_SYMBOLS_H

#include "tui/text/waits.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rtop_symbols;

enum rtop_symbol_kind {
  RTOP_SYMBOL_RUBY,
  RTOP_SYMBOL_C,
  RTOP_SYMBOL_SPECIAL, /* "(root)", "(folded)", … */
  RTOP_SYMBOL_GROUP,   /* made up by a lens: a class, a file, a gem */
};

struct rtop_symbol {           /* a frame */
  const char *label;           /* "Object#fib" */
  const char *path;            /* "" for C; of a group only when it is a file */
  const char *namespace_label; /* "Price", "" at top level */
  const char *generated; /* what it is called in a process, the last that told; NULL: as here. See rtop_symbol_raw() */
  uint32_t line;
  enum rtop_symbol_kind kind;
  bool locks; /* private, as the next: what the functions below say */
  enum rtop_wait waits;
  enum rtop_wait_kind waits_for;
  uint32_t process; /* rtop_process_of(), where processes are told apart; 0: of all of them */
};

/* Lines of its file can be shown. */
static inline bool rtop_symbol_has_source(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY || (symbol->kind == RTOP_SYMBOL_GROUP && symbol->path[0]);
}
/* The label to find the method in its process by, to hand it on by, and to keep. */
static inline const char *rtop_symbol_raw(const struct rtop_symbol *symbol)
{
  return symbol->generated ? symbol->generated : symbol->label;
}
/* Not in C and not made up by the profiler itself: what people look for. */
static inline bool rtop_symbol_is_code(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY || symbol->kind == RTOP_SYMBOL_GROUP;
}

/* Written in C, or in Ruby by Ruby itself. What methods of these wait for (waits.h); of others: nothing. */
static inline bool rtop_symbol_is_core(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_C || strncmp(symbol->path, "<internal:", strlen("<internal:")) == 0;
}
/* A method of the program or of what it uses, in Ruby: not of C, nor of Ruby's own. */
static inline bool rtop_symbol_is_program(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY && !rtop_symbol_is_core(symbol);
}
static inline enum rtop_wait rtop_symbol_wait(const struct rtop_symbol *symbol)
{
  return symbol->waits;
}
/* What a thread waits for that is off the GVL in it. */
static inline enum rtop_wait_kind rtop_symbol_waits_for(const struct rtop_symbol *symbol)
{
  return symbol->waits_for;
}
static inline bool rtop_symbol_is_lock(const struct rtop_symbol *symbol)
{
  return symbol->locks;
}

/* A set of labels (RperfTop.label): the outermost frame of stacks that carry them; symbol->label is the set as
 * shm/base/label_text.h writes it. */
bool rtop_symbol_is_labels(const struct rtop_symbol *symbol);

struct rtop_call_node {
  uint32_t parent;
  uint32_t frame;
  uint32_t line;
  uint32_t depth;
  uint32_t labels; /* frame of the label set that it stands below (or is); 0: none */
};

/* Holds only the root. NULL when memory ran out. */
struct rtop_symbols *rtop_symbols_create(void);
void rtop_symbols_destroy(struct rtop_symbols **symbols);

/* Adds or finds. Strings are raw bytes with lengths: hostile. Returns the id (the root's, 0, when memory
 * ran out or a bound of 4 M nodes / 1 M frames was reached). */
uint32_t rtop_symbols_frame(struct rtop_symbols *symbols, const char *label, size_t label_bytes, const char *path,
                            size_t path_bytes, const char *namespace_label, size_t namespace_bytes, uint32_t line,
                            enum rtop_symbol_kind kind);
/* A process where they are told apart: its number as the kernel counts, and which one of those that had it (0, 1, …). */
enum { RTOP_PROCESS_PID_BITS = 22 };
static inline uint32_t rtop_process_of(uint32_t pid, uint32_t nth)
{
  uint32_t most = UINT32_MAX >> RTOP_PROCESS_PID_BITS;
  return (pid & ((UINT32_C(1) << RTOP_PROCESS_PID_BITS) - 1)) | (nth < most ? nth : most) << RTOP_PROCESS_PID_BITS;
}
static inline uint32_t rtop_process_pid(uint32_t process)
{
  return process & ((UINT32_C(1) << RTOP_PROCESS_PID_BITS) - 1);
}

/* "Object#fib", "4711 Object#fib" of one process, "4711/2 Object#fib" of the second that had the number; valid as long
 * as `out`. */
const char *rtop_symbol_name(const struct rtop_symbol *symbol, char *out, size_t out_bytes);
/* The same for screens, where what the extension made up is called by what it means: "(unknown: no sample yet)" is
 * "(not sampled)" for programs, "(allocated below callers)" is "(shared)". The second one leaves the process out. */
const char *rtop_symbol_shown(const struct rtop_symbol *symbol, char *out, size_t out_bytes);
const char *rtop_symbol_words(const struct rtop_symbol *symbol);

/* The same frame among other symbols, of all processes. */
uint32_t rtop_symbols_frame_from(struct rtop_symbols *symbols, const struct rtop_symbol *symbol);

/* The same frame as one process has it. Not of what the profiler made up: that is itself. 0 as above. */
uint32_t rtop_symbols_frame_of(struct rtop_symbols *symbols, uint32_t frame, uint32_t process);
/* Completes the label of a frame ("sleep" becomes "Kernel#sleep"): what it is called from now on. Frames that
 * come to the same label that way stay two. Nothing happens when memory runs out. */
void rtop_symbols_relabel(struct rtop_symbols *symbols, uint32_t frame, const char *label, size_t label_bytes,
                          const char *namespace_label, size_t namespace_bytes);
uint32_t rtop_symbols_node(struct rtop_symbols *symbols, uint32_t parent, uint32_t frame, uint32_t line);

/* The node of time whose stack is not known: "(not sampled)" next to the root; 0: there is none yet. */
uint32_t rtop_symbols_unsampled(const struct rtop_symbols *symbols);

/* Changes with every label that is completed. */
uint32_t rtop_symbols_names(const struct rtop_symbols *symbols);

/* Some node has labels. */
bool rtop_symbols_labelled(const struct rtop_symbols *symbols);

/* Letting go. Between begin and end everything that is still used is named: nodes with all that they are called
 * from. What was not named in two sweeps on end is gone, and its id is given to others later; what comes again
 * before that stays. */
void rtop_symbols_sweep_begin(struct rtop_symbols *symbols);
void rtop_symbols_use_node(struct rtop_symbols *symbols, uint32_t node);
void rtop_symbols_use_frame(struct rtop_symbols *symbols, uint32_t frame);
size_t rtop_symbols_used_bytes(const struct rtop_symbols *symbols); /* so far */
void rtop_symbols_sweep_end(struct rtop_symbols *symbols);
/* Named in the last sweep, or new since. Who keeps ids without naming them forgets the others after every sweep. */
bool rtop_symbols_holds_node(const struct rtop_symbols *symbols, uint32_t node);
bool rtop_symbols_holds_frame(const struct rtop_symbols *symbols, uint32_t frame);
/* How often the id of something that is gone was given to another. */
uint32_t rtop_symbols_reuses(const struct rtop_symbols *symbols);
/* No two frames have the same, whatever their ids. */
uint32_t rtop_symbols_serial(const struct rtop_symbols *symbols, uint32_t frame);

/* Memory that frames and nodes take, by and large. */
size_t rtop_symbols_bytes(const struct rtop_symbols *symbols);

uint32_t rtop_symbols_frame_count(const struct rtop_symbols *symbols);
uint32_t rtop_symbols_node_count(const struct rtop_symbols *symbols);
/* Ids that are out of range or gone give the root. Never NULL. */
const struct rtop_symbol *rtop_symbols_get(const struct rtop_symbols *symbols, uint32_t frame);
const struct rtop_call_node *rtop_symbols_get_node(const struct rtop_symbols *symbols, uint32_t node);
/* The line of its file that a call is in. Code given to eval counts lines of its own, and Ruby names the method
 * around it: what would stand above the method is taken for its first line. 0: not known. */
uint32_t rtop_symbols_line(const struct rtop_symbols *symbols, uint32_t node);

#endif
