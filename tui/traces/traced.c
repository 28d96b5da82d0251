/* Draws calls per second, percentiles, how calls are spread over their times, and callers. */
#include "traced.h"

#include "tui/tables/exact_table.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include <string.h>

enum { TRACED_ROWS_MIN = 6, TRACED_BARS = 8, TRACED_CALLERS = 3, TRACED_BAR_FROM = 19, TRACED_TEXT = 24 };

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

/* Merged methods have frames of their own: names tell. */
static const struct exact_row *traced_find(const struct exact_table *table, const struct rtop_symbols *symbols,
                                           uint32_t frame)
{
  const char *label = rtop_symbols_get(symbols, frame)->label;
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i]->frame && strcmp(exact_row_name(table->rows[i], symbols), label) == 0) return table->rows[i];
  return NULL;
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

/* Calls by the power of two that their time is in. */
struct traced_spread {
  uint64_t calls[64];
  int first, last;
  uint64_t most;
};

static void traced_spread(struct traced_spread *spread, const struct exact_times *times)
{
  *spread = (struct traced_spread){ .first = 63 };
  for (uint32_t bucket = 0; bucket < RTOP_LATENCY_BUCKETS; bucket++) {
    uint64_t ns = rtop_latency_ns(bucket);
    int power = ns ? 63 - __builtin_clzll(ns) : 0;
    if (!times->buckets[bucket]) continue;
    spread->calls[power] += times->buckets[bucket];
    if (power < spread->first) spread->first = power;
    spread->last = power;
    if (spread->calls[power] > spread->most) spread->most = spread->calls[power];
  }
}

/* From the shortest calls on; where there are too many rows the longest stand together in the last one. */
static void traced_bars(struct traced_pen *pen, const struct exact_row *row)
{
  struct traced_spread spread;
  traced_spread(&spread, &row->times[EXACT_TOTAL]);
  for (int power = spread.first, drawn = 0; power <= spread.last && traced_room(pen) && drawn < TRACED_BARS;
       power++, drawn++) {
    char from[TRACED_TEXT], count[16];
    uint64_t calls = spread.calls[power];
    for (int rest = power + 1; drawn == TRACED_BARS - 1 && rest <= spread.last; rest++) calls += spread.calls[rest];
    int y = traced_row(pen), columns = pen->rect.columns - TRACED_BAR_FROM;
    rtop_text_duration(from, sizeof from, (int64_t)(UINT64_C(1) << power));
    rtop_text_count(count, sizeof count, (double)calls);
    draw_format(y, pen->rect.x, TRACED_BAR_FROM, FACE_NORMAL, "%9s+ %6s", from, count);
    int filled = spread.most ? (int)((double)calls / (double)spread.most * columns) : 0;
    filled = filled > columns ? columns : filled == 0 && calls ? 1 : filled;
    for (int i = 0; i < filled; i++) draw_text(y, pen->rect.x + TRACED_BAR_FROM + i, 1, FACE_STRIP, "#");
  }
}

static void traced_callers(struct traced_pen *pen, const struct exact_row *row, const struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < row->caller_count && i < TRACED_CALLERS && traced_room(pen); i++) {
    char count[16];
    const struct exact_caller *caller = &row->callers[i];
    rtop_text_count(count, sizeof count, (double)caller->calls);
    draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL, "  from %6s  %s", count,
                caller->frame ? rtop_symbols_get(symbols, caller->frame)->label : "(elsewhere)");
  }
}

static void traced_summary(struct traced_pen *pen, const struct exact_row *row)
{
  char rate[16], calls[16], raised[16];
  const char *state = exact_state_text(row);
  rtop_text_count(rate, sizeof rate, exact_row_rate(row));
  rtop_text_count(calls, sizeof calls, (double)row->calls);
  rtop_text_count(raised, sizeof raised, (double)row->raised);
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_LABEL, "TRACED  %s calls/s  %s calls  %s raised",
              rate, calls, raised);
  if (*state && traced_room(pen)) draw_text(traced_row(pen), pen->rect.x + 2, pen->rect.columns - 2, FACE_WARN, state);
  double total = row->times[EXACT_TOTAL].sum_ns ? (double)row->times[EXACT_TOTAL].sum_ns / 100 : 1;
  if (traced_room(pen))
    draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_NORMAL,
                "  of its time %.1f%% waiting for the GVL, %.1f%% off it", (double)row->wait_ns / total,
                (double)row->off_ns / total);
  if (!row->returned || !traced_room(pen)) return;
  draw_format(traced_row(pen), pen->rect.x, pen->rect.columns, FACE_PLACE, "  %-5s%9s%9s%9s%9s%9s", "", "mean", "p50",
              "p90", "p99", "max");
  traced_times(pen, row, EXACT_TOTAL, "total");
  traced_times(pen, row, EXACT_SELF, "self");
}

int traced_draw(const struct ui *ui, uint32_t frame, struct rect rect)
{
  static struct exact_table table; /* used again at every frame */
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  struct traced_pen pen = { rect, 1 };
  if (rect.rows < TRACED_ROWS_MIN || !exact_table_build(&table, ui->profile, ui->span, NULL, 0)) return 0;
  const struct exact_row *row = traced_find(&table, symbols, frame);
  if (row == NULL) return 0;
  traced_summary(&pen, row);
  traced_bars(&pen, row);
  traced_callers(&pen, row, symbols);
  return pen.y;
}

const char *traced_name(const struct rtop_symbol *symbol)
{
  size_t class_bytes = strcspn(symbol->label, "#. ");
  bool method = class_bytes > 0 && (symbol->label[class_bytes] == '#' || symbol->label[class_bytes] == '.');
  return method && symbol->label[class_bytes + 1] && strchr(symbol->label, ' ') == NULL ? symbol->label : NULL;
}
