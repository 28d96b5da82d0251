/* SPDX-License-Identifier: MIT */
/* Compares the latency of labels before and after the last mark. */
#include "since_mark.h"

#include "tui/text/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SINCE_MARKS = 64 };
static const int64_t since_least_ns = 1000000000; /* of time on each side */
static const int64_t since_every_ns = 5000000000;

/* Are both marks for one event? Each worker of a server, and each host, sets its own: with one name, or soon after. */
static bool since_is_same(const struct rtop_profile_mark *one, const struct rtop_profile_mark *next)
{
  static const int64_t soon_ns = 10000000000;
  return next->time_ns - one->time_ns < soon_ns || (*one->name && strcmp(one->name, next->name) == 0);
}

/* Finds the newest event with enough time behind its last mark, and the span before its first one, back to the event
 * before. */
static bool since_spans(const struct rtop_profile *profile, int64_t end_ns, struct rtop_profile_mark *mark,
                        struct rtop_span *before, struct rtop_span *now)
{
  struct rtop_profile_mark marks[SINCE_MARKS];
  struct rtop_span held = rtop_profile_bounds(profile);
  struct rtop_span looked = { held.start_ns + since_least_ns, end_ns - since_least_ns };
  size_t count = rtop_profile_marks(profile, looked, marks, SINCE_MARKS);
  if (count == 0) return false;
  size_t first = count - 1;
  *mark = marks[first];
  while (first > 0 && since_is_same(&marks[first - 1], &marks[first])) first--;
  int64_t from_ns = first > 0 ? marks[first - 1].time_ns : held.start_ns;
  *before = (struct rtop_span){ from_ns, marks[first].time_ns };
  if (before->end_ns - before->start_ns < since_least_ns) return false;
  *now = (struct rtop_span){ mark->time_ns, end_ns };
  if (before->end_ns - before->start_ns > SINCE_MARK_SPAN_NS) before->start_ns = before->end_ns - SINCE_MARK_SPAN_NS;
  if (now->end_ns - now->start_ns > SINCE_MARK_SPAN_NS) now->start_ns = now->end_ns - SINCE_MARK_SPAN_NS;
  return true;
}

static const double matters = 1.05; /* a smaller change is not worth a word */

/* Of many labels, looked at again and again, one in two hundred would lie outside of ranges of two standard deviations by
 * chance; of ranges of three, one in tens of thousands. */
static const double wider = 1.5;

static uint64_t since_quantile(const struct work_figures *work, int quantile)
{
  const struct work_time *whole = &work->of[RTOP_WORK_WHOLE];
  return quantile == 0 ? whole->p50_ns : whole->p99_ns;
}

static bool since_grew(const struct work_figures *from, const struct work_figures *to, int quantile)
{
  double was = (double)since_quantile(from, quantile), is = (double)since_quantile(to, quantile);
  double most = was + wider * ((double)from->range[quantile].high_ns - was);
  double least = is - wider * (is - (double)to->range[quantile].low_ns);
  return least > most * matters;
}

/* Returns the quantile that changed by more than chance, p50 first; -1: none. */
static int since_changed(const struct work_figures *before, const struct work_figures *now)
{
  for (int i = 0; i < WORK_QUANTILES; i += WORK_QUANTILES - 1)
    if (since_grew(before, now, i) || since_grew(now, before, i)) return i;
  return -1;
}

static double since_mean(const struct work_figures *work, int cause)
{
  return (double)work->of[cause].sum_ns / (double)work->ended;
}

/* The cause that explains most of the change of the mean, if it is at least half of it. */
static void since_cause(struct since_mark *since, const struct work_figures *before, const struct work_figures *now)
{
  double all = since_mean(now, RTOP_WORK_WHOLE) - since_mean(before, RTOP_WORK_WHOLE), most = 0;
  since->cause = RTOP_WORK_WHOLE;
  since->cause_ns = 0;
  if ((since->now_ns > since->before_ns) != (all > 0)) return;
  for (int cause = 0; cause < RTOP_WORK_CAUSES; cause++) {
    double change = since_mean(now, cause) - since_mean(before, cause);
    if (cause == RTOP_WORK_WHOLE || change * all <= 0 || fabs(change) <= fabs(most)) continue;
    most = change;
    if (fabs(most) * 2 < fabs(all)) continue;
    since->cause = (enum rtop_work_cause)cause;
    since->cause_ns = most;
  }
}

