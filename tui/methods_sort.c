#include "methods_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_TEXT_MAX = 8200 };

static const char *const sort_key_names[RTOP_SORT_KEYS] = {
  [RTOP_SORT_SELF] = "self", [RTOP_SORT_TOTAL] = "total", [RTOP_SORT_RATIO] = "ratio",
  [RTOP_SORT_CPU] = "cpu", [RTOP_SORT_WAITING] = "waiting", [RTOP_SORT_BLOCKED] = "blocked",
  [RTOP_SORT_GC] = "gc", [RTOP_SORT_BLAME] = "blame", [RTOP_SORT_ALLOC] = "alloc",
  [RTOP_SORT_THREADS] = "threads", [RTOP_SORT_NAME] = "name",
};

const char *rtop_sort_key_name(enum rtop_sort_key key)
{
  return key < RTOP_SORT_KEYS ? sort_key_names[key] : "";
}

bool rtop_sort_key_parse(const char *name, enum rtop_sort_key *key)
{
  for (int i = 0; i < RTOP_SORT_KEYS; i++)
    if (strcmp(sort_key_names[i], name) == 0) {
      *key = (enum rtop_sort_key)i;
      return true;
    }
  return false;
}

const char *rtop_methods_check_regex(const char *expression)
{
  static char message[160];
  regex_t compiled;
  int code = regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    regfree(&compiled);
    return NULL;
  }
  regerror(code, &compiled, message, sizeof message);
  return message;
}

bool methods_regex_use(struct methods_regex *regex, const char *expression)
{
  if (regex->text && expression && strcmp(regex->text, expression) == 0)
    return true;
  methods_regex_free(regex);
  if (!expression)
    return true;
  regex->text = strdup(expression);
  if (regex->text && regcomp(&regex->compiled, expression, REG_EXTENDED | REG_NOSUB) == 0)
    return true;
  free(regex->text);
  regex->text = NULL;
  return false;
}

void methods_regex_free(struct methods_regex *regex)
{
  if (regex->text)
    regfree(&regex->compiled);
  free(regex->text);
  regex->text = NULL;
}

bool methods_regex_matches(const struct methods_regex *regex, const struct rtop_symbol *symbol)
{
  char text[METHODS_TEXT_MAX];
  snprintf(text, sizeof text, "%s %s", symbol->label, symbol->path);
  return regexec(&regex->compiled, text, 0, NULL, 0) == 0;
}

static bool methods_wanted(const struct rtop_method_row *row, const struct rtop_symbols *symbols,
                           const struct rtop_methods_options *options, const struct methods_regex *regex,
                           double least_ns)
{
  if ((double)row->total_ns < least_ns)
    return false;
  if (!regex->text)
    return true;
  return methods_regex_matches(regex, rtop_symbols_get(symbols, row->frame)) != options->filter_invert;
}

void methods_filter(struct rtop_methods *methods, const struct rtop_symbols *symbols,
                    const struct rtop_methods_options *options, const struct methods_regex *regex)
{
  double least_ns = options->min_percent / 100 * (double)methods->length_ns;
  size_t kept = 0;
  for (size_t i = 0; i < methods->count; i++)
    if (methods_wanted(&methods->rows[i], symbols, options, regex, least_ns))
      methods->rows[kept++] = methods->rows[i];
  methods->count = kept;
}

struct methods_order {
  const struct rtop_symbols *symbols;
  const struct rtop_methods_options *options;
};

/* What a row is sorted by: of the states its own part, as the columns show it. */
static double methods_value(const struct rtop_method_row *row, enum rtop_sort_key key)
{
  switch (key) {
  case RTOP_SORT_SELF: return (double)row->self_ns;
  case RTOP_SORT_TOTAL: return (double)row->total_ns;
  case RTOP_SORT_RATIO: return row->ratio;
  case RTOP_SORT_CPU: return (double)row->self.cpu_ns;
  case RTOP_SORT_WAITING: return (double)row->self.wall_ns[RTOP_STATE_WAITING];
  case RTOP_SORT_BLOCKED: return (double)row->self.wall_ns[RTOP_STATE_BLOCKED];
  case RTOP_SORT_GC:
    return (double)(row->self.wall_ns[RTOP_STATE_MARKING] + row->self.wall_ns[RTOP_STATE_SWEEPING]);
  case RTOP_SORT_BLAME: return (double)row->self.blame_ns;
  case RTOP_SORT_ALLOC: return (double)row->self.allocations;
  case RTOP_SORT_THREADS: return (double)row->threads;
  case RTOP_SORT_NAME:
  case RTOP_SORT_KEYS: break;
  }
  return 0;
}

static int methods_compare_names(const struct rtop_symbol *left, const struct rtop_symbol *right)
{
  int order = strcmp(left->label, right->label);
  if (order == 0)
    order = strcmp(left->path, right->path);
  return order ? order : left->line < right->line ? -1 : left->line > right->line;
}

static int methods_compare(const void *left, const void *right, void *context)
{
  const struct methods_order *order = context;
  const struct rtop_method_row *a = left, *b = right;
  enum rtop_sort_key key = order->options->sort;
  double first = methods_value(a, key), second = methods_value(b, key);
  if (first != second)
    return (first > second ? -1 : 1) * (order->options->reverse ? -1 : 1);
  int by_name = methods_compare_names(rtop_symbols_get(order->symbols, a->frame),
                                      rtop_symbols_get(order->symbols, b->frame));
  if (by_name == 0)
    by_name = a->frame < b->frame ? -1 : a->frame > b->frame;
  return key == RTOP_SORT_NAME && order->options->reverse ? -by_name : by_name;
}

void methods_sort(struct rtop_methods *methods, const struct rtop_symbols *symbols,
                  const struct rtop_methods_options *options)
{
  struct methods_order order = {symbols, options};
  if (methods->count)
    qsort_r(methods->rows, methods->count, sizeof *methods->rows, methods_compare, &order);
}
