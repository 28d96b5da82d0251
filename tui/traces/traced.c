/* SPDX-License-Identifier: MIT */
/* Draws calls per second, percentiles, the distribution of call times, callers, and slow calls. */
#include "traced.h"

#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include <string.h>

enum {
  TRACED_ROWS_MIN = 6,
  TRACED_BARS = 8,
  TRACED_BARS_MIN = 3,
  TRACED_CALLERS = 3,
  TRACED_CALLERS_MORE = 5,
  TRACED_SLOW = 8,
  TRACED_SLOW_ARGS = 12, /* rows, of which arguments have their own */
  TRACED_BAR_FROM = 19,
  TRACED_WIDE = 78,
  TRACED_TEXT = 24,
};

/* Where the next row goes. */
struct traced_pen {
  struct rect rect;
  int y;
};

static bool traced_room(const struct traced_pen *pen)
{
  return pen->y < pen->rect.rows;
}

static int traced_row(struct traced_pen *pen)
{
  return pen->rect.y + pen->y++;
}

static void traced_times(struct traced_pen *pen, const struct exact_row *row, enum exact_clock clock, const char *name)
{
  static const double shares[] = { 0.5, 0.9, 0.99 };
  char text[5][TRACED_TEXT];
  if (!traced_room(pen)) return;
  rtop_text_duration(text[0], TRACED_TEXT, (int64_t)exact_row_mean_ns(row, clock));
  for (int i = 0; i < 3; i++)
    rtop_text_duration(text[i + 1], TRACED_TEXT, (int64_t)exact_row_share_ns(row, clock, shares[i]));
  rtop_text_duration(text[4], TRACED_TEXT, (int64_t)row->times[clock].max_ns);
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL, "  %-5s%9s%9s%9s%9s%9s", name, text[0],
              text[1], text[2], text[3], text[4]);
}

/* Number of calls by the power of two of their time. */
struct traced_spread {
  uint64_t calls[64];
  int first, last, step;
  uint64_t most;
};

/* Fits the distribution into `rows` rows, combining adjacent powers of two if there are more of them than rows. */
static void traced_spread(struct traced_spread *spread, const struct exact_times *times, int rows)
{
  uint64_t powers[64] = { 0 };
  *spread = (struct traced_spread){ .first = 63, .step = 1 };
  for (uint32_t bucket = 0; bucket < RTOP_LATENCY_BUCKETS; bucket++) {
    uint64_t ns = rtop_latency_ns(bucket);
    int power = ns ? 63 - __builtin_clzll(ns) : 0;
    if (!times->buckets[bucket]) continue;
    powers[power] += times->buckets[bucket];
    if (power < spread->first) spread->first = power;
    spread->last = power;
  }
  while ((spread->last - spread->first) / spread->step >= rows) spread->step++;
  for (int power = spread->first; power <= spread->last; power++) {
    uint64_t *calls = &spread->calls[(power - spread->first) / spread->step];
    *calls += powers[power];
    if (*calls > spread->most) spread->most = *calls;
  }
}

static void traced_bars(struct traced_pen *pen, const struct exact_row *row, int rows)
{
  struct traced_spread spread;
  if (rows < 1) return;
  traced_spread(&spread, &row->times[EXACT_TOTAL], rows);
  for (int power = spread.first, bar = 0; power <= spread.last && traced_room(pen); power += spread.step, bar++) {
    char from[TRACED_TEXT], count[16];
    int y = traced_row(pen), columns = pen->rect.columns - TRACED_BAR_FROM;
    rtop_text_duration(from, sizeof from, (int64_t)(UINT64_C(1) << power));
    rtop_text_count(count, sizeof count, (double)spread.calls[bar]);
    draw_format(y, pen->rect.x, TRACED_BAR_FROM, FACE_NORMAL, "%9s+ %6s", from, count);
    int filled = spread.most ? (int)((double)spread.calls[bar] / (double)spread.most * columns) : 0;
    filled = filled > columns ? columns : filled == 0 && spread.calls[bar] ? 1 : filled;
    for (int i = 0; i < filled; i++) draw_text(y, pen->rect.x + TRACED_BAR_FROM + i, 1, FACE_STRIP, "#");
  }
}

