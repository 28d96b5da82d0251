/* SPDX-License-Identifier: MIT */
/* Reads conditions on latency, and judges labels by them. */
#include "fail_if.h"

#include "tui/text/text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const quantile_names[WORK_QUANTILES + 1] = { "p50", "p90", "p99", "max" };

static const char *past_spaces(const char *text)
{
  return text + strspn(text, " \t");
}

static bool parse_quantile(struct fail_if *condition, const char **text)
{
  for (int i = 0; i <= WORK_QUANTILES; i++) {
    size_t length = strlen(quantile_names[i]);
    if (strncmp(*text, quantile_names[i], length) != 0) continue;
    condition->quantile = i;
    *text += length;
    return true;
  }
  return false;
}

/* "300ms", "1.2x". */
static bool parse_bound(struct fail_if *condition, const char *text)
{
  static const struct {
    const char *unit;
    double ns;
  } units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
  char *end;
  errno = 0;
  double number = strtod(text, &end);
  if (end == text || errno || !isfinite(number) || number <= 0) return false;
  const char *unit = past_spaces(end);
  size_t length = strcspn(unit, " \t");
  if (*past_spaces(unit + length)) return false;
  condition->compared = length == 1 && *unit == 'x';
  condition->bound = number;
  if (condition->compared) return true;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].unit) != length || strncmp(unit, units[i].unit, length) != 0) continue;
    condition->bound = number * units[i].ns;
    return true;
  }
  return false;
}

bool fail_if_parse(struct fail_if *condition, const char *text, const char **why)
{
  *condition = (struct fail_if){ 0 };
  text = past_spaces(text);
  *why = "it begins with p50, p90, p99 or max";
  if (!parse_quantile(condition, &text)) return false;
  text = past_spaces(text);
  *why = "behind the figure stands >";
  if (*text != '>') return false;
  *why = "the limit is a time, as in 300ms, or a ratio to before, as in 1.2x";
  if (!parse_bound(condition, past_spaces(text + 1))) return false;
  *why = "the longest of a few is all chance: max has a time as its limit";
  return !condition->compared || condition->quantile < WORK_QUANTILES;
}

static uint64_t figure_of(const struct work_figures *work, int quantile)
{
  const struct work_time *whole = &work->of[RTOP_WORK_WHOLE];
  const uint64_t figures[WORK_QUANTILES + 1] = { whole->p50_ns, whole->p90_ns, whole->p99_ns, whole->longest_ns };
  return figures[quantile];
}

static void say(const struct fail_if *condition, const char *name, const struct work_figures *now,
                const struct work_figures *before, FILE *out)
{
  char is[16], was[16], limit[16];
  uint64_t ns = figure_of(now, condition->quantile);
  rtop_text_duration(is, sizeof is, (int64_t)ns);
  fprintf(out, "%s: %s %s of %llu", name, quantile_names[condition->quantile], is, (unsigned long long)now->ended);
  if (before) {
    uint64_t before_ns = figure_of(before, condition->quantile);
    rtop_text_duration(was, sizeof was, (int64_t)before_ns);
    fprintf(out, ", %.2f times the %s of %llu before; the limit is %g times\n",
            before_ns ? (double)ns / (double)before_ns : 0, was, (unsigned long long)before->ended, condition->bound);
  } else {
    rtop_text_duration(limit, sizeof limit, (int64_t)condition->bound);
    fprintf(out, "; the limit is %s\n", limit);
  }
}

struct fail_if_found fail_if_judge(const struct fail_if *condition, const struct label_table *now,
                                   const struct label_table *before, FILE *out)
{
  struct fail_if_found found = { 0 };
  for (size_t i = 0; i < now->count; i++) {
    const struct label_row *row = now->rows[i];
    const struct work_figures *work = label_row_latency(row), *past = NULL;
    if (condition->compared && before) past = label_row_latency(label_table_named(before, row->name));
    if (!work || (condition->compared && !past)) continue;
    found.judged++;
    bool longest = condition->quantile == WORK_QUANTILES;
    double least = longest ? (double)figure_of(work, WORK_QUANTILES) : (double)work->range[condition->quantile].low_ns;
    double most =
        condition->compared ? (double)past->range[condition->quantile].high_ns * condition->bound : condition->bound;
    if (least <= most) continue;
    found.failed++;
    say(condition, row->name, work, past, out);
  }
  return found;
}

int fail_if_run(const struct fail_if *conditions, int count, struct rtop_profile *now, struct rtop_span span,
                struct rtop_profile *before, FILE *out)
{
  struct label_table labels = { 0 }, past = { 0 };
  int status = 0;
  bool fine =
      label_table_of(&labels, now, span) && (!before || label_table_of(&past, before, rtop_profile_bounds(before)));
  if (!fine) fprintf(out, "rperf-top: out of memory\n");
  for (int i = 0; fine && i < count; i++) {
    struct fail_if_found found = fail_if_judge(&conditions[i], &labels, before ? &past : NULL, out);
    if (found.failed) status = FAIL_IF_HOLDS;
    if (found.judged) continue;
    fprintf(out, "rperf-top: --fail-if: no label has work that ended%s: nothing can be judged\n",
            conditions[i].compared ? ", here and before" : "");
    if (!status) status = FAIL_IF_UNKNOWN;
  }
  label_table_destroy(&labels);
  label_table_destroy(&past);
  return fine ? status : FAIL_IF_UNKNOWN;
}
