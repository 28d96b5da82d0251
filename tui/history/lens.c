/* SPDX-License-Identifier: MIT */
/* Maps call tree nodes to the nodes that are shown for them. */
#include "lens.h"

#include "lens_frames.h"
#include "profile.h"
#include "shm/base/error.h"
#include "shm/base/label_text.h"
#include "shm/base/pattern.h"
#include "tui/text/pairs.h"
#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* limit for cached results of one process; when it is reached, all are discarded and computed again as needed */
enum { LENS_APART_BYTES_MAX = 8 << 20 };

/* A map from nodes to shown nodes, in pages: for all processes together, or for one of many, which has few nodes. */
struct lens_nodes {
  uint32_t **pages;
  size_t capacity; /* of pages */
};

struct lens_source {
  struct lens_nodes nodes;
  uint32_t process; /* 0: not told apart */
};

struct rtop_lens {
  struct lens_frames frames; /* what becomes of a frame */
  struct rtop_lens_look look;
  uint32_t version;
  uint32_t names;              /* rtop_symbols_names() when the cached answers were computed */
  struct lens_nodes nodes;     /* shown node + 1; 0: not asked yet */
  struct lens_source *sources; /* answers of each source, by source, where processes are shown separately */
  size_t source_capacity, apart_bytes;
  struct rtop_pairs leaves; /* (shown node, label set) -> node with the labels at the leaf, + 1 */
  uint32_t *path;           /* nodes on the path up to one with a known answer */
  size_t path_capacity;
};

enum { LENS_PAGE = 256 };

/* Returns the cached answer for a node, 0 if there is none yet. NULL: memory ran out. *bytes grows by
   the memory allocated. */
static uint32_t *lens_nodes_at(struct lens_nodes *nodes, uint32_t node, size_t *bytes)
{
  size_t page = node / LENS_PAGE, before = nodes->capacity;
  if (!rtop_reserve(&nodes->pages, &nodes->capacity, page + 1, sizeof *nodes->pages)) return NULL;
  *bytes += (nodes->capacity - before) * sizeof *nodes->pages;
  if (!nodes->pages[page]) {
    nodes->pages[page] = calloc(LENS_PAGE, sizeof *nodes->pages[page]);
    if (nodes->pages[page]) *bytes += LENS_PAGE * sizeof *nodes->pages[page];
  }
  return nodes->pages[page] ? &nodes->pages[page][node % LENS_PAGE] : NULL;
}

static void lens_nodes_forget(struct lens_nodes *nodes)
{
  for (size_t i = 0; i < nodes->capacity; i++)
    if (nodes->pages[i]) memset(nodes->pages[i], 0, LENS_PAGE * sizeof *nodes->pages[i]);
}

static void lens_nodes_destroy(struct lens_nodes *nodes)
{
  for (size_t i = 0; i < nodes->capacity; i++) free(nodes->pages[i]);
  free(nodes->pages);
  *nodes = (struct lens_nodes){ 0 };
}

static const char *const merge_names[RTOP_MERGES] = {
  [RTOP_MERGE_METHOD] = "method", [RTOP_MERGE_LINE] = "line", [RTOP_MERGE_CLASS] = "class",
  [RTOP_MERGE_FILE] = "file",     [RTOP_MERGE_GEM] = "gem",   [RTOP_MERGE_LABEL] = "label",
};

const char *rtop_merge_name(enum rtop_merge merge)
{
  return merge < RTOP_MERGES ? merge_names[merge] : "";
}

bool rtop_merge_parse(const char *name, enum rtop_merge *merge)
{
  for (int i = 0; i < RTOP_MERGES; i++)
    if (strcmp(merge_names[i], name) == 0) {
      *merge = (enum rtop_merge)i;
      return true;
    }
  return false;
}

/* State names; both phases of the collector have one name. */
static const struct {
  const char *name;
  unsigned states;
} state_names[] = {
  { "running", 1U << RTOP_STATE_RUNNING },
  { "waiting", 1U << RTOP_STATE_WAITING },
  { "blocked", 1U << RTOP_STATE_BLOCKED },
  { "gc", 1U << RTOP_STATE_MARKING | 1U << RTOP_STATE_SWEEPING },
};
enum { STATE_NAMES = sizeof state_names / sizeof state_names[0] };

bool rtop_states_parse(const char *names, unsigned *states)
{
  *states = 0;
  for (size_t count;; names += count + 1) {
    int i = 0;
    count = strcspn(names, ",");
    while (i < STATE_NAMES && (strlen(state_names[i].name) != count || memcmp(state_names[i].name, names, count) != 0))
      i++;
    if (i == STATE_NAMES) return false;
    *states |= state_names[i].states;
    if (names[count] == '\0') return true;
  }
}

