/* SPDX-License-Identifier: MIT */
/* Frames and call tree nodes under the viewer's own dense ids, merged over all sources.
 *
 * Each source (live ring, dead ring, recording) numbers frames and nodes in its own way; feeds translate. Equal frames
 * (label, path, line, kind) and equal nodes (parent, frame, line) get one id, so several processes can be shown as one.
 * Names are sanitised when added. Names with numbers of a single process (shm/base/generated_name.h) are replaced by
 * stable ones for all output; the process's own name is kept beside them.
 *
 * Ids are dense; 0 is the root; parent < id. Unused entries can be removed (rtop_symbols_sweep_begin()); ids and
 * pointers stay valid until then, and for entries used at the last sweep until the next but one. Names of frames may be
 * completed.
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
  RTOP_SYMBOL_GROUP,   /* artificial frame of a lens: a class, a file, a gem */
};

struct rtop_symbol {           /* a frame */
  const char *label;           /* "Object#fib" */
  const char *path;            /* "" for C; for a group only set if it is a file */
  const char *namespace_label; /* "Price", "" at top level */
  const char *generated;       /* name of the frame in the process that reported it last;
                            NULL: the same as label. See rtop_symbol_raw() */
  uint32_t line;
  enum rtop_symbol_kind kind;
  bool locks; /* private, as is the next field: results of the functions declared below the struct */
  enum rtop_wait waits;
  enum rtop_wait_kind waits_for;
  uint32_t process; /* process of the frame (rtop_process_of()), where
                       processes are shown separately; 0: all processes */
};

/* Lines of its file can be shown. */
static inline bool rtop_symbol_has_source(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY || (symbol->kind == RTOP_SYMBOL_GROUP && symbol->path[0]);
}
/* Returns the label under which the process knows the method, for requests to the process and for storage. */
static inline const char *rtop_symbol_raw(const struct rtop_symbol *symbol)
{
  return symbol->generated ? symbol->generated : symbol->label;
}
/* Is it neither C nor a frame of the profiler, so that people search for it? */
static inline bool rtop_symbol_is_code(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY || symbol->kind == RTOP_SYMBOL_GROUP;
}

/* Is it C, or Ruby code of Ruby itself? Only of such methods the cause of a wait is known (waits.h). */
static inline bool rtop_symbol_is_core(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_C || strncmp(symbol->path, "<internal:", strlen("<internal:")) == 0;
}
/* Is it a Ruby method of the program or its libraries, not of Ruby itself? */
static inline bool rtop_symbol_is_program(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY && !rtop_symbol_is_core(symbol);
}
static inline enum rtop_wait rtop_symbol_wait(const struct rtop_symbol *symbol)
{
  return symbol->waits;
}
/* Returns what a thread that is off the GVL in this method waits for. */
static inline enum rtop_wait_kind rtop_symbol_waits_for(const struct rtop_symbol *symbol)
{
  return symbol->waits_for;
}
static inline bool rtop_symbol_is_lock(const struct rtop_symbol *symbol)
{
  return symbol->locks;
}

/* Is it a label set (RperfTop.label)? Label sets are the outermost frames of labelled stacks; symbol->label is the
 * set in the form of shm/base/label_text.h. */
bool rtop_symbol_is_labels(const struct rtop_symbol *symbol);

struct rtop_call_node {
  uint32_t parent;
  uint32_t frame;
  uint32_t line;
  uint32_t depth;
  uint32_t labels; /* frame of the label set that the node is below, or is; 0: none */
};

/* Makes symbols that contain only the root. NULL when memory ran out. */
struct rtop_symbols *rtop_symbols_create(void);
void rtop_symbols_destroy(struct rtop_symbols **symbols);

/* Finds or adds a frame. Strings are raw, hostile bytes with lengths. Returns its id, or 0 (the root) when memory ran
 * out or a limit was reached (4 M nodes, 1 M frames). */
uint32_t rtop_symbols_frame(struct rtop_symbols *symbols, const char *label, size_t label_bytes, const char *path,
                            size_t path_bytes, const char *namespace_label, size_t namespace_bytes, uint32_t line,
                            enum rtop_symbol_kind kind);
/* Identifies a process where processes are shown separately: its pid, and which of several processes with that pid
 * (0, 1, …). */
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

