/* Keeps what is shown, and orders rows by what they are worth and where they stood. */
#include "calm.h"

#include "reserve.h"
#include <math.h>
#include <stdlib.h>

enum { CALM_KEPT_MAX = 1 << 13 };

double rtop_calm_least_above(double most, double least, int part)
{
  return most - fmax(fabs(most) / part, fmin(least, fabs(most) / 2));
}

double rtop_calm_noise(double share, double samples)
{
  return samples > 0 ? sqrt(2 * (fabs(share) * samples + 1)) / samples : 0;
}

double rtop_calm_figure(double shown, double value, double tolerance)
{
  return fabs(value - shown) <= tolerance ? shown : value;
}

uint64_t rtop_calm_key(uint64_t row, uint32_t what)
{
  uint64_t key = (row + UINT64_C(0x9e3779b97f4a7c15) * (what + 1)) * UINT64_C(0xbf58476d1ce4e5b9);
  return key ^ key >> 31;
}

static struct rtop_calm_kept *calm_find(struct rtop_calm *calm, uint64_t key)
{
  uint32_t *at = rtop_pairs_at(&calm->index, (uint32_t)(key >> 32), (uint32_t)key);
  if (at == NULL) return NULL;
  if (*at != 0) return &calm->kept[*at - 1];
  if (!rtop_reserve(&calm->kept, &calm->capacity, calm->count + 1, sizeof *calm->kept)) {
    rtop_calm_forget(calm); /* the pair has no value and must not stay */
    return NULL;
  }
  calm->kept[calm->count] = (struct rtop_calm_kept){ .key = key, .shown = NAN };
  *at = (uint32_t)++calm->count;
  return &calm->kept[*at - 1];
}

double rtop_calm_keep(struct rtop_calm *calm, uint64_t key, double value, double tolerance)
{
  struct rtop_calm_kept *kept = calm_find(calm, key);
  if (kept == NULL) return value;
  kept->asked = calm->step;
  return kept->shown = rtop_calm_figure(kept->shown, value, tolerance);
}

void rtop_calm_step(struct rtop_calm *calm)
{
  if (calm->count > CALM_KEPT_MAX) {
    size_t count = 0;
    for (size_t i = 0; i < calm->count; i++)
      if (calm->kept[i].asked == calm->step) calm->kept[count++] = calm->kept[i];
    calm->count = count > CALM_KEPT_MAX / 2 ? 0 : count;
    rtop_pairs_clear(&calm->index);
    for (size_t i = 0; i < calm->count; i++) {
      uint64_t key = calm->kept[i].key;
      *rtop_pairs_at(&calm->index, (uint32_t)(key >> 32), (uint32_t)key) = (uint32_t)i + 1;
    }
  }
  calm->step++;
}

void rtop_calm_forget(struct rtop_calm *calm)
{
  rtop_pairs_destroy(&calm->index);
  free(calm->kept);
  *calm = (struct rtop_calm){ 0 };
}

/* What came first stands on top of the heap. */
static void heap_push(uint64_t *heap, size_t count, uint64_t key)
{
  size_t at = count;
  for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = key;
}

static uint64_t heap_pop(uint64_t *heap, size_t count)
{
  uint64_t first = heap[0], last = heap[count - 1];
  size_t at = 0;
  for (size_t child = 1; child + 1 < count; child = 2 * at + 1) {
    if (child + 2 < count && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= last) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

/* So nothing stands above what is worth more than it by more than is told, whatever stands between them. */
void rtop_calm_order(struct rtop_calm_row *rows, size_t count, double least, int part, uint64_t *heap, uint32_t *out)
{
  size_t next = 0, waiting = 0, top = 0;
  for (size_t i = 0; i < count; i++) rows[i].taken = false;
  for (size_t i = 0; i < count; i++) {
    while (rows[top].taken) top++;
    double enough = rtop_calm_least_above(rows[top].worth, least, part);
    for (; next < count && (next <= top || rows[next].worth >= enough); next++)
      heap_push(heap, waiting++, (uint64_t)rows[next].rank << 32 | next);
    out[i] = (uint32_t)heap_pop(heap, waiting--);
    rows[out[i]].taken = true;
  }
}