void rtop_states_text(unsigned states, char *out, size_t bytes)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < STATE_NAMES && used < bytes; i++)
    if (states & state_names[i].states)
      used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? "," : "", state_names[i].name);
}

struct rtop_lens *rtop_lens_create(struct rtop_symbols *symbols)
{
  struct rtop_lens *lens = calloc(1, sizeof *lens);
  if (!lens) return NULL;
  lens->frames.symbols = symbols;
  lens->frames.look = &lens->look;
  lens->names = rtop_symbols_names(symbols);
  return lens;
}

static void lens_free_apart(struct rtop_lens *lens)
{
  for (size_t i = 0; i < lens->source_capacity; i++) lens_nodes_destroy(&lens->sources[i].nodes);
  lens->apart_bytes = 0;
}

void rtop_lens_destroy(struct rtop_lens **handle)
{
  struct rtop_lens *lens = *handle;
  *handle = NULL;
  if (!lens) return;
  lens_frames_destroy(&lens->frames);
  lens_nodes_destroy(&lens->nodes);
  lens_free_apart(lens);
  rtop_pairs_destroy(&lens->leaves);
  free(lens->sources);
  free(lens->path);
  free(lens);
}

bool rtop_lens_is_mine(const struct rtop_lens *lens, const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_RUBY && lens_frames_is_mine(&lens->frames, symbol);
}

void rtop_lens_forget(struct rtop_lens *lens)
{
  lens->version++;
  lens->names = rtop_symbols_names(lens->frames.symbols);
  lens_nodes_forget(&lens->nodes);
  lens_free_apart(lens);
  rtop_pairs_clear(&lens->leaves);
  lens_frames_forget(&lens->frames);
}

static bool lens_plain(const struct rtop_lens_look *look)
{
  return !look->processes && !look->only_mine && !look->no_c && look->merge == RTOP_MERGE_METHOD && !look->exclude[0] &&
         !look->label[0] && !look->label_root[0] && !look->label_leaf[0];
}

/* Is nothing hidden or merged, so that nodes are shown as they are? */
static bool lens_clear(const struct rtop_lens *lens)
{
  return lens_plain(&lens->look) && (lens->look.labels || !rtop_symbols_labelled(lens->frames.symbols));
}

/* Do the node's labels match all requested labels? */
static bool lens_labels_fit(const struct rtop_lens *lens, uint32_t node)
{
  const struct rtop_symbols *symbols = lens->frames.symbols;
  const struct rtop_symbol *set = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->labels);
  const char *text = rtop_symbol_is_labels(set) ? set->label : "";
  for (const char *at = lens->look.label; *at;) {
    char wanted[RTOP_LENS_LABEL_BYTES];
    size_t count = strcspn(at, "\n");
    snprintf(wanted, sizeof wanted, "%.*s", (int)count, at);
    bool without = wanted[0] == '!';
    if (count && rtop_label_text_fits(text, strlen(text), wanted + without) == without) return false;
    at += count + (at[count] != '\0');
  }
  return true;
}

bool rtop_lens_set(struct rtop_lens *lens, const struct rtop_lens_look *look)
{
  const struct rtop_lens_look *now = &lens->look;
  if (look->only_mine == now->only_mine && look->no_c == now->no_c && look->merge == now->merge &&
      look->labels == now->labels && look->processes == now->processes && look->states == now->states &&
      strcmp(look->exclude, now->exclude) == 0 && strcmp(look->label, now->label) == 0 &&
      strcmp(look->label_root, now->label_root) == 0 && strcmp(look->label_leaf, now->label_leaf) == 0)
    return true;
  struct rtop_patterns *patterns = NULL;
  if (look->exclude[0]) {
    patterns = rtop_patterns_create(look->exclude, strlen(look->exclude), NULL);
    if (!patterns) return false;
  }
  rtop_patterns_destroy(&lens->frames.patterns);
  lens->frames.patterns = patterns;
  lens->look = *look;
  rtop_lens_forget(lens);
  return true;
}

const struct rtop_lens_look *rtop_lens_look(const struct rtop_lens *lens)
{
  return &lens->look;
}

const char *rtop_lens_check(const char *exclude)
{
  static _Thread_local char message[sizeof((struct rtop_error *)0)->text];
  struct rtop_error error = { 0 };
  struct rtop_patterns *patterns = rtop_patterns_create(exclude, strlen(exclude), &error);
  if (patterns) {
    rtop_patterns_destroy(&patterns);
    return NULL;
  }
  snprintf(message, sizeof message, "%s", error.text);
  return message;
}

void rtop_lens_own(struct rtop_lens *lens, const char *folder)
{
  if (lens_frames_own(&lens->frames, folder)) rtop_lens_forget(lens);
}

