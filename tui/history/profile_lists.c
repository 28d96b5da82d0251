/* SPDX-License-Identifier: MIT */
/* Lists of a window: labels that began, waiting fibers, figures of traced methods, and exceptions. */
#include "profile_lists.h"

#include "profile_load.h"
#include "profile_windows.h"
#include "shm/window/window.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

/* ---- sorted rows: a hostile window may have hundreds of thousands in the worst order ------------------- */

struct lists_kind {
  size_t bytes;
  bool (*before)(const void *row, const void *key);
  void (*add)(void *to, const void *later); /* of the same key */
  size_t carried_max;                       /* limit for rows of windows that memory cannot hold */
  /* turns a row beyond the limit into the row that stands for all such rows; NULL: the row is dropped */
  void (*become_rest)(void *row);
};

static uint64_t lists_sum(uint64_t a, uint64_t b)
{
  return a + b < a ? UINT64_MAX : a + b;
}

/* Merges two sorted runs; of equal keys the first run's row comes first. */
static void lists_merge_runs(const struct lists_kind *kind, const char *a, size_t a_count, const char *b,
                             size_t b_count, char *out)
{
  for (; a_count && b_count; out += kind->bytes) {
    bool second = kind->before(b, a);
    memcpy(out, second ? b : a, kind->bytes);
    a += second ? 0 : kind->bytes;
    b += second ? kind->bytes : 0;
    a_count -= !second;
    b_count -= second;
  }
  if (a_count) memcpy(out, a, a_count * kind->bytes);
  else if (b_count) memcpy(out, b, b_count * kind->bytes);
}

static bool lists_are_sorted(const struct lists_kind *kind, const char *rows, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (kind->before(rows + i * kind->bytes, rows + (i - 1) * kind->bytes)) return false;
  return true;
}

/* Stable sort, since the later of two equal rows may be the valid one. False: memory ran out. */
static bool lists_sort(const struct lists_kind *kind, char *rows, size_t count)
{
  if (lists_are_sorted(kind, rows, count)) return true;
  char *scratch = malloc(count * kind->bytes), *from = rows, *to = scratch;
  if (!scratch) return false;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t left = 0; left < count; left += 2 * run) {
      size_t middle = left + run < count ? left + run : count, right = middle + run < count ? middle + run : count;
      lists_merge_runs(kind, from + left * kind->bytes, middle - left, from + middle * kind->bytes, right - middle,
                       to + left * kind->bytes);
    }
    char *swap = from;
    from = to;
    to = swap;
  }
  if (from != rows) memcpy(rows, from, count * kind->bytes);
  free(scratch);
  return true;
}

/* Joins rows with equal keys in a sorted run. Returns the number of rows left. */
static size_t lists_join(const struct lists_kind *kind, char *rows, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const char *row = rows + i * kind->bytes;
    char *last = rows + (kept ? kept - 1 : 0) * kind->bytes;
    if (kept && !kind->before(last, row)) kind->add(last, row);
    else memmove(rows + kept++ * kind->bytes, row, kind->bytes);
  }
  return kept;
}

/* Sorts and joins a list; `rows` is the address of its array. False: memory ran out, and the list is empty. */
static bool lists_arrange(const struct lists_kind *kind, void *rows, size_t *count, size_t *capacity)
{
  char *all;
  memcpy(&all, rows, sizeof all);
  if (lists_sort(kind, all, *count)) {
    *count = lists_join(kind, all, *count);
    return true;
  }
  free(all);
  memset(rows, 0, sizeof all);
  *count = *capacity = 0;
  return false;
}

/* Merges sorted rows into a sorted list. False: memory ran out; the list is unchanged. */
static bool lists_merge(const struct lists_kind *kind, void *rows, size_t *count, size_t *capacity, const void *from,
                        size_t from_count)
{
  char *old, *merged = from_count ? malloc((*count + from_count) * kind->bytes) : NULL;
  if (!merged) return from_count == 0;
  memcpy(&old, rows, sizeof old);
  lists_merge_runs(kind, old, *count, from, from_count, merged);
  *count = lists_join(kind, merged, *count + from_count);
  char *fitting = realloc(merged, *count * kind->bytes);
  *capacity = *count;
  free(old);
  memcpy(rows, fitting ? &fitting : &merged, sizeof merged);
  return true;
}

