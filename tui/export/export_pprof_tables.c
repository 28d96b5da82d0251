/* SPDX-License-Identifier: MIT */
/* Strings, functions and locations of a pprof file, each written once. */
#include "export_pprof_tables.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

struct pprof_text {
  UT_hash_handle hh;
  int64_t number;
  bool lost;
  char bytes[];
};

static struct pprof_text *tables_add_text(struct pprof_tables *tables, const char *text)
{
  size_t length = strlen(text);
  struct pprof_text *entry = malloc(sizeof *entry + length + 1);
  if (!entry ||
      !rtop_reserve(&tables->strings, &tables->string_capacity, tables->string_count + 1, sizeof *tables->strings)) {
    free(entry);
    return NULL;
  }
  memcpy(entry->bytes, text, length + 1);
  entry->number = (int64_t)tables->string_count;
  entry->lost = false;
  HASH_ADD_KEYPTR(hh, tables->texts, entry->bytes, length, entry);
  if (entry->lost) {
    free(entry);
    return NULL;
  }
  tables->strings[tables->string_count++] = entry->bytes;
  return entry;
}

int64_t pprof_string(struct pprof_tables *tables, const char *text)
{
  struct pprof_text *entry = NULL;
  HASH_FIND(hh, tables->texts, text, strlen(text), entry);
  if (!entry) entry = tables_add_text(tables, text);
  tables->failed = tables->failed || !entry;
  return entry ? entry->number : 0;
}

bool pprof_tables_open(struct pprof_tables *tables, const struct rtop_symbols *symbols)
{
  size_t nodes = rtop_symbols_node_count(symbols), frames = rtop_symbols_frame_count(symbols);
  *tables = (struct pprof_tables){ .slot_count = 1024 };
  while (tables->slot_count < nodes * 2) tables->slot_count *= 2;
  tables->of_node = calloc(nodes, sizeof *tables->of_node);
  tables->of_frame = calloc(frames, sizeof *tables->of_frame);
  tables->functions = calloc(frames, sizeof *tables->functions);
  tables->slots = calloc(tables->slot_count, sizeof *tables->slots);
  pprof_string(tables, "");
  return tables->of_node && tables->of_frame && tables->functions && tables->slots && !tables->failed;
}

void pprof_tables_close(struct pprof_tables *tables)
{
  HASH_CLEAR(hh, tables->texts);
  for (size_t i = 0; i < tables->string_count; i++)
    free((char *)(uintptr_t)tables->strings[i] - offsetof(struct pprof_text, bytes));
  free(tables->strings);
  free(tables->of_node);
  free(tables->of_frame);
  free(tables->functions);
  free(tables->locations);
  free(tables->slots);
  free(tables->buffer);
}

/* Finds or adds a location. There are never more locations than nodes, so free slots always remain. */
static uint64_t tables_location(struct pprof_tables *tables, uint32_t frame, uint32_t line)
{
  uint64_t key = ((uint64_t)frame << 32 | line) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (size_t)(key >> 20) & (tables->slot_count - 1);
  for (; tables->slots[at]; at = (at + 1) & (tables->slot_count - 1)) {
    const struct pprof_location *location = &tables->locations[tables->slots[at] - 1];
    if (location->frame == frame && location->line == line) return tables->slots[at];
  }
  if (!rtop_reserve(&tables->locations, &tables->location_capacity, tables->location_count + 1,
                    sizeof *tables->locations))
    return 0;
  tables->locations[tables->location_count++] = (struct pprof_location){ frame, line };
  if (!tables->of_frame[frame]) {
    tables->functions[tables->function_count++] = frame;
    tables->of_frame[frame] = tables->function_count;
  }
  return tables->slots[at] = tables->location_count;
}

