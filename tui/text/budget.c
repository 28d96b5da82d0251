/* SPDX-License-Identifier: MIT */
/* Counts the memory and work that a source causes. */
#include "budget.h"

#include "text.h"
#include <stdio.h>

#define BUDGET_MB (UINT64_C(1) << 20)

/* Limits: a minimum, and an amount per byte of the source (for time: per megabyte). */
static const struct {
  uint64_t least, factor, per;
  const char *verb, *what;
} budget_limits[RTOP_BUDGET_LIMITS] = {
  [RTOP_BUDGET_CONTENT] = { 16 * BUDGET_MB, 16, 1, "unpacks to more than", "" },
  [RTOP_BUDGET_MEMORY] = { 64 * BUDGET_MB, 64, 1, "takes more than", " of memory" },
  [RTOP_BUDGET_OUTPUT] = { 64 * BUDGET_MB, 64, 1, "makes a file of more than", "" },
  [RTOP_BUDGET_TIME] = { 5, 1, 4 * BUDGET_MB, "takes more than", " of computing" },
};

uint64_t rtop_budget_max(enum rtop_budget_limit limit, uint64_t source_bytes)
{
  uint64_t more;
  if (__builtin_mul_overflow(source_bytes / budget_limits[limit].per, budget_limits[limit].factor, &more) ||
      more > INT64_MAX - budget_limits[limit].least)
    return INT64_MAX;
  return budget_limits[limit].least + more;
}

bool rtop_budget_spend(struct rtop_budget *budget, enum rtop_budget_limit limit, uint64_t amount)
{
  uint64_t max = rtop_budget_max(limit, budget->source_bytes);
  if (budget->over) return false;
  if (amount <= max && budget->spent[limit] <= max - amount) {
    budget->spent[limit] += amount;
    return true;
  }
  budget->over = true;
  budget->limit = limit;
  return false;
}

void rtop_budget_say(enum rtop_budget_limit limit, uint64_t source_bytes, char *out, size_t out_bytes)
{
  char amount[24], size[16];
  uint64_t max = rtop_budget_max(limit, source_bytes);
  if (limit == RTOP_BUDGET_TIME) snprintf(amount, sizeof amount, "%llu s", (unsigned long long)max);
  else rtop_text_bytes(amount, sizeof amount, max);
  rtop_text_bytes(size, sizeof size, source_bytes);
  snprintf(out, out_bytes, "%s %s%s, the limit for a source of %s", budget_limits[limit].verb, amount,
           budget_limits[limit].what, size);
}