/* Completing a name discards the answers, since the name may match other patterns and belong to another class. */
uint32_t rtop_lens_version(struct rtop_lens *lens)
{
  if (lens->names != rtop_symbols_names(lens->frames.symbols) && !lens_plain(&lens->look)) rtop_lens_forget(lens);
  return lens->version;
}

/* Adds frames below `above` for those of the keys that the set contains. */
static uint32_t lens_tags(struct rtop_lens *lens, uint32_t above, uint32_t set, const char *keys)
{
  struct rtop_symbols *symbols = lens->frames.symbols;
  for (size_t count; *keys; keys += count + (keys[count] != '\0')) {
    count = strcspn(keys, "\n");
    uint32_t frame = lens_frames_tag(&lens->frames, set, keys, count);
    uint32_t node = frame ? rtop_symbols_node(symbols, above, frame, 0) : 0;
    above = node ? node : above;
  }
  return above;
}

/* Returns the node for a call whose caller is shown as `above`; the caller itself when there is no room. */
static uint32_t lens_call(struct rtop_lens *lens, uint32_t process, uint32_t above, const struct rtop_call_node *call)
{
  struct rtop_symbols *symbols = lens->frames.symbols;
  struct lens_frame shown = lens_frames_get(&lens->frames, call->frame, call->line);
  bool set = call->labels && call->labels == call->frame;
  if (shown.hidden || (lens->look.merge == RTOP_MERGE_LABEL && above && !set)) return above;
  uint32_t of_process = process ? rtop_symbols_frame_of(symbols, shown.frame, process) : 0;
  if (of_process) shown.frame = of_process;
  bool inside = shown.whole && rtop_symbols_get_node(symbols, above)->frame == shown.frame;
  if (inside) return above;
  uint32_t node = rtop_symbols_node(symbols, above, shown.frame, shown.whole ? 0 : call->line);
  return node ? node : above;
}

/* One step down the stack. Frames for label values come below the set where the set itself is shown (exports), and
 * above it where sets take the place of methods. */
static uint32_t lens_step(struct rtop_lens *lens, uint32_t process, uint32_t above, const struct rtop_call_node *call)
{
  bool set = call->labels && call->labels == call->frame, method = lens->look.merge == RTOP_MERGE_LABEL;
  if (set && method) above = lens_tags(lens, above, call->labels, lens->look.label_root);
  uint32_t shown = lens_call(lens, process, above, call);
  return set && !method ? lens_tags(lens, shown, call->labels, lens->look.label_root) : shown;
}

void rtop_lens_process(struct rtop_lens *lens, uint32_t source, uint32_t process)
{
  if (!rtop_reserve(&lens->sources, &lens->source_capacity, (size_t)source + 1, sizeof *lens->sources)) return;
  lens_nodes_forget(&lens->sources[source].nodes);
  lens->sources[source].process = process;
}

size_t rtop_lens_apart_bytes(const struct rtop_lens *lens)
{
  return lens->apart_bytes;
}

void rtop_lens_renumber(struct rtop_lens *lens, uint32_t source, uint32_t number)
{
  if (source >= lens->source_capacity) return;
  rtop_lens_process(lens, number, lens->sources[source].process);
  rtop_lens_process(lens, source, 0);
}

/* Returns the map that holds the answers of a source; the map of all sources when the source is not shown
   separately. */
static struct lens_nodes *lens_nodes_of(struct rtop_lens *lens, uint32_t source, uint32_t *process)
{
  *process = lens->look.processes && source < lens->source_capacity ? lens->sources[source].process : 0;
  if (!*process) return &lens->nodes;
  if (lens->apart_bytes > LENS_APART_BYTES_MAX) lens_free_apart(lens);
  return &lens->sources[source].nodes;
}

static uint32_t *lens_answer(struct rtop_lens *lens, struct lens_nodes *nodes, uint32_t node)
{
  size_t common = 0;
  return lens_nodes_at(nodes, node, nodes == &lens->nodes ? &common : &lens->apart_bytes);
}

uint32_t rtop_lens_place(struct rtop_lens *lens, uint32_t source, uint32_t node)
{
  uint32_t process, *answer, shown = 0;
  const struct rtop_symbols *symbols = lens->frames.symbols;
  uint32_t count = rtop_symbols_node_count(symbols);
  if (lens_clear(lens) || node >= count) return node < count ? node : 0;
  if (node && !rtop_symbols_get_node(symbols, node)->depth) return 0; /* gone: its id may become another's */
  if (lens->look.label[0] && !lens_labels_fit(lens, node)) return RTOP_LENS_OUT;
  struct lens_nodes *nodes = lens_nodes_of(lens, source, &process);
  size_t depth = 0;
  for (; node; node = rtop_symbols_get_node(symbols, node)->parent) {
    answer = lens_answer(lens, nodes, node);
    if (!answer || !rtop_reserve(&lens->path, &lens->path_capacity, depth + 1, sizeof *lens->path)) return 0;
    shown = *answer ? *answer - 1 : 0;
    if (*answer) break;
    lens->path[depth++] = node;
  }
  while (depth > 0) {
    node = lens->path[--depth];
    struct rtop_call_node call = *rtop_symbols_get_node(symbols, node);
    shown = lens_step(lens, process, shown, &call);
    answer = lens_answer(lens, nodes, node);
    if (answer) *answer = shown + 1;
  }
  return shown;
}