size_t pprof_stack(struct pprof_tables *tables, const struct rtop_symbols *symbols, uint32_t node, uint64_t **stack,
                   size_t *capacity)
{
  size_t depth = 0;
  if (!rtop_reserve(stack, capacity, rtop_symbols_get_node(symbols, node)->depth + 1, sizeof **stack)) return 0;
  do {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    /* Label sets are not calls; a stack that consists of one only is written as that of the root. */
    bool labels = rtop_symbol_is_labels(rtop_symbols_get(symbols, call->frame));
    if (labels && depth > 0) break;
    if (!tables->of_node[node])
      tables->of_node[node] = tables_location(tables, labels ? 0 : call->frame, labels ? 0 : call->line);
    if (!tables->of_node[node]) return 0;
    (*stack)[depth++] = tables->of_node[node];
    node = call->parent;
  } while (node != 0);
  return depth;
}

void pprof_emit(struct pprof_tables *tables, const Rtop__Pprof__Profile *piece, FILE *out)
{
  size_t bytes = rtop__pprof__profile__get_packed_size(piece);
  if (!rtop_reserve(&tables->buffer, &tables->buffer_capacity, bytes, 1)) {
    tables->failed = true;
    return;
  }
  fwrite(tables->buffer, 1, rtop__pprof__profile__pack(piece, tables->buffer), out);
}

/* Writes the mapping. The file contains all names, so viewers must not search for symbols in other files. */
static void tables_write_mapping(struct pprof_tables *tables, const char *command, FILE *out)
{
  Rtop__Pprof__Mapping mapping = RTOP__PPROF__MAPPING__INIT, *list[] = { &mapping };
  Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
  mapping.id = 1;
  mapping.filename = pprof_string(tables, command);
  mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true;
  piece.mapping = list;
  piece.n_mapping = 1;
  pprof_emit(tables, &piece, out);
}

static void tables_write_location(struct pprof_tables *tables, const struct rtop_symbols *symbols, size_t at, FILE *out)
{
  const struct pprof_location *from = &tables->locations[at];
  Rtop__Pprof__Line line = RTOP__PPROF__LINE__INIT, *lines[] = { &line };
  Rtop__Pprof__Location location = RTOP__PPROF__LOCATION__INIT, *list[] = { &location };
  Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
  line.function_id = tables->of_frame[from->frame];
  line.line = from->line ? from->line : rtop_symbols_get(symbols, from->frame)->line;
  location.id = at + 1;
  location.mapping_id = 1;
  location.line = lines;
  location.n_line = 1;
  piece.location = list;
  piece.n_location = 1;
  pprof_emit(tables, &piece, out);
}

static void tables_write_function(struct pprof_tables *tables, const struct rtop_symbols *symbols, size_t at, FILE *out)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, tables->functions[at]);
  Rtop__Pprof__Function function = RTOP__PPROF__FUNCTION__INIT, *list[] = { &function };
  Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
  function.id = at + 1;
  /* No system name is set: if it were equal to the name, pprof would remove everything in <> from the name. */
  function.name = pprof_string(tables, symbol->label);
  function.filename = pprof_string(tables, symbol->path);
  function.start_line = symbol->line;
  piece.function = list;
  piece.n_function = 1;
  pprof_emit(tables, &piece, out);
}

static void tables_write_strings(struct pprof_tables *tables, FILE *out)
{
  for (size_t i = 0; i < tables->string_count; i++) {
    char *list[] = { (char *)(uintptr_t)tables->strings[i] };
    Rtop__Pprof__Profile piece = RTOP__PPROF__PROFILE__INIT;
    piece.string_table = list;
    piece.n_string_table = 1;
    pprof_emit(tables, &piece, out);
  }
}

bool pprof_tables_write(struct pprof_tables *tables, const struct rtop_symbols *symbols, const char *command, FILE *out)
{
  tables_write_mapping(tables, command, out);
  for (size_t i = 0; i < tables->location_count; i++) tables_write_location(tables, symbols, i, out);
  for (size_t i = 0; i < tables->function_count; i++) tables_write_function(tables, symbols, i, out);
  tables_write_strings(tables, out);
  return !tables->failed;
}
