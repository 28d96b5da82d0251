/* SPDX-License-Identifier: MIT */
/* Sums up who waits behind whom, for one label. */
#include "behind.h"

#include "tui/history/lens.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum { JOIN_FROM = 4096 };

static int compare(const void *left, const void *right)
{
  const struct rtop_behind_count *a = left, *b = right;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->holder != b->holder) return a->holder < b->holder ? -1 : 1;
  if (a->cause != b->cause) return a->cause < b->cause ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
  return a + b < a ? UINT64_MAX : a + b;
}

static void join(struct behind_list *list)
{
  size_t kept = 0;
  if (list->count) qsort(list->all, list->count, sizeof *list->all, compare);
  for (size_t i = 0; i < list->count; i++) {
    struct rtop_behind_count *last = kept ? &list->all[kept - 1] : NULL;
    if (!last || compare(last, &list->all[i]) != 0) {
      list->all[kept++] = list->all[i];
      continue;
    }
    last->count = sum(last->count, list->all[i].count);
    last->wait_ns = sum(last->wait_ns, list->all[i].wait_ns);
  }
  list->count = list->joined = kept;
}

struct behind_walk {
  struct behind_list *list;
  struct rtop_lens *lens;
  uint32_t only_source;
  bool failed;
};

/* Joins whenever the list has doubled, so that a long span takes no more memory than its pairs. */
static void take(void *context, uint32_t source, const struct rtop_behind_count *pair)
{
  struct behind_walk *walk = context;
  struct behind_list *list = walk->list;
  if (walk->failed || (walk->only_source && source + 1 != walk->only_source)) return;
  if (rtop_lens_node(walk->lens, source, pair->node) == RTOP_LENS_OUT) return;
  if (list->count >= 2 * list->joined + JOIN_FROM) join(list);
  walk->failed = !rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all);
  if (!walk->failed) list->all[list->count++] = *pair;
}

bool behind_list_build(struct behind_list *list, struct rtop_profile *profile, struct rtop_span span,
                       uint32_t only_source)
{
  struct behind_walk walk = { list, rtop_profile_lens(profile), only_source, false };
  list->count = list->joined = 0;
  rtop_profile_each_pair(profile, span, take, &walk);
  join(list);
  return !walk.failed;
}

void behind_list_destroy(struct behind_list *list)
{
  free(list->all);
  *list = (struct behind_list){ 0 };
}

/* ---- of a label ---------------------------------------------------------------------------------------- */

static const struct rtop_symbol *symbol_of(const struct rtop_symbols *symbols, uint32_t node)
{
  return rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, node)->frame);
}

/* The value of the key in a set of labels. */
static bool find_value(const char *set, const char *key, size_t key_bytes, struct rtop_label_buffer *label)
{
  for (size_t at = 0; rtop_label_text_next(set, strlen(set), &at, label);)
    if (strlen(label->key) == key_bytes && memcmp(label->key, key, key_bytes) == 0) return true;
  return false;
}

static void name_holder(char *name, size_t bytes, const struct rtop_symbol *symbol, const char *key, size_t key_bytes)
{
  struct rtop_label_buffer label;
  bool labels = rtop_symbol_is_labels(symbol);
  bool value = labels && find_value(symbol->label, key, key_bytes, &label);
  bool known = labels || symbol->kind == RTOP_SYMBOL_RUBY || symbol->kind == RTOP_SYMBOL_C;
  rtop_text_cut(name, bytes, value ? label.value : known ? symbol->label : "", (int)bytes - 1);
}

/* The method of the program that waits there. */
static uint32_t method_at(const struct rtop_symbols *symbols, uint32_t node)
{
  for (; node; node = rtop_symbols_get_node(symbols, node)->parent)
    if (rtop_symbol_is_program(symbol_of(symbols, node))) return rtop_symbols_get_node(symbols, node)->frame;
  return 0;
}