void since_mark_compare(struct since_mark *since, const struct label_table *before, const struct label_table *now)
{
  double most = -1;
  for (size_t i = 0; i < now->count; i++) {
    const struct work_figures *work = label_row_latency(now->rows[i]);
    const struct work_figures *past = label_row_latency(label_table_named(before, now->rows[i]->name));
    if (!work || !past) continue;
    since->judged++;
    int quantile = since_changed(past, work);
    if (quantile < 0) continue;
    since->changed++;
    double all = fabs(since_mean(work, RTOP_WORK_WHOLE) - since_mean(past, RTOP_WORK_WHOLE)) * (double)work->ended;
    if (all <= most) continue;
    most = all;
    rtop_text_cut(since->label, sizeof since->label, label_row_value(now->rows[i]), sizeof since->label - 1);
    since->quantile = quantile;
    since->before_ns = since_quantile(past, quantile);
    since->now_ns = since_quantile(work, quantile);
    since->before_count = past->ended;
    since->now_count = work->ended;
    since_cause(since, past, work);
  }
}

bool since_mark_update(struct since_mark *since, struct rtop_profile *profile, int64_t end_ns)
{
  struct rtop_profile_mark mark;
  struct rtop_span before, now;
  struct label_table past = { 0 }, present = { 0 };
  bool soon = end_ns >= since->compared_ns && end_ns - since->compared_ns < since_every_ns;
  if (!rtop_symbols_labelled(rtop_profile_symbols(profile)) || (since->compared_ns && soon)) return true;
  *since = (struct since_mark){ .compared_ns = end_ns };
  if (!since_spans(profile, end_ns, &mark, &before, &now)) return true;
  since->marked = true;
  since->time_ns = mark.time_ns;
  rtop_text_cut(since->mark, sizeof since->mark, mark.name, sizeof since->mark - 1);
  bool fine = label_table_of(&past, profile, before) && label_table_of(&present, profile, now);
  if (fine) since_mark_compare(since, &past, &present);
  label_table_destroy(&past);
  label_table_destroy(&present);
  return fine;
}

void since_mark_words(char *out, size_t bytes, const struct since_mark *since, int64_t now_ns)
{
  char ago[24], was[24], is[24], cause[48] = "", each[24], more[40] = "";
  out[0] = '\0';
  if (!since->marked || since->judged == 0) return;
  rtop_text_duration(ago, sizeof ago, now_ns - since->time_ns);
  rtop_text_duration(was, sizeof was, (int64_t)since->before_ns);
  rtop_text_duration(is, sizeof is, (int64_t)since->now_ns);
  if (since->changed == 0) {
    snprintf(out, bytes, "since %s, %s ago: no label's p50 or p99 changed by more than chance",
             *since->mark ? since->mark : "the last mark", ago);
    return;
  }
  rtop_text_duration(each, sizeof each, (int64_t)fabs(since->cause_ns));
  if (since->cause != RTOP_WORK_WHOLE)
    snprintf(cause, sizeof cause, "; %s %c%s a request", work_cause_title(since->cause),
             since->cause_ns < 0 ? '-' : '+', each);
  if (since->changed > 1)
    snprintf(more, sizeof more, "; %u more label%s changed", since->changed - 1, since->changed > 2 ? "s" : "");
  snprintf(out, bytes, "since %s, %s ago: %s %s %s, before %s%s%s", *since->mark ? since->mark : "the last mark", ago,
           since->label, since->quantile == 0 ? "p50" : "p99", is, was, cause, more);
}