/* Selects from sorted rows those whose keys are in the list, and others while there is room; the remaining rows are
 * folded. Returns the number of selected rows, still sorted. */
static size_t lists_choose(const struct lists_kind *kind, const char *all, size_t count, char *from, size_t from_count)
{
  size_t room = kind->carried_max > count ? kind->carried_max - count : 0, kept = 0, at = 0;
  for (size_t i = 0; i < from_count; i++) {
    char *row = from + i * kind->bytes;
    while (at < count && kind->before(all + at * kind->bytes, row)) at++;
    bool there = at < count && !kind->before(row, all + at * kind->bytes);
    if (!there && room == 0 && !kind->become_rest) continue;
    if (!there && room == 0) kind->become_rest(row);
    else if (!there) room--;
    memmove(from + kept++ * kind->bytes, row, kind->bytes);
  }
  return kept;
}

/* Like lists_merge(), with the limit for carried rows. Changes the caller's copy of the added rows. */
static bool lists_carry(const struct lists_kind *kind, void *rows, size_t *count, size_t *capacity, char *from,
                        size_t from_count)
{
  char *old;
  memcpy(&old, rows, sizeof old);
  size_t kept = lists_choose(kind, old, *count, from, lists_join(kind, from, from_count));
  return lists_sort(kind, from, kept) && lists_merge(kind, rows, count, capacity, from, lists_join(kind, from, kept));
}

static void *lists_copy(const struct lists_kind *kind, const void *rows, size_t count)
{
  void *copy = count ? malloc(count * kind->bytes) : NULL;
  if (copy) memcpy(copy, rows, count * kind->bytes);
  return copy;
}

/* ---- labels that began ------------------------------------------------------------------------------- */

static bool begun_before(const void *row, const void *key)
{
  const struct rtop_begun_count *a = row, *b = key;
  return a->node != b->node ? a->node < b->node : a->label < b->label;
}

static void begun_add(void *row, const void *later)
{
  struct rtop_begun_count *to = row;
  to->count = lists_sum(to->count, ((const struct rtop_begun_count *)later)->count);
}

static void begun_become_rest(void *row)
{
  struct rtop_begun_count *begun = row;
  begun->node = begun->label = 0;
}

static const struct lists_kind begun_kind = { sizeof(struct rtop_begun_count), begun_before, begun_add,
                                              PROFILE_CARRIED_MAX, begun_become_rest };

bool profile_begun_add(struct profile_begun *list, const struct rtop_begun_count *begun)
{
  if (!rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  list->all[list->count++] = *begun;
  return true;
}

bool profile_begun_arrange(struct profile_begun *list)
{
  return lists_arrange(&begun_kind, &list->all, &list->count, &list->capacity);
}

bool profile_begun_add_all(struct profile_begun *list, const struct profile_begun *from)
{
  return lists_merge(&begun_kind, &list->all, &list->count, &list->capacity, from->all, from->count);
}

bool profile_begun_carry(struct profile_begun *list, const struct profile_begun *from)
{
  void *copy = lists_copy(&begun_kind, from->all, from->count);
  bool fine = copy && lists_carry(&begun_kind, &list->all, &list->count, &list->capacity, copy, from->count);
  free(copy);
  return fine || from->count == 0;
}

void profile_begun_destroy(struct profile_begun *list)
{
  free(list->all);
  *list = (struct profile_begun){ 0 };
}

struct begun_walk {
  const struct rtop_profile *profile;
  void (*visit)(void *context, uint32_t source, const struct rtop_begun_count *begun);
  void *context;
};

static void begun_tell(const struct begun_walk *walk, uint32_t source, const struct rtop_begun_count *from,
                       const struct profile_part *part)
{
  struct rtop_begun_count begun = *from;
  if (part) begun.count = profile_part_share(part, from->count);
  if (begun.count && rtop_lens_node(walk->profile->lens, source, begun.node) != RTOP_LENS_OUT)
    walk->visit(walk->context, source, &begun);
}

void rtop_profile_each_begun(const struct rtop_profile *profile, struct rtop_span span,
                             void (*visit)(void *context, uint32_t source, const struct rtop_begun_count *begun),
                             void *context)
{
  const struct begun_walk walk = { profile, visit, context };
  const struct profile_begun *carried = &profile->carry.begun;
  bool carries = carried->count && span.start_ns <= rtop_profile_bounds(profile).start_ns;
  for (size_t i = 0; carries && i < carried->count; i++) begun_tell(&walk, UINT32_MAX, &carried->all[i], NULL);
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));)
    for (size_t k = 0; k < window->begun.count; k++)
      begun_tell(&walk, profile->sources[window->source].source, &window->begun.all[k], &windows.part);
}