uint32_t rtop_lens_node(struct rtop_lens *lens, uint32_t source, uint32_t node)
{
  uint32_t shown = rtop_lens_place(lens, source, node);
  uint32_t set = lens->look.label_leaf[0] ? rtop_symbols_get_node(lens->frames.symbols, node)->labels : 0;
  if (set == 0 || shown == RTOP_LENS_OUT) return shown;
  uint32_t *leaf = rtop_pairs_at(&lens->leaves, shown, set);
  if (!leaf) return lens_tags(lens, shown, set, lens->look.label_leaf);
  if (*leaf == 0) *leaf = lens_tags(lens, shown, set, lens->look.label_leaf) + 1;
  return *leaf - 1;
}

/* Position of the key in the list; NULL if the list does not contain it. */
static char *lens_find_key(char *keys, const char *key)
{
  size_t bytes = strlen(key);
  for (size_t count; *keys; keys += count + (keys[count] != '\0')) {
    count = strcspn(keys, "\n");
    if (count == bytes && memcmp(keys, key, bytes) == 0) return keys;
  }
  return NULL;
}

const char *rtop_lens_add_key(char *keys, const char *key)
{
  size_t used = strlen(keys), bytes = RTOP_LENS_KEYS_BYTES - used;
  if (*key == '\0' || strpbrk(key, "=\n")) return "a key of labels has no '=', and is not empty";
  if (lens_find_key(keys, key)) return NULL;
  if (strlen(key) + 2 > bytes) return "there is no room for more keys";
  snprintf(keys + used, bytes, "%s%s", used ? "\n" : "", key);
  return NULL;
}

bool rtop_lens_drop_key(char *keys, const char *key)
{
  char *at = lens_find_key(keys, key);
  if (!at) return false;
  char *behind = at + strlen(key);
  if (*behind) memmove(at, behind + 1, strlen(behind + 1) + 1);
  else at[at > keys ? -1 : 0] = '\0';
  return true;
}

static size_t text_add(char *out, size_t bytes, size_t used, const char *prefix, const char *text)
{
  if (used < bytes) used += (size_t)snprintf(out + used, bytes - used, "%s%s%s", used ? " " : "", prefix, text);
  return used < bytes ? used : bytes - 1;
}

static size_t text_keys(char *out, size_t bytes, size_t used, const char *prefix, const char *keys)
{
  char key[RTOP_LABEL_KEY_MAX + 1];
  for (size_t count; *keys; keys += count + (keys[count] != '\0')) {
    count = strcspn(keys, "\n");
    snprintf(key, sizeof key, "%.*s", (int)count, keys);
    used = text_add(out, bytes, used, prefix, key);
  }
  return used;
}

size_t rtop_lens_text(const struct rtop_lens_look *look, char *out, size_t bytes)
{
  size_t used = 0;
  out[0] = '\0';
  if (look->only_mine) used = text_add(out, bytes, used, "mine", "");
  if (look->processes) used = text_add(out, bytes, used, "by process", "");
  if (look->no_c) used = text_add(out, bytes, used, "-C", "");
  if (look->labels) used = text_add(out, bytes, used, "label roots", "");
  char states[64];
  rtop_states_text(look->states, states, sizeof states);
  if (look->states) used = text_add(out, bytes, used, "state ", states);
  used = text_keys(out, bytes, used, "root ", look->label_root);
  used = text_keys(out, bytes, used, "leaf ", look->label_leaf);
  if (look->merge != RTOP_MERGE_METHOD) used = text_add(out, bytes, used, "by ", rtop_merge_name(look->merge));
  for (const char *at = look->label; *at && used + 1 < bytes;) {
    char label[64];
    size_t count = strcspn(at, "\n");
    snprintf(label, sizeof label, "%.*s", (int)(count < 60 ? count : 60), at);
    used = text_add(out, bytes, used, "", label);
    at += count + (at[count] != '\0');
  }
  for (const char *at = look->exclude; *at && used + 1 < bytes;) {
    char pattern[64];
    size_t count = strcspn(at, ",\n");
    snprintf(pattern, sizeof pattern, "%.*s", (int)(count < 60 ? count : 60), at);
    used = text_add(out, bytes, used, "!", pattern + strspn(pattern, " "));
    at += count + (at[count] != '\0');
  }
  return used;
}
