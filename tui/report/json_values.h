/* SPDX-License-Identifier: MIT */
/* Values of reports as JSON: durations in seconds, counts, and text that a process may have chosen. */
#ifndef RTOP_TUI_JSON_VALUES_H
#define RTOP_TUI_JSON_VALUES_H

#include <jansson.h>
#include <stdint.h>

static inline json_t *json_seconds(uint64_t ns)
{
  return json_real((double)ns / 1e9);
}

static inline json_t *json_count(uint64_t count)
{
  return json_integer(count < INT64_MAX ? (json_int_t)count : INT64_MAX);
}

/* Returns the text as JSON; text that is not valid UTF-8 becomes an empty string. */
static inline json_t *json_text(const char *text)
{
  json_t *string = json_string(text);
  return string ? string : json_string("");
}

#endif