/* ---- fibers ------------------------------------------------------------------------------------- */

static bool fibers_before(const void *row, const void *key)
{
  const struct rtop_fibers_wait *a = row, *b = key;
  if (a->serial != b->serial) return a->serial < b->serial;
  if (a->name != b->name) return a->name < b->name;
  return a->node < b->node;
}

static uint32_t fibers_count(uint32_t a, uint32_t b)
{
  return a + b < a ? UINT32_MAX : a + b;
}

static void fibers_add(void *row, const void *later)
{
  struct rtop_fibers_wait *to = row;
  const struct rtop_fibers_wait *from = later;
  to->alive = fibers_count(to->alive, from->alive);
  to->waiting = fibers_count(to->waiting, from->waiting);
  to->wait_ns = lists_sum(to->wait_ns, from->wait_ns);
  if (to->longest_ns < from->longest_ns) to->longest_ns = from->longest_ns;
}

static const struct lists_kind fibers_kind = { sizeof(struct rtop_fibers_wait), fibers_before, fibers_add, 0, NULL };

bool profile_fibers_add(struct profile_fibers **handle, const struct rtop_fibers_wait *fibers)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  struct profile_fibers *list = *handle;
  if (!list || !rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  list->all[list->count++] = *fibers;
  return true;
}

bool profile_fibers_arrange(struct profile_fibers *list)
{
  return !list || lists_arrange(&fibers_kind, &list->all, &list->count, &list->capacity);
}

bool profile_fibers_add_all(struct profile_fibers **handle, const struct profile_fibers *from)
{
  struct profile_fibers *list = *handle;
  for (size_t i = 0; list && i < list->count; i++) list->all[i].alive = list->all[i].waiting = 0;
  if (!from) return true;
  if (!list) *handle = list = calloc(1, sizeof *list);
  return list && lists_merge(&fibers_kind, &list->all, &list->count, &list->capacity, from->all, from->count);
}

void profile_fibers_destroy(struct profile_fibers **list)
{
  if (!*list) return;
  free((*list)->all);
  free(*list);
  *list = NULL;
}

uint64_t rtop_fibers_share(const struct rtop_fibers_look *look, uint64_t ns)
{
  return look->part ? profile_part_share(look->part, ns) : ns;
}

void rtop_profile_each_fibers(const struct rtop_profile *profile, struct rtop_span span,
                              void (*visit)(void *context, const struct rtop_fibers_look *look), void *context)
{
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));) {
    const struct rtop_fibers_look look = {
      .source = profile->sources[window->source].source,
      .all = window->fibers ? window->fibers->all : NULL,
      .count = window->fibers ? window->fibers->count : 0,
      .part = &windows.part,
    };
    visit(context, &look);
  }
}

/* ---- traced methods ---------------------------------------------------------------------------------- */

static bool exact_before(const void *row, const void *key)
{
  const struct rtop_exact_number *a = row, *b = key;
  if (a->node != b->node) return a->node < b->node;
  return a->what != b->what ? a->what < b->what : a->key < b->key;
}

