/* Lists of labels that began. */
#include "profile_begun.h"

#include "profile_load.h"
#include "profile_windows.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static size_t begun_place(const struct profile_begun *list, const struct rtop_begun_count *begun)
{
  size_t from = 0, to = list->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    const struct rtop_begun_count *there = &list->all[middle];
    if (there->node != begun->node ? there->node < begun->node : there->label < begun->label) from = middle + 1;
    else to = middle;
  }
  return from;
}

bool profile_begun_add(struct profile_begun *list, const struct rtop_begun_count *begun)
{
  size_t place = begun_place(list, begun);
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