static struct behind_row *find_row(struct behind_rows *out, const struct behind_row *like, bool all)
{
  for (size_t i = 0; i < out->count; i++) {
    struct behind_row *row = &out->rows[i];
    if (row->cause == like->cause && row->place == like->place && strcmp(row->holder, like->holder) == 0) return row;
  }
  size_t room = all ? BEHIND_ROWS_MAX : BEHIND_ROWS_MAX - RTOP_PAIR_CAUSES;
  if (out->count >= room) return NULL;
  struct behind_row *row = &out->rows[out->count++];
  *row = *like;
  row->count = row->wait_ns = 0;
  return row;
}

static void add(struct behind_rows *out, const struct behind_row *more)
{
  struct behind_row *row = find_row(out, more, false);
  const struct behind_row rest = { .cause = more->cause };
  if (!row) row = find_row(out, &rest, true);
  if (!row) return; /* there is one for each cause */
  row->count = sum(row->count, more->count);
  row->wait_ns = sum(row->wait_ns, more->wait_ns);
}

static int longest_first(const void *left, const void *right)
{
  const struct behind_row *a = left, *b = right;
  if (a->wait_ns != b->wait_ns) return a->wait_ns > b->wait_ns ? -1 : 1;
  return a->cause != b->cause ? (a->cause < b->cause ? -1 : 1) : strcmp(a->holder, b->holder);
}

void behind_of_label(struct behind_rows *out, const struct behind_list *list, const struct rtop_symbols *symbols,
                     const char *key, size_t key_bytes, const char *value)
{
  struct rtop_label_buffer label;
  bool its = false;
  out->count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct rtop_behind_count *pair = &list->all[i];
    const struct rtop_symbol *waits = symbol_of(symbols, pair->node);
    if (i == 0 || pair->node != list->all[i - 1].node)
      its = rtop_symbol_is_labels(waits) && find_value(waits->label, key, key_bytes, &label) &&
            strcmp(label.value, value) == 0;
    if (!its) continue;
    struct behind_row row = { .cause = pair->cause, .count = pair->count, .wait_ns = pair->wait_ns };
    if (pair->cause != RTOP_PAIR_HANDOVER)
      name_holder(row.holder, sizeof row.holder, symbol_of(symbols, pair->holder), key, key_bytes);
    if (pair->cause == RTOP_PAIR_LOCK) row.place = method_at(symbols, pair->place);
    add(out, &row);
  }
  if (out->count) qsort(out->rows, out->count, sizeof *out->rows, longest_first);
}

/* ---- words --------------------------------------------------------------------------------------------- */

const char *behind_cause_name(uint32_t cause)
{
  static const char *const names[RTOP_PAIR_CAUSES] = { "gvl", "gc", "lock", "handover" };
  return cause < RTOP_PAIR_CAUSES ? names[cause] : "";
}

static void add_words(struct phrase *text, const struct behind_row *row, const struct rtop_symbols *symbols,
                      uint64_t ended)
{
  static const char *const causes[RTOP_PAIR_CAUSES] = { "GVL", "its GC", "lock", "GVL on its way" };
  char time[24];
  bool nobody = row->cause == RTOP_PAIR_HANDOVER;
  const char *holder = row->holder[0] ? row->holder : nobody ? "nobody" : "others";
  rtop_text_duration(time, sizeof time, (int64_t)((ended ? row->wait_ns / ended : row->wait_ns) & INT64_MAX));
  phrase_add(text, "%s%s %s (%s", text->used ? ", " : "", holder, time, causes[row->cause]);
  if (row->place) phrase_add(text, " in %s", rtop_symbols_get(symbols, row->place)->label);
  phrase_add(text, ")");
}

void behind_words(char *out, size_t bytes, const struct behind_rows *rows, const struct rtop_symbols *symbols,
                  uint64_t ended)
{
  struct phrase text = { out, bytes, 0 };
  uint64_t all_ns = 0;
  out[0] = '\0';
  for (size_t i = 0; i < rows->count; i++) all_ns = sum(all_ns, rows->rows[i].wait_ns);
  for (size_t i = 0; i < rows->count; i++)
    if (rows->rows[i].wait_ns >= all_ns / 200) add_words(&text, &rows->rows[i], symbols, ended);
}