static void exact_add(void *row, const void *later)
{
  struct rtop_exact_number *to = row;
  to->value = rtop_exact_sum(to->what, to->value, ((const struct rtop_exact_number *)later)->value);
}

static const struct lists_kind exact_kind = { sizeof(struct rtop_exact_number), exact_before, exact_add,
                                              PROFILE_CARRIED_MAX, NULL };

static struct profile_exact *exact_list(struct profile_exact **handle)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  return *handle;
}

bool profile_exact_add(struct profile_exact **handle, const struct rtop_exact_number *number)
{
  struct profile_exact *list = exact_list(handle);
  if (!list || !rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  list->all[list->count++] = *number;
  return true;
}

bool profile_exact_arrange(struct profile_exact *list)
{
  return !list || lists_arrange(&exact_kind, &list->all, &list->count, &list->capacity);
}

static bool exact_add_slow(struct profile_exact **list, const struct profile_exact *from)
{
  for (size_t i = 0; i < profile_slow_count(from); i++)
    if (!profile_slow_add(list, &from->slow[i])) return false;
  return true;
}

bool profile_exact_add_all(struct profile_exact **handle, const struct profile_exact *from)
{
  struct profile_exact *list = from ? exact_list(handle) : NULL;
  if (!list) return !from;
  return lists_merge(&exact_kind, &list->all, &list->count, &list->capacity, from->all, from->count) &&
         exact_add_slow(handle, from);
}

bool profile_exact_carry(struct profile_exact **handle, const struct profile_exact *from)
{
  struct profile_exact *list = from ? exact_list(handle) : NULL;
  if (!list) return !from;
  void *copy = lists_copy(&exact_kind, from->all, from->count);
  bool fine = copy && lists_carry(&exact_kind, &list->all, &list->count, &list->capacity, copy, from->count);
  free(copy);
  return (fine || from->count == 0) && exact_add_slow(handle, from);
}

size_t profile_slow_args_bytes(const struct rtop_slow_call *call)
{
  size_t bytes = call->args ? strlen(call->args) : 0;
  return bytes < RTOP_ARGS_BYTES ? bytes : RTOP_ARGS_BYTES;
}

static void slow_free_args(struct profile_exact *list, struct rtop_slow_call *call)
{
  if (call->args) list->args_bytes -= strlen(call->args) + 1;
  free((char *)call->args);
}

/* Drops the shortest call, or the shortest block. The list must have one. */
static void slow_drop_shortest(struct profile_exact *list, bool blocks)
{
  struct rtop_slow_call *at = NULL;
  for (size_t i = 0; i < list->slow_count; i++) {
    struct rtop_slow_call *call = &list->slow[i];
    if ((call->own != 0) == blocks && (!at || call->total_ns < at->total_ns)) at = call;
  }
  size_t shortest = (size_t)(at - list->slow);
  list->block_count -= blocks;
  slow_free_args(list, at);
  memmove(at, at + 1, (--list->slow_count - shortest) * sizeof *at);
}

bool profile_slow_add(struct profile_exact **handle, const struct rtop_slow_call *call)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  struct profile_exact *list = *handle;
  if (!list || !rtop_reserve(&list->slow, &list->slow_capacity, list->slow_count + 1, sizeof *list->slow)) return false;
  char *args = call->args ? strdup(call->args) : NULL;
  if (call->args && !args) return false;
  struct rtop_slow_call *added = &list->slow[list->slow_count++];
  *added = *call;
  added->args = args;
  list->args_bytes += args ? strlen(args) + 1 : 0;
  list->block_count += call->own != 0;
  if (list->block_count > PROFILE_BLOCKS_MAX) slow_drop_shortest(list, true);
  if (list->slow_count - list->block_count > PROFILE_SLOW_MAX) slow_drop_shortest(list, false);
  return true;
}