/* Writes the name: "Object#fib"; for one of several processes "4711 Object#fib", or "4711/2 Object#fib" for the
 * second one with that pid; valid as long as `out`. */
const char *rtop_symbol_name(const struct rtop_symbol *symbol, char *out, size_t out_bytes);
/* Names for screens, where the profiler's own frames are called by their meaning: "(unknown: no sample yet)" is "(not
 * sampled)" in the data, "(allocated below callers)" is "(shared)". rtop_symbol_words() leaves the process out. */
const char *rtop_symbol_shown(const struct rtop_symbol *symbol, char *out, size_t out_bytes);
const char *rtop_symbol_words(const struct rtop_symbol *symbol);

/* Finds or adds the same frame in other symbols, for all processes. */
uint32_t rtop_symbols_frame_from(struct rtop_symbols *symbols, const struct rtop_symbol *symbol);

/* Finds or adds the variant of a frame for a single process; frames of the profiler have no such variant, and their own
 * id is returned. 0 on failure. */
uint32_t rtop_symbols_frame_of(struct rtop_symbols *symbols, uint32_t frame, uint32_t process);
/* Completes the label of a frame ("sleep" becomes "Kernel#sleep"). Frames stay distinct when they get the same label.
 * Does nothing when memory runs out. */
void rtop_symbols_relabel(struct rtop_symbols *symbols, uint32_t frame, const char *label, size_t label_bytes,
                          const char *namespace_label, size_t namespace_bytes);
uint32_t rtop_symbols_node(struct rtop_symbols *symbols, uint32_t parent, uint32_t frame, uint32_t line);

/* Returns the node "(not sampled)", a child of the root, for time whose stack is unknown; 0: there is none yet. */
uint32_t rtop_symbols_unsampled(const struct rtop_symbols *symbols);

/* Changes with every label that is completed. */
uint32_t rtop_symbols_names(const struct rtop_symbols *symbols);

/* Some node has labels. */
bool rtop_symbols_labelled(const struct rtop_symbols *symbols);

/* Remove unused entries. Between begin and end, callers mark everything that is used; marking a node marks its callers.
 * An entry that was not marked in two consecutive sweeps is removed, and its id is reused later; an entry that is added
 * again before its removal stays. */
void rtop_symbols_sweep_begin(struct rtop_symbols *symbols);
void rtop_symbols_use_node(struct rtop_symbols *symbols, uint32_t node);
void rtop_symbols_use_frame(struct rtop_symbols *symbols, uint32_t frame);
size_t rtop_symbols_used_bytes(const struct rtop_symbols *symbols); /* so far */
void rtop_symbols_sweep_end(struct rtop_symbols *symbols);
/* Was the entry marked in the last sweep, or added since? Callers that keep ids without marking them must forget ids
 * for which it is false after every sweep. */
bool rtop_symbols_holds_node(const struct rtop_symbols *symbols, uint32_t node);
bool rtop_symbols_holds_frame(const struct rtop_symbols *symbols, uint32_t frame);
/* Number of times that the id of a removed entry was reused. */
uint32_t rtop_symbols_reuses(const struct rtop_symbols *symbols);
/* Returns the frame's serial number, which is never reused, unlike its id. */
uint32_t rtop_symbols_serial(const struct rtop_symbols *symbols, uint32_t frame);

/* Approximate memory of frames and nodes. */
size_t rtop_symbols_bytes(const struct rtop_symbols *symbols);

uint32_t rtop_symbols_frame_count(const struct rtop_symbols *symbols);
uint32_t rtop_symbols_node_count(const struct rtop_symbols *symbols);
/* Returns the entry of an id; for an id that is out of range or removed, the root. Never NULL. */
const struct rtop_symbol *rtop_symbols_get(const struct rtop_symbols *symbols, uint32_t frame);
const struct rtop_call_node *rtop_symbols_get_node(const struct rtop_symbols *symbols, uint32_t node);
/* Returns the line of a call in its file. Code given to eval counts its own lines while Ruby names the method around
 * it, so a line before the method is replaced by the method's first line. 0: unknown. */
uint32_t rtop_symbols_line(const struct rtop_symbols *symbols, uint32_t node);

#endif
