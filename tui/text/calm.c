/* SPDX-License-Identifier: MIT */
/* Keeps what is drawn. */
#include "calm.h"

#include "reserve.h"
#include <math.h>
#include <stdlib.h>

enum { CALM_KEPT_MAX = 1 << 13 };

double rtop_calm_noise(double share, double samples)
{
  return samples > 0 ? sqrt(2 * (fabs(share) * samples + 1)) / samples : 0;
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
    rtop_calm_forget(calm); /* The pair has no value and must not stay. */
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
  if (!(fabs(value - kept->shown) <= tolerance)) kept->shown = value;
  return kept->shown;
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