void profile_slow_fit(struct profile_exact *list)
{
  if (!list || !list->slow || list->slow_capacity == list->slow_count + 1) return;
  struct rtop_slow_call *fewer = realloc(list->slow, (list->slow_count + 1) * sizeof *fewer);
  if (!fewer) return;
  list->slow = fewer;
  list->slow_capacity = list->slow_count + 1;
}

void profile_exact_destroy(struct profile_exact **list)
{
  if (*list) {
    for (size_t i = 0; i < (*list)->slow_count; i++) slow_free_args(*list, &(*list)->slow[i]);
    free((*list)->all);
    free((*list)->slow);
  }
  free(*list);
  *list = NULL;
}

uint64_t profile_exact_share(const struct profile_part *part, const struct rtop_exact_number *number)
{
  bool sum = !rtop_exact_is_now(number->what) && !rtop_exact_is_max(number->what);
  return sum ? profile_part_share(part, number->value) : number->value;
}

void rtop_profile_each_exact(const struct rtop_profile *profile, struct rtop_span span,
                             void (*visit)(void *context, uint32_t source, const struct rtop_exact_number *number),
                             void *context)
{
  const struct profile_exact *carried = profile->carry.exact;
  bool carries = carried && span.start_ns <= rtop_profile_bounds(profile).start_ns;
  for (size_t i = 0; carries && i < carried->count; i++) visit(context, UINT32_MAX, &carried->all[i]);
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));)
    for (size_t k = 0; k < profile_exact_count(window->exact); k++) {
      struct rtop_exact_number number = window->exact->all[k];
      number.value = profile_exact_share(&windows.part, &number);
      if (number.value) visit(context, profile->sources[window->source].source, &number);
    }
}

bool rtop_profile_has_exact(const struct rtop_profile *profile)
{
  return profile->has_exact;
}

bool rtop_profile_has_work(const struct rtop_profile *profile)
{
  return profile->has_work;
}

void profile_exact_note(struct rtop_profile *profile, const struct profile_exact *list)
{
  profile->has_exact = profile->has_exact || (list && list->slow_count > list->block_count);
  profile->has_work = profile->has_work || (list && list->block_count);
  for (size_t i = 0; i < profile_exact_count(list) && !(profile->has_exact && profile->has_work); i++) {
    bool work = list->all[i].what >= RTOP_WORK_ENDED && list->all[i].what < RTOP_WORK_WHAT_END;
    if (work) profile->has_work = true;
    else profile->has_exact = true;
  }
}

/* Did the call end in this part? The call may even have ended before the window that reports it. */
bool profile_slow_is_in(const struct rtop_slow_call *call, const struct profile_window *window,
                        const struct profile_part *part)
{
  int64_t at_ns = call->end_ns > window->start_ns ? call->end_ns - window->start_ns : 1;
  return profile_part_is_whole(part) || (at_ns > part->from_ns && at_ns <= part->to_ns);
}

void rtop_profile_each_slow(const struct rtop_profile *profile, struct rtop_span span,
                            void (*visit)(void *context, uint32_t source, const struct rtop_slow_call *call),
                            void *context)
{
  const struct profile_exact *carried = profile->carry.exact;
  bool carries = carried && span.start_ns <= rtop_profile_bounds(profile).start_ns;
  for (size_t i = 0; carries && i < carried->slow_count; i++) visit(context, UINT32_MAX, &carried->slow[i]);
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));)
    for (size_t i = 0; i < profile_slow_count(window->exact); i++)
      if (profile_slow_is_in(&window->exact->slow[i], window, &windows.part))
        visit(context, profile->sources[window->source].source, &window->exact->slow[i]);
}

/* ---- exceptions ------------------------------------------------------------------------------------- */

static bool raised_before(const void *row, const void *key)
{
  const struct rtop_raised_count *a = row, *b = key;
  if (a->name != b->name) return a->name < b->name;
  if (a->node != b->node) return a->node < b->node;
  return a->serial < b->serial;
}