static void traced_callers(struct traced_pen *pen, const struct exact_row *row, const struct rtop_symbols *symbols,
                           int rows)
{
  for (size_t i = 0; i < row->caller_count && (int)i < rows && traced_room(pen); i++) {
    char count[16];
    const struct exact_caller *caller = &row->callers[i];
    rtop_text_count(count, sizeof count, (double)caller->calls);
    draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL, "  from %6s  %s", count,
                caller->frame ? rtop_symbols_get(symbols, caller->frame)->label : "(elsewhere)");
  }
}

static void traced_slow_row(struct traced_pen *pen, const struct ui *ui, const struct slow_row *slow)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  const struct rtop_call_node *node = rtop_symbols_get_node(symbols, slow->call.stack);
  const struct rtop_call_node *caller = rtop_symbols_get_node(symbols, node->parent);
  const struct rtop_symbol *from = rtop_symbols_get(symbols, caller->frame);
  bool called = slow->call.stack && node->parent && !rtop_symbol_is_labels(from);
  char when[16], total[TRACED_TEXT], self[TRACED_TEXT];
  time_text_clock(when, sizeof when, slow->call.end_ns + ui->source.clock_offset_ns, true);
  rtop_text_duration(total, sizeof total, (int64_t)slow->call.total_ns);
  rtop_text_duration(self, sizeof self, (int64_t)slow->call.self_ns);
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, slow->call.raised ? FACE_WARN : FACE_NORMAL,
              "  %s %8s  self %8s  %s%s%s%s%s%s", when, total, self, slow->thread[0] ? slow->thread : "-",
              slow->call.raised ? "  raised" : "", called ? "  from " : "", called ? from->label : "",
              slow->labels ? "  " : "", slow->labels ? rtop_symbols_get(symbols, slow->labels)->label : "");
}

/* Draws the arguments of a slow call. False: there are none, or no room. */
static bool traced_args(struct traced_pen *pen, const struct slow_row *slow)
{
  if (!slow->args[0] || !traced_room(pen)) return false;
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL, "    with %s", slow->args);
  return true;
}

/* The last ones, newest first. */
static void traced_slow(struct traced_pen *pen, const struct ui *ui, const struct exact_row *row, int rows)
{
  const struct slow_list *list = &ui->traces.slow;
  size_t listed = slow_list_of(list, row->frame);
  char calls[16], left_out[16];
  if (rows < 2 || !traced_room(pen)) return;
  rtop_text_count(calls, sizeof calls, (double)(row->slow_calls > listed ? row->slow_calls : listed));
  rtop_text_count(left_out, sizeof left_out, (double)(row->slow_calls > listed ? row->slow_calls - listed : 0));
  if (row->slow_calls > listed)
    draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_LABEL, "SLOW  %s calls, %s not listed", calls,
                left_out);
  else draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_LABEL, "SLOW  %s calls", calls);
  rows--;
  for (size_t i = list->count; i-- > 0 && rows > 0 && traced_room(pen);) {
    if (list->rows[i].frame != row->frame) continue;
    traced_slow_row(pen, ui, &list->rows[i]);
    if (--rows > 0 && traced_args(pen, &list->rows[i])) rows--;
  }
}

