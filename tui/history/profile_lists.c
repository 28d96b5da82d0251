/* Lists of labels that began, of fibers that wait, of what is known of traced methods, and of exceptions. */
#include "profile_lists.h"

#include "profile_load.h"
#include "profile_windows.h"
#include "shm/base/sorted.h"
#include "shm/window/window.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static bool begun_before(const void *row, const void *key)
{
  const struct rtop_begun_count *a = row, *b = key;
  return a->node != b->node ? a->node < b->node : a->label < b->label;
}

bool profile_begun_add(struct profile_begun *list, const struct rtop_begun_count *begun)
{
  size_t place = sorted_place(list->all, list->count, sizeof *list->all, begun, begun_before);
  if (place < list->count && list->all[place].node == begun->node && list->all[place].label == begun->label) {
    list->all[place].count += begun->count;
    return true;
  }
  if (!rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  struct rtop_begun_count *at = &list->all[place];
  memmove(at + 1, at, (list->count - place) * sizeof *at);
  *at = *begun;
  list->count++;
  return true;
}

bool profile_begun_add_all(struct profile_begun *list, const struct profile_begun *from)
{
  for (size_t i = 0; i < from->count; i++)
    if (!profile_begun_add(list, &from->all[i])) return false;
  return true;
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

static bool fibers_insert(struct profile_fibers *list, const struct rtop_fibers_wait *fibers)
{
  size_t place = sorted_place(list->all, list->count, sizeof *list->all, fibers, fibers_before);
  struct rtop_fibers_wait *at = list->all + place;
  if (place < list->count && !fibers_before(fibers, at)) {
    at->alive = fibers_count(at->alive, fibers->alive);
    at->waiting = fibers_count(at->waiting, fibers->waiting);
    at->wait_ns += fibers->wait_ns;
    if (at->longest_ns < fibers->longest_ns) at->longest_ns = fibers->longest_ns;
    return true;
  }
  if (!rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  at = &list->all[place];
  memmove(at + 1, at, (list->count - place) * sizeof *at);
  *at = *fibers;
  list->count++;
  return true;
}

bool profile_fibers_add(struct profile_fibers **list, const struct rtop_fibers_wait *fibers)
{
  if (!*list) *list = calloc(1, sizeof **list);
  return *list && fibers_insert(*list, fibers);
}

bool profile_fibers_add_all(struct profile_fibers **list, const struct profile_fibers *from)
{
  for (size_t i = 0; *list && i < (*list)->count; i++) (*list)->all[i].alive = (*list)->all[i].waiting = 0;
  for (size_t i = 0; from && i < from->count; i++)
    if (!profile_fibers_add(list, &from->all[i])) return false;
  return true;
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

bool profile_exact_add(struct profile_exact **handle, const struct rtop_exact_number *number)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  struct profile_exact *list = *handle;
  if (!list) return false;
  size_t place = sorted_place(list->all, list->count, sizeof *list->all, number, exact_before);
  if (place < list->count && !exact_before(number, &list->all[place])) {
    list->all[place].value = rtop_exact_sum(number->what, list->all[place].value, number->value);
    return true;
  }
  if (!rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  struct rtop_exact_number *at = &list->all[place];
  memmove(at + 1, at, (list->count - place) * sizeof *at);
  *at = *number;
  list->count++;
  return true;
}

bool profile_exact_add_all(struct profile_exact **list, const struct profile_exact *from)
{
  for (size_t i = 0; i < profile_exact_count(from); i++)
    if (!profile_exact_add(list, &from->all[i])) return false;
  for (size_t i = 0; i < profile_slow_count(from); i++)
    if (!profile_slow_add(list, &from->slow[i])) return false;
  return true;
}

static void slow_drop_shortest(struct profile_exact *list)
{
  size_t shortest = 0;
  for (size_t i = 1; i < list->slow_count; i++)
    if (list->slow[i].total_ns < list->slow[shortest].total_ns) shortest = i;
  struct rtop_slow_call *at = &list->slow[shortest];
  memmove(at, at + 1, (--list->slow_count - shortest) * sizeof *at);
}

bool profile_slow_add(struct profile_exact **handle, const struct rtop_slow_call *call)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  struct profile_exact *list = *handle;
  if (!list || !rtop_reserve(&list->slow, &list->slow_capacity, list->slow_count + 1, sizeof *list->slow)) return false;
  list->slow[list->slow_count++] = *call;
  if (list->slow_count > PROFILE_SLOW_MAX) slow_drop_shortest(list);
  return true;
}

void profile_exact_destroy(struct profile_exact **list)
{
  if (*list) {
    free((*list)->all);
    free((*list)->slow);
  }
  free(*list);
  *list = NULL;
}

uint64_t profile_exact_share(const struct profile_part *part, const struct rtop_exact_number *number)
{
  bool sum =
      !rtop_exact_is_now(number->what) && number->what != RTOP_EXACT_TOTAL_MAX && number->what != RTOP_EXACT_SELF_MAX;
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

/* It may have ended in a window before the one that tells it. */
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

bool profile_raised_add(struct profile_raised **handle, const struct rtop_raised_count *raised)
{
  if (!*handle) *handle = calloc(1, sizeof **handle);
  struct profile_raised *list = *handle;
  if (!list) return false;
  size_t place = sorted_place(list->all, list->count, sizeof *list->all, raised, raised_before);
  if (place < list->count && !raised_before(raised, &list->all[place])) {
    struct rtop_raised_count *there = &list->all[place];
    there->count += raised->count;
    if (raised->first_ns < there->first_ns) there->first_ns = raised->first_ns;
    if (raised->last_ns > there->last_ns) there->last_ns = raised->last_ns;
    return true;
  }
  if (!rtop_reserve(&list->all, &list->capacity, list->count + 1, sizeof *list->all)) return false;
  struct rtop_raised_count *at = &list->all[place];
  memmove(at + 1, at, (list->count - place) * sizeof *at);
  *at = *raised;
  list->count++;
  return true;
}

bool profile_raised_add_all(struct profile_raised **list, const struct profile_raised *from)
{
  for (size_t i = 0; i < profile_raised_count(from); i++)
    if (!profile_raised_add(list, &from->all[i])) return false;
  return true;
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