static void raised_add(void *row, const void *later)
{
  struct rtop_raised_count *to = row;
  const struct rtop_raised_count *from = later;
  to->count = lists_sum(to->count, from->count);
  if (from->first_ns < to->first_ns) to->first_ns = from->first_ns;
  if (from->last_ns > to->last_ns) to->last_ns = from->last_ns;
}

static void raised_become_rest(void *row)
{
  struct rtop_raised_count *raised = row;
  raised->name = raised->node = 0;
  raised->serial = 0;
}

static const struct lists_kind raised_kind = { sizeof(struct rtop_raised_count), raised_before, raised_add,
                                               PROFILE_CARRIED_MAX, raised_become_rest };

static struct profile_raised *raised_list(struct profile_raised **handle)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  return *handle;
}

bool profile_raised_add(struct profile_raised **handle, const struct rtop_raised_count *raised)
{
  struct profile_raised *list = raised_list(handle);
  if (!list || !rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  list->all[list->count++] = *raised;
  return true;
}

/* Limits the rows: beyond what real processes have, exceptions are counted without class and place. */
static void raised_bound(struct profile_raised *list)
{
  if (list->count <= PROFILE_RAISED_MAX) return;
  struct rtop_raised_count rest = list->all[PROFILE_RAISED_MAX - 1];
  raised_become_rest(&rest);
  for (size_t i = PROFILE_RAISED_MAX; i < list->count; i++) raised_add(&rest, &list->all[i]);
  memmove(list->all + 1, list->all, (PROFILE_RAISED_MAX - 1) * sizeof *list->all);
  list->all[0] = rest; /* the row that stands for the others has the smallest possible key, which may occur twice */
  list->count = lists_join(&raised_kind, (char *)list->all, PROFILE_RAISED_MAX);
  struct rtop_raised_count *fewer = realloc(list->all, list->count * sizeof *list->all);
  if (fewer) list->all = fewer;
  list->capacity = list->count;
}

bool profile_raised_arrange(struct profile_raised *list)
{
  if (!list) return true;
  bool fine = lists_arrange(&raised_kind, &list->all, &list->count, &list->capacity);
  raised_bound(list);
  return fine;
}

bool profile_raised_add_all(struct profile_raised **handle, const struct profile_raised *from)
{
  struct profile_raised *list = from ? raised_list(handle) : NULL;
  if (!list) return !from;
  return lists_merge(&raised_kind, &list->all, &list->count, &list->capacity, from->all, from->count);
}

/* Threads are dropped from the key, because threads that come and go would each have rows. */
bool profile_raised_carry(struct profile_raised **handle, const struct profile_raised *from)
{
  struct profile_raised *list = from ? raised_list(handle) : NULL;
  struct rtop_raised_count *copy = list ? lists_copy(&raised_kind, from->all, from->count) : NULL;
  if (!copy) return !from || (list && from->count == 0);
  for (size_t i = 0; i < from->count; i++) copy[i].serial = 0;
  bool fine = lists_carry(&raised_kind, &list->all, &list->count, &list->capacity, (char *)copy, from->count);
  free(copy);
  return fine;
}

void profile_raised_destroy(struct profile_raised **list)
{
  if (*list) free((*list)->all);
  free(*list);
  *list = NULL;
}

void rtop_profile_each_raised(const struct rtop_profile *profile, struct rtop_span span,
                              void (*visit)(void *context, uint32_t source, const struct rtop_raised_count *raised),
                              void *context)
{
  const struct profile_raised *carried = profile->carry.raised;
  bool carries = carried && span.start_ns <= rtop_profile_bounds(profile).start_ns;
  for (size_t i = 0; carries && i < carried->count; i++) visit(context, UINT32_MAX, &carried->all[i]);
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));)
    for (size_t i = 0; i < profile_raised_count(window->raised); i++) {
      struct rtop_raised_count raised = window->raised->all[i];
      raised.count = profile_part_share(&windows.part, raised.count);
      if (raised.count) visit(context, profile->sources[window->source].source, &raised);
    }
}

/* ---- who waits behind whom -------------------------------------------------------------------------- */

