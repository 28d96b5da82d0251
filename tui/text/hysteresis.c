/* SPDX-License-Identifier: MIT */
/* Keeps what is drawn. */
#include "hysteresis.h"

#include "reserve.h"
#include <math.h>
#include <stdlib.h>

enum { KEPT_MAX = 1 << 13 };

double rtop_hysteresis_noise(double share, double samples)
{
  return samples > 0 ? sqrt(2 * (fabs(share) * samples + 1)) / samples : 0;
}

uint64_t rtop_hysteresis_key(uint64_t row, uint32_t what)
{
  uint64_t key = (row + UINT64_C(0x9e3779b97f4a7c15) * (what + 1)) * UINT64_C(0xbf58476d1ce4e5b9);
  return key ^ key >> 31;
}

static struct rtop_hysteresis_kept *kept_find(struct rtop_hysteresis *hysteresis, uint64_t key)
{
  uint32_t *at = rtop_pairs_at(&hysteresis->index, (uint32_t)(key >> 32), (uint32_t)key);
  if (at == NULL) return NULL;
  if (*at != 0) return &hysteresis->kept[*at - 1];
  if (!rtop_reserve(&hysteresis->kept, &hysteresis->capacity, hysteresis->count + 1, sizeof *hysteresis->kept)) {
    rtop_hysteresis_forget(hysteresis); /* The pair has no value yet, so it must not stay in the index. */
    return NULL;
  }
  hysteresis->kept[hysteresis->count] = (struct rtop_hysteresis_kept){ .key = key, .shown = NAN };
  *at = (uint32_t)++hysteresis->count;
  return &hysteresis->kept[*at - 1];
}

double rtop_hysteresis_keep(struct rtop_hysteresis *hysteresis, uint64_t key, double value, double tolerance)
{
  struct rtop_hysteresis_kept *kept = kept_find(hysteresis, key);
  if (kept == NULL) return value;
  kept->asked = hysteresis->step;
  if (!(fabs(value - kept->shown) <= tolerance)) kept->shown = value;
  return kept->shown;
}

void rtop_hysteresis_step(struct rtop_hysteresis *hysteresis)
{
  if (hysteresis->count > KEPT_MAX) {
    size_t count = 0;
    for (size_t i = 0; i < hysteresis->count; i++)
      if (hysteresis->kept[i].asked == hysteresis->step) hysteresis->kept[count++] = hysteresis->kept[i];
    hysteresis->count = count > KEPT_MAX / 2 ? 0 : count;
    rtop_pairs_clear(&hysteresis->index);
    for (size_t i = 0; i < hysteresis->count; i++) {
      uint64_t key = hysteresis->kept[i].key;
      *rtop_pairs_at(&hysteresis->index, (uint32_t)(key >> 32), (uint32_t)key) = (uint32_t)i + 1;
    }
  }
  hysteresis->step++;
}

void rtop_hysteresis_forget(struct rtop_hysteresis *hysteresis)
{
  rtop_pairs_destroy(&hysteresis->index);
  free(hysteresis->kept);
  *hysteresis = (struct rtop_hysteresis){ 0 };
}
