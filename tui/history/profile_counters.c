/* SPDX-License-Identifier: MIT */
/* Counters of windows: summed, replaced, or merged over sources, by kind. */
#include "profile_counters.h"

#include "shm/window/window.h"

static const struct counter_field {
  enum rtop_counter_id id;
  enum rtop_counter_kind kind;
  size_t offset;
} counter_fields[] = {
#define COUNTER(id, number, name, kind, text)                                                                          \
  { RTOP_COUNTER_##id, RTOP_COUNTER_##kind, offsetof(struct rtop_span_counters, name) },
#include "shm/base/counters.def"
};
enum { COUNTER_FIELDS = sizeof counter_fields / sizeof counter_fields[0] };

static uint64_t *counter_of(struct rtop_span_counters *counters, const struct counter_field *field)
{
  return (uint64_t *)(void *)((char *)counters + field->offset);
}

static uint64_t counter_get(const struct rtop_span_counters *counters, const struct counter_field *field)
{
  return *(const uint64_t *)(const void *)((const char *)counters + field->offset);
}

void profile_counters_read(struct profile_window *to, const struct rtop_window *from)
{
  to->counters_present = from->counters_present;
  for (size_t i = 0; i < COUNTER_FIELDS; i++) {
    uint64_t value = from->counters[counter_fields[i].id];
    if (from->counters_present >> counter_fields[i].id & 1)
      *counter_of(&to->counters, &counter_fields[i]) = value < PROFILE_CELL_MAX ? value : PROFILE_CELL_MAX;
  }
  if (from->counters_present >> RTOP_COUNTER_RAISES_UNTOLD & 1) return;
  to->counters.raises_untold = to->counters.exceptions; /* before version 1.7 */
  to->counters_present |= UINT64_C(1) << RTOP_COUNTER_RAISES_UNTOLD;
}

void profile_counters_write(struct rtop_window *to, const struct rtop_span_counters *from, uint64_t present)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++)
    if (present >> counter_fields[i].id & 1)
      rtop_window_set_counter(to, counter_fields[i].id, counter_get(from, &counter_fields[i]));
}

void profile_counters_add(struct rtop_span_counters *to, const struct rtop_span_counters *from, uint64_t present)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++) {
    const struct counter_field *field = &counter_fields[i];
    if (field->kind == RTOP_COUNTER_CHANGE) *counter_of(to, field) += counter_get(from, field);
    else if (present >> field->id & 1) *counter_of(to, field) = counter_get(from, field);
  }
}

void profile_counters_change(struct rtop_span_counters *to, const struct rtop_span_counters *from, bool comes)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++)
    if (counter_fields[i].kind == RTOP_COUNTER_CHANGE) {
      uint64_t value = counter_get(from, &counter_fields[i]);
      *counter_of(to, &counter_fields[i]) += comes ? value : 0 - value;
    }
}

uint64_t profile_counters_wanted(const uint32_t present[PROFILE_COUNTERS_MAX])
{
  uint64_t wanted = 0;
  for (size_t i = 0; i < COUNTER_FIELDS; i++)
    if (counter_fields[i].kind != RTOP_COUNTER_CHANGE && present[counter_fields[i].id])
      wanted |= UINT64_C(1) << counter_fields[i].id;
  return wanted;
}

uint64_t profile_counters_now(struct rtop_span_counters *to, const struct profile_window *from, uint64_t wanted)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++)
    if (wanted & from->counters_present & UINT64_C(1) << counter_fields[i].id)
      *counter_of(to, &counter_fields[i]) = counter_get(&from->counters, &counter_fields[i]);
  return wanted & ~from->counters_present;
}

struct rtop_span_counters profile_counters_part(const struct profile_window *window, const struct profile_part *part)
{
  struct rtop_span_counters counters = window->counters;
  for (size_t i = 0; i < COUNTER_FIELDS && !profile_part_is_whole(part); i++)
    if (counter_fields[i].kind == RTOP_COUNTER_CHANGE) {
      uint64_t *value = counter_of(&counters, &counter_fields[i]);
      *value = profile_part_share(part, *value);
    }
  return counters;
}

void profile_counters_replace(struct rtop_span_counters *counters, const struct rtop_span_counters *before)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++)
    if (counter_fields[i].kind == RTOP_COUNTER_SIZE)
      *counter_of(counters, &counter_fields[i]) -= counter_get(before, &counter_fields[i]);
}

void profile_counters_merge(struct rtop_span_counters *to, const struct rtop_span_counters *from)
{
  for (size_t i = 0; i < COUNTER_FIELDS; i++) {
    const struct counter_field *field = &counter_fields[i];
    uint64_t value = counter_get(from, field);
    uint64_t *sum = counter_of(to, field);
    if (field->kind == RTOP_COUNTER_BITS) *sum |= value;
    else if (field->kind != RTOP_COUNTER_RATE) *sum += value;
    else if (value > *sum) *sum = value;
  }
}