static bool pairs_before(const void *row, const void *key)
{
  const struct rtop_behind_count *a = row, *b = key;
  if (a->node != b->node) return a->node < b->node;
  if (a->holder != b->holder) return a->holder < b->holder;
  return a->cause != b->cause ? a->cause < b->cause : a->place < b->place;
}

static void pairs_add(void *row, const void *later)
{
  struct rtop_behind_count *to = row;
  const struct rtop_behind_count *from = later;
  to->count = lists_sum(to->count, from->count);
  to->wait_ns = lists_sum(to->wait_ns, from->wait_ns);
}

static void pairs_become_rest(void *row)
{
  struct rtop_behind_count *pair = row;
  pair->node = pair->holder = pair->place = 0;
}

static const struct lists_kind pairs_kind = { sizeof(struct rtop_behind_count), pairs_before, pairs_add,
                                              PROFILE_CARRIED_MAX, pairs_become_rest };

static struct profile_pairs *pairs_list(struct profile_pairs **handle)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  return *handle;
}

bool profile_pairs_add(struct profile_pairs **handle, const struct rtop_behind_count *pair)
{
  struct profile_pairs *list = pairs_list(handle);
  if (!list || !rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  list->all[list->count++] = *pair;
  return true;
}

/* Beyond what real processes have, pairs lose their parties, and are joined by cause. */
bool profile_pairs_arrange(struct profile_pairs *list)
{
  if (!list) return true;
  bool fine = lists_arrange(&pairs_kind, &list->all, &list->count, &list->capacity);
  if (list->count <= PROFILE_PAIRS_MAX) return fine;
  for (size_t i = PROFILE_PAIRS_MAX; i < list->count; i++) pairs_become_rest(&list->all[i]);
  return lists_arrange(&pairs_kind, &list->all, &list->count, &list->capacity) && fine;
}

bool profile_pairs_add_all(struct profile_pairs **handle, const struct profile_pairs *from)
{
  struct profile_pairs *list = from ? pairs_list(handle) : NULL;
  if (!list) return !from;
  return lists_merge(&pairs_kind, &list->all, &list->count, &list->capacity, from->all, from->count);
}

/* Places are dropped from the key: each stack that waited for a lock would have rows. */
bool profile_pairs_carry(struct profile_pairs **handle, const struct profile_pairs *from)
{
  struct profile_pairs *list = from ? pairs_list(handle) : NULL;
  struct rtop_behind_count *copy = list ? lists_copy(&pairs_kind, from->all, from->count) : NULL;
  if (!copy) return !from || (list && from->count == 0);
  for (size_t i = 0; i < from->count; i++) copy[i].place = 0;
  bool fine = lists_carry(&pairs_kind, &list->all, &list->count, &list->capacity, (char *)copy, from->count);
  free(copy);
  return fine;
}

void profile_pairs_destroy(struct profile_pairs **list)
{
  if (*list) free((*list)->all);
  free(*list);
  *list = NULL;
}

void rtop_profile_each_pair(const struct rtop_profile *profile, struct rtop_span span,
                            void (*visit)(void *context, uint32_t source, const struct rtop_behind_count *pair),
                            void *context)
{
  const struct profile_pairs *carried = profile->carry.pairs;
  bool carries = carried && span.start_ns <= rtop_profile_bounds(profile).start_ns;
  for (size_t i = 0; carries && i < carried->count; i++) visit(context, UINT32_MAX, &carried->all[i]);
  struct profile_walk windows = profile_walk(profile, span);
  for (const struct profile_window *window; (window = profile_walk_read(&windows));)
    for (size_t i = 0; i < profile_pairs_count(window->pairs); i++) {
      struct rtop_behind_count pair = window->pairs->all[i];
      pair.count = profile_part_share(&windows.part, pair.count);
      pair.wait_ns = profile_part_share(&windows.part, pair.wait_ns);
      if (pair.wait_ns) visit(context, profile->sources[window->source].source, &pair);
    }
}
