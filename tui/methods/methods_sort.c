/* SPDX-License-Identifier: MIT */
/* Sort keys, filters and the order of rows. */
#include "methods_impl.h"
#include "name_order.h"

#include "tui/text/regexp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_TEXT_MAX = 8200 };

static const struct {
  const char *name;
  enum rtop_figure figure;
  enum rtop_sort_key plain;
} sort_keys[RTOP_SORT_KEYS] = {
#define COLUMN(id, name, heading, heading_time, width, figure, plain, ...)                                             \
  { name, RTOP_FIGURE_##figure, RTOP_SORT_##plain },
#include "columns.def"
};

const char *rtop_sort_key_name(enum rtop_sort_key key)
{
  return key < RTOP_SORT_KEYS ? sort_keys[key].name : "";
}

enum rtop_figure rtop_sort_key_figure(enum rtop_sort_key key)
{
  return sort_keys[key].figure;
}

enum rtop_sort_key rtop_sort_key_plain(enum rtop_sort_key key)
{
  return sort_keys[key].plain;
}

enum rtop_sort_key rtop_sort_key_of_calls(enum rtop_sort_key key)
{
  enum rtop_sort_key plain = rtop_sort_key_plain(key);
  if (key == RTOP_SORT_COUNT) return key;
  return plain == RTOP_SORT_SELF ? RTOP_SORT_TOTAL : plain;
}

static const char *const mode_names[RTOP_MODES] = {
  [RTOP_MODE_WALL] = "wall",
  [RTOP_MODE_CPU] = "cpu",
  [RTOP_MODE_BUSY] = "busy",
};

const char *rtop_mode_name(enum rtop_mode mode)
{
  return mode < RTOP_MODES ? mode_names[mode] : "";
}

bool rtop_mode_parse(const char *name, enum rtop_mode *mode)
{
  for (int i = 0; i < RTOP_MODES; i++)
    if (strcmp(mode_names[i], name) == 0) {
      *mode = (enum rtop_mode)i;
      return true;
    }
  return false;
}

bool rtop_sort_key_parse(const char *name, enum rtop_sort_key *key)
{
  for (int i = 0; i < RTOP_SORT_KEYS; i++)
    if (strcmp(sort_keys[i].name, name) == 0) {
      *key = (enum rtop_sort_key)i;
      return true;
    }
  return false;
}

const char *rtop_methods_check_regex(const char *expression)
{
  static _Thread_local char message[160];
  regex_t compiled;
  int code = rtop_regexp_compile(&compiled, expression);
  if (code == 0) {
    regfree(&compiled);
    return NULL;
  }
  if (code == REG_ESPACE) return "too large with its repetitions written out";
  regerror(code, &compiled, message, sizeof message);
  return message;
}

bool methods_regex_use(struct methods_regex *regex, const char *expression)
{
  if (regex->text && expression && strcmp(regex->text, expression) == 0) return true;
  methods_regex_free(regex);
  if (!expression) return true;
  regex->text = strdup(expression);
  if (regex->text && rtop_regexp_compile(&regex->compiled, expression) == 0) return true;
  free(regex->text);
  regex->text = NULL;
  return false;
}

void methods_regex_free(struct methods_regex *regex)
{
  if (regex->text) regfree(&regex->compiled);
  free(regex->text);
  regex->text = NULL;
}

bool methods_regex_matches(const struct methods_regex *regex, const struct rtop_symbol *symbol)
{
  char text[METHODS_TEXT_MAX];
  snprintf(text, sizeof text, "%s %s", symbol->label, symbol->path);
  return regexec(&regex->compiled, text, 0, NULL, 0) == 0;
}

struct methods_order {
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
  const uint32_t *ranks;
};

double rtop_method_value(const struct rtop_method_row *row, enum rtop_sort_key key)
{
#define COLUMN(id, name, heading, heading_time, width, figure, plain, from, value, help)                               \
  if (key == RTOP_SORT_##id) return value;
#include "columns.def"
  return 0;
}

double rtop_method_ratio(uint64_t most_ns, uint64_t length_ns)
{
  double ratio = length_ns ? (double)most_ns / (double)length_ns : 0;
  return ratio < 1 ? ratio : 1; /* The last sample may extend beyond the span. */
}

static int methods_compare(const void *left, const void *right, void *context)
{
  const struct methods_order *order = context;
  const struct rtop_method_row *a = left, *b = right;
  enum rtop_sort_key key = order->options->sort;
  double first = rtop_method_value(a, key), second = rtop_method_value(b, key);
  if (first != second) return (first > second ? -1 : 1) * (order->options->reverse ? -1 : 1);
  int by_name = order->ranks ? (order->ranks[a->frame] < order->ranks[b->frame] ? -1 : 1)
                             : rtop_name_compare(order->symbols, a->frame, b->frame, key == RTOP_SORT_LOCATION);
  bool names = key == RTOP_SORT_NAME || key == RTOP_SORT_LOCATION;
  return names && order->options->reverse ? -by_name : by_name;
}

void rtop_methods_sort(struct rtop_methods *methods, const struct rtop_symbols *symbols,
                       const struct rtop_methods_options *options)
{
  struct methods_order order = { symbols, options, methods->ranks };
  if (methods->count) qsort_r(methods->rows, methods->count, sizeof *methods->rows, methods_compare, &order);
}