/* Draws which figures exist and for how long, and the time in other states where it fits. */
static void traced_head(struct traced_pen *pen, const struct exact_row *row)
{
  char rate[16], calls[16], raised[16], state[EXACT_STATE_TEXT], off[64];
  double total = row->times[EXACT_TOTAL].sum_ns ? (double)row->times[EXACT_TOTAL].sum_ns / 100 : 1;
  bool wide = pen->rect.columns >= TRACED_WIDE;
  exact_state_text(row, state);
  rtop_text_count(rate, sizeof rate, exact_row_rate(row));
  rtop_text_count(calls, sizeof calls, (double)row->calls);
  rtop_text_count(raised, sizeof raised, (double)row->raised);
  snprintf(off, sizeof off, wide ? "wait %.1f%%  off the GVL %.1f%%" : "%.1f%% waiting for the GVL, %.1f%% off it",
           (double)row->wait_ns / total, (double)row->off_ns / total);
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_LABEL,
              "TRACED  %s calls/s  %s calls  %s raised%s%s", rate, calls, raised, wide ? "  " : "", wide ? off : "");
  if (*state && traced_room(pen)) draw_text(traced_row(pen), pen->rect.x + 2, pen->rect.columns - 2, FACE_WARN, state);
  if (!wide && traced_room(pen))
    draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL, "  of its time %s", off);
}

static void traced_summary(struct traced_pen *pen, const struct exact_row *row)
{
  traced_head(pen, row);
  if (!row->returned || !traced_room(pen)) return;
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_PLACE, "  %-5s%9s%9s%9s%9s%9s", "", "mean", "p50",
              "p90", "p99", "max");
  traced_times(pen, row, EXACT_TOTAL, "total");
  traced_times(pen, row, EXACT_SELF, "self");
}

/* Number of rows of each part: first some callers and slow calls, then bars, then more callers and slow calls. */
struct traced_parts {
  int bars, callers, slow;
};

static int traced_least(int wanted, int least)
{
  return wanted < least ? wanted : least;
}

/* Divides the rows. Slow calls with arguments need two rows each, so there is one caller less, to show one of each. */
static struct traced_parts traced_share(int rows, int callers, int slow, int args)
{
  struct traced_parts parts = { .callers = traced_least(callers, args > 0 ? TRACED_CALLERS - 1 : TRACED_CALLERS) };
  parts.callers = traced_least(parts.callers, rows);
  int rest = rows - parts.callers, half = (rest - TRACED_BARS_MIN + (args > 0)) / 2;
  if (slow > 0 && rest >= TRACED_BARS_MIN + 2) parts.slow = 1 + traced_least(slow + args, half);
  parts.slow = traced_least(parts.slow, 1 + (args > 0 ? TRACED_SLOW_ARGS : TRACED_SLOW));
  parts.bars = traced_least(rest - parts.slow, TRACED_BARS);
  rest -= parts.slow + parts.bars;
  parts.callers += traced_least(callers - parts.callers, rest < TRACED_CALLERS_MORE ? rest : TRACED_CALLERS_MORE);
  return parts;
}

int traced_draw(const struct ui *ui, uint32_t frame, struct rect rect)
{
  const struct exact_row *row = ui_traces_of(ui, frame);
  struct traced_pen pen = { rect, 1 };
  if (rect.rows < TRACED_ROWS_MIN || row == NULL) return 0;
  traced_summary(&pen, row);
  size_t slow = slow_list_of(&ui->traces.slow, row->frame), args = slow_list_with_args(&ui->traces.slow, row->frame);
  struct traced_parts parts = traced_share(rect.rows - pen.y, (int)row->caller_count, (int)slow, (int)args);
  if (row->returned) traced_bars(&pen, row, parts.bars);
  traced_callers(&pen, row, rtop_profile_symbols(ui->profile), parts.callers);
  traced_slow(&pen, ui, row, parts.slow);
  return pen.y;
}

const char *traced_name(const struct rtop_symbol *symbol)
{
  const char *label = rtop_symbol_raw(symbol);
  size_t class_bytes = strcspn(label, "#. ");
  bool method = class_bytes > 0 && (label[class_bytes] == '#' || label[class_bytes] == '.');
  return method && label[class_bytes + 1] && strchr(label, ' ') == NULL ? label : NULL;
}
