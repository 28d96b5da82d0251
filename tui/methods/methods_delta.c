/* The change of a row against the baseline. */
#include "methods.h"

double rtop_method_delta(const struct rtop_method_row *now, uint64_t length_ns, const struct rtop_method_row *before,
                         uint64_t before_length_ns, enum rtop_sort_key key)
{
  double value = now ? rtop_method_value(now, key) : 0, was = before ? rtop_method_value(before, key) : 0;
  double length = length_ns ? (double)length_ns : 1, before_length = before_length_ns ? (double)before_length_ns : 1;
  switch (rtop_sort_key_figure(key)) {
  case RTOP_FIGURE_NOW: return value - was;
  case RTOP_FIGURE_RATIO:
    return (now ? rtop_method_ratio(now->most_ns, length_ns) : 0) -
           (before ? rtop_method_ratio(before->most_ns, before_length_ns) : 0);
  case RTOP_FIGURE_RATE:
  case RTOP_FIGURE_COUNT: return 1e9 * (value / length - was / before_length);
  default: return value / length - was / before_length;
  }
}
