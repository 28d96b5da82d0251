/* SPDX-License-Identifier: MIT */
/* Writes slow calls. */
#include "slow_out.h"

#include "json_values.h"
#include "json.h"
#include "shm/base/label_text.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include <string.h>

enum { SLOW_TEXT = 512, SLOW_LINE = 2048, SLOW_ROWS = 20, SLOW_PLACE = 160 };

/* Writes the stack from the method's caller outwards, as far as it fits: "Orders#place (orders.rb:12)". */
static void slow_stack(const struct rtop_report *report, uint32_t stack, char *out, size_t bytes)
{
  size_t used = 0;
  const struct rtop_call_node *node = rtop_symbols_get_node(report->symbols, stack);
  *out = '\0';
  for (uint32_t at = node->parent; at != 0 && used + 1 < bytes;) {
    char place[SLOW_PLACE];
    const struct rtop_call_node *call = rtop_symbols_get_node(report->symbols, at);
    const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, call->frame);
    if (rtop_symbol_is_labels(symbol)) break;
    rtop_report_location(place, sizeof place, symbol, call->line, false);
    int more = snprintf(out + used, bytes - used, "%s%s%s%s%s", used ? " < " : "", symbol->label, *place ? " (" : "",
                        place, *place ? ")" : "");
    used = (size_t)more < bytes - used ? used + (size_t)more : bytes - 1;
    at = call->parent < at ? call->parent : 0;
  }
}

static void slow_text_row(const struct rtop_report *report, const struct slow_row *row, FILE *out, int columns)
{
  char line[SLOW_LINE], cut[SLOW_LINE], when[16], total[24], self[24], off[24], wait[24];
  const struct rtop_slow_call *call = &row->call;
  int64_t real_ns = call->end_ns + report->clock_offset_ns;
  time_text_clock(when, sizeof when, real_ns, false);
  rtop_text_duration(total, sizeof total, (int64_t)call->total_ns);
  rtop_text_duration(self, sizeof self, (int64_t)call->self_ns);
  rtop_text_duration(off, sizeof off, (int64_t)call->off_ns);
  rtop_text_duration(wait, sizeof wait, (int64_t)call->wait_ns);
  const char *labels = row->labels ? rtop_symbols_get(report->symbols, row->labels)->label : "";
  snprintf(line, sizeof line, "%s.%03d%10s%10s%10s%10s  %s%s%s%s%s", when, (int)(real_ns / 1000000 % 1000), total, self,
           off, wait, row->thread[0] ? row->thread : "-", call->raised ? "  raised" : "", *labels ? "  [" : "", labels,
           *labels ? "]" : "");
  rtop_text_cut(cut, sizeof cut, line, columns > 40 ? columns - 4 : 36);
  fprintf(out, "    %s\n", cut);
  rtop_text_cut(cut, sizeof cut, row->args, columns > 40 ? columns - 11 : 29);
  if (row->args[0]) fprintf(out, "      with %s\n", cut);
  slow_stack(report, call->stack, line, sizeof line);
  rtop_text_cut(cut, sizeof cut, *line ? line : "(stack not known)", columns > 40 ? columns - 11 : 29);
  fprintf(out, "      from %s\n", cut);
}

/* Number of slow calls that are not listed, because there was no room for them. */
static uint64_t slow_left_out(const struct rtop_report *report, const struct exact_row *row)
{
  size_t listed = row->frame ? slow_list_of(&report->slow, row->frame) : 0;
  return row->slow_calls > listed ? row->slow_calls - listed : 0;
}

void slow_write_text(const struct rtop_report *report, const struct exact_row *row, FILE *out, int columns)
{
  char slower[24], calls[16];
  size_t listed = row->frame ? slow_list_of(&report->slow, row->frame) : 0, at = 0;
  uint64_t left_out = slow_left_out(report, row);
  if (!report->slower_us && !listed && !left_out) return;
  rtop_text_duration(slower, sizeof slower, (int64_t)report->slower_us * 1000);
  rtop_text_count(calls, sizeof calls, (double)(listed + left_out));
  if (report->slower_us) fprintf(out, "  slower than %s: %s calls", slower, calls);
  else fprintf(out, "  slow: %s calls", calls);
  if (left_out) fprintf(out, ", %llu not listed: there was no room", (unsigned long long)left_out);
  size_t skip = listed > SLOW_ROWS ? listed - SLOW_ROWS : 0;
  if (skip) fprintf(out, ", the last %d", SLOW_ROWS);
  putc('\n', out);
  if (listed) fprintf(out, "    %-12s%10s%10s%10s%10s  %s\n", "ended", "total", "self", "off GVL", "waiting", "thread");
  for (const struct slow_row *slow; (slow = slow_list_next(&report->slow, row->frame, &at));)
    if (skip > 0) skip--;
    else slow_text_row(report, slow, out, columns);
}

json_t *slow_labels(const struct rtop_report *report, uint32_t frame)
{
  json_t *labels = json_object();
  const char *text = frame ? rtop_symbols_get(report->symbols, frame)->label : "";
  struct rtop_label_buffer label;
  for (size_t at = 0; rtop_label_text_next(text, strlen(text), &at, &label);)
    json_object_set_new(labels, label.key, json_text(label.value));
  return labels;
}

void slow_json_about(const struct rtop_report *report, const struct slow_row *row, json_t *object)
{
  const struct rtop_slow_call *call = &row->call;
  json_object_set_new(object, "time", json_real((double)(call->end_ns + report->clock_offset_ns) / 1e9));
  json_object_set_new(object, "total", json_seconds(call->total_ns));
  json_object_set_new(object, "thread", json_integer((json_int_t)(call->serial & INT64_MAX)));
  json_object_set_new(object, "thread_name", json_text(row->thread));
  if (report->source_count > 1 && row->source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[row->source]));
}

static json_t *slow_json_row(const struct rtop_report *report, const struct slow_row *row)
{
  const struct rtop_slow_call *call = &row->call;
  json_t *object = json_object();
  slow_json_about(report, row, object);
  json_object_set_new(object, "self", json_seconds(call->self_ns));
  json_object_set_new(object, "waiting", json_seconds(call->wait_ns));
  json_object_set_new(object, "blocked", json_seconds(call->off_ns));
  json_object_set_new(object, "raised", json_boolean(call->raised));
  if (row->args[0]) json_object_set_new(object, "args", json_text(row->args));
  json_object_set_new(object, "labels", slow_labels(report, row->labels));
  json_object_set_new(object, "stack", rtop_json_stack(report, call->stack));
  return object;
}

void slow_json(const struct rtop_report *report, const struct exact_row *row, json_t *object)
{
  size_t at = 0;
  uint64_t left_out = slow_left_out(report, row);
  json_t *calls = json_array();
  for (const struct slow_row *slow; row->frame && (slow = slow_list_next(&report->slow, row->frame, &at));)
    json_array_append_new(calls, slow_json_row(report, slow));
  if (report->slower_us) json_object_set_new(object, "slower", json_seconds((uint64_t)report->slower_us * 1000));
  if (report->slower_us || json_array_size(calls) || left_out) {
    json_object_set_new(object, "slow", calls);
    json_object_set_new(object, "slow_left_out", json_integer((json_int_t)(left_out & INT64_MAX)));
  } else {
    json_decref(calls);
  }
}
