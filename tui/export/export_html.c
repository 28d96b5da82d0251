/* SPDX-License-Identifier: MIT */
/* A self-contained HTML page: methods, flame graph, timeline with stalls, for any part of the span. */
#include "export_impl.h"

#include "export_slices.h"
#include "tui/report/report.h"
#include "shm/base/version.h"
#include "tui/methods/states.h"
#include "tui/stalls/stalls.h"
#include "tui/text/reserve.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The page (report.html) contains its code and all data as JSON: the call tree once, and per slice of time the costs of
 * each node; its code adds up the selected slices. The page fetches nothing, and a policy in it forbids fetching. Names
 * are inserted as text only. */

enum { HTML_SLICES_MAX = 240, HTML_TEXT = 4200, HTML_FIGURES = RTOP_STATES + 1 };
/* For calls, each cell also has the number of calls. */

static const char html_page[] =
#include <report.html.inc>
    ;

struct html_slice {
  int64_t start_ns, end_ns;
  uint64_t wall_ns[RTOP_STATES];
  size_t first, count; /* cells */
};

struct html_cell {
  uint32_t node;
  uint64_t figures_ns[HTML_FIGURES]; /* states, CPU */
  uint64_t calls;                    /* where they are told */
};

struct html {
  struct export_job *job;
  int64_t start_ns;
  struct rtop_tree tree; /* keeps its ids from slice to slice */
  struct rtop_sum sum;
  bool *wanted; /* by thread id */
  uint32_t thread_bound;
  struct html_slice *slices;
  size_t slice_count, slice_capacity;
  struct html_cell *cells;
  size_t cell_count, cell_capacity;
  uint32_t *numbers; /* number of each node in the file, by node of the tree; then of each frame, by frame */
};

/* Writes JSON without '<', so that no name can end the script. */
static void html_text(FILE *out, const char *text)
{
  json_t *string = json_string(text);
  char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  for (const char *at = quoted ? quoted : "\"\""; *at; at++)
    if (*at == '<') fputs("\\u003c", out);
    else fputc(*at, out);
  free(quoted);
  json_decref(string);
}

static void html_key_text(FILE *out, const char *key, const char *text)
{
  fprintf(out, "\"%s\":", key);
  html_text(out, text);
  fputs(",\n", out);
}

static int64_t html_us(const struct html *html, int64_t time_ns)
{
  return time_ns > html->start_ns ? (time_ns - html->start_ns) / 1000 : 0;
}

/* ---- what is in it ------------------------------------------------------------------------------- */

static bool html_open_threads(struct html *html)
{
  const struct rtop_sum *sum = &html->job->sum;
  html->thread_bound = rtop_profile_thread_bound(html->job->given->profile);
  html->wanted = calloc((size_t)html->thread_bound + 1, sizeof *html->wanted);
  for (size_t i = 0; html->wanted && i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    if (row->thread < html->thread_bound && (rtop_cost_wall(&row->cost) || row->cost.cpu_ns))
      html->wanted[row->thread] = true;
  }
  return html->wanted != NULL;
}

static bool html_take_cells(struct html *html, struct html_slice *slice)
{
  const struct rtop_tree *tree = &html->tree;
  slice->first = html->cell_count;
  for (size_t i = 0; i < tree->touched_count; i++) {
    const struct rtop_cost *self = &tree->nodes[tree->touched[i]].self;
    bool calls = html->job->given->calls && self->samples > 0;
    if (!calls && !rtop_cost_wall(self) && !self->cpu_ns) continue;
    if (!rtop_reserve(&html->cells, &html->cell_capacity, html->cell_count + 1, sizeof *html->cells)) return false;
    struct html_cell *cell = &html->cells[html->cell_count++];
    cell->node = tree->touched[i];
    memcpy(cell->figures_ns, self->wall_ns, sizeof self->wall_ns);
    cell->figures_ns[RTOP_STATES] = self->cpu_ns;
    cell->calls = self->samples;
  }
  slice->count = html->cell_count - slice->first;
  return true;
}

static bool html_take_slice(struct html *html, int64_t start_ns, int64_t end_ns)
{
  struct rtop_methods_options all = { .mode = RTOP_MODE_WALL };
  struct rtop_sum *sum = &html->sum;
  if (!rtop_reserve(&html->slices, &html->slice_capacity, html->slice_count + 1, sizeof *html->slices) ||
      !export_sum_span(html->job, (struct rtop_span){ start_ns, end_ns }, sum))
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < sum->cell_count; i++) {
    uint32_t thread = sum->threads[sum->cells[i].thread].thread;
    if (thread < html->thread_bound && html->wanted[thread]) sum->cells[kept++] = sum->cells[i];
  }
  sum->cell_count = kept;
  struct html_slice *slice = &html->slices[html->slice_count++];
  *slice = (struct html_slice){ .start_ns = start_ns, .end_ns = end_ns };
  if (!rtop_tree_build(&html->tree, sum, html->job->symbols, &all, false)) return false;
  memcpy(slice->wall_ns, html->tree.nodes[0].total.wall_ns, sizeof slice->wall_ns);
  return html_take_cells(html, slice);
}

/* All calls are one slice. */
static bool html_take_calls(struct html *html)
{
  struct rtop_methods_options all = { .mode = RTOP_MODE_WALL };
  const struct rtop_sum *sum = &html->job->sum;
  if (!rtop_reserve(&html->slices, &html->slice_capacity, 1, sizeof *html->slices) ||
      !rtop_tree_build(&html->tree, sum, html->job->symbols, &all, false))
    return false;
  struct html_slice *slice = &html->slices[html->slice_count++];
  *slice = (struct html_slice){ .start_ns = sum->span.start_ns, .end_ns = sum->span.end_ns };
  memcpy(slice->wall_ns, html->tree.nodes[0].total.wall_ns, sizeof slice->wall_ns);
  return html_take_cells(html, slice);
}

/* Divides the span into slices, which end at ends of windows; each contains as many windows as needed. */
static bool html_take_slices(struct html *html)
{
  if (html->job->given->calls) return html_take_calls(html);
  size_t count = 0, from = 0;
  struct rtop_window_summary *windows = export_windows(html->job, &count);
  bool fine = windows != NULL;
  for (size_t i = 0; fine && i < HTML_SLICES_MAX && from < count; i++) {
    size_t to = count <= HTML_SLICES_MAX ? from + 1 : (i + 1) * count / HTML_SLICES_MAX;
    fine = html_take_slice(html, windows[from].start_ns, windows[to - 1].end_ns) && export_goes_on(html->job);
    from = to;
  }
  free(windows);
  return fine;
}

/* ---- writing it ---------------------------------------------------------------------------------- */

static const char *html_figure(enum rtop_mode mode)
{
  if (mode == RTOP_MODE_CPU) return "cpu";
  return mode == RTOP_MODE_BUSY ? "busy" : "wall";
}

static void html_processes(struct html *html)
{
  const struct rtop_export *given = html->job->given;
  char text[200];
  size_t used = (size_t)snprintf(text, sizeof text, given->pid_count == 1 ? "process" : "processes");
  for (int i = 0; i < given->pid_count && used + 24 < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %d", i ? "," : "", (int)given->pids[i]);
  html_key_text(html->job->out, "processes", text);
}

static void html_head(struct html *html)
{
  const struct rtop_export *given = html->job->given;
  const struct rtop_span span = html->job->sum.span;
  FILE *out = html->job->out;
  fputs("{", out);
  html_key_text(out, "program", "rperf-top " RPERF_TOP_VERSION);
  html_key_text(out, "command", given->command);
  html_key_text(out, "ruby", given->ruby);
  html_processes(html);
  html_key_text(out, "figure", given->calls ? "wall" : html_figure(html->job->options.mode));
  if (given->calls)
    fprintf(out, "\"calls\":{\"count\":%" PRIu64 ",\"traced_ns\":%" PRIu64 ",\"own_ns\":%" PRIu64 "},\n",
            given->calls->calls, given->calls->traced_ns, whole_own_ns(given->calls));
  fprintf(out, "\"start_real_ms\":%" PRId64 ",\"length_us\":%" PRId64 ",\n\"states\":[",
          (html->start_ns + given->clock_offset_ns) / 1000000, html_us(html, span.end_ns));
  for (int i = 0; i < RTOP_STATES; i++) fprintf(out, "%s\"%s\"", i ? "," : "", state_key((enum rtop_state)i));
  fputs("],\n\"state_names\":[", out);
  for (int i = 0; i < RTOP_STATES; i++) fprintf(out, "%s\"%s\"", i ? "," : "", state_name((enum rtop_state)i));
  fputs("],\n", out);
}

/* Numbers the nodes that occur in slices, and their callers, from 1 on; the root is 0. */
static uint32_t html_number_nodes(struct html *html)
{
  uint32_t count = 1;
  for (size_t i = 0; i < html->cell_count; i++)
    for (uint32_t node = html->cells[i].node; node && !html->numbers[node]; node = html->tree.nodes[node].parent)
      html->numbers[node] = 1;
  for (size_t node = 1; node < html->tree.count; node++)
    if (html->numbers[node]) html->numbers[node] = count++;
  return count;
}

static void html_frame(FILE *out, const struct rtop_symbol *symbol)
{
  char name[HTML_TEXT], location[HTML_TEXT * 2];
  html_text(out, rtop_symbol_name(symbol, name, sizeof name));
  rtop_report_location(location, sizeof location, symbol, 0, true);
  fputc(',', out);
  html_text(out, location);
  fputs(symbol->kind == RTOP_SYMBOL_C ? ",1]" : ",0]", out);
}

/* Frame 0 is the frame of the root, which is never shown. */
static bool html_nodes(struct html *html)
{
  FILE *out = html->job->out;
  uint32_t *frames = calloc(rtop_symbols_frame_count(html->job->symbols) + 1, sizeof *frames), count = 1;
  if (!frames) return false;
  fputs("\"frames\":[[\"\",\"\",0]", out);
  for (size_t node = 1; node < html->tree.count; node++) {
    uint32_t frame = html->tree.nodes[node].frame;
    if (!html->numbers[node] || frames[frame]) continue;
    frames[frame] = count++;
    fputs(",\n[", out);
    html_frame(out, rtop_symbols_get(html->job->symbols, frame));
  }
  fputs("],\n\"nodes\":[[0,0]", out);
  for (size_t node = 1; node < html->tree.count; node++)
    if (html->numbers[node])
      fprintf(out, ",[%" PRIu32 ",%" PRIu32 "]", html->numbers[html->tree.nodes[node].parent],
              frames[html->tree.nodes[node].frame]);
  fputs("],\n", out);
  free(frames);
  return true;
}

static void html_slices(struct html *html)
{
  FILE *out = html->job->out;
  fputs("\"slices\":[", out);
  for (size_t i = 0; i < html->slice_count && export_goes_on(html->job); i++) {
    const struct html_slice *slice = &html->slices[i];
    fprintf(out, "%s{\"start\":%" PRId64 ",\"end\":%" PRId64 ",\"wall\":[", i ? ",\n" : "",
            html_us(html, slice->start_ns), html_us(html, slice->end_ns));
    for (int state = 0; state < RTOP_STATES; state++)
      fprintf(out, "%s%" PRIu64, state ? "," : "", slice->wall_ns[state] / 1000);
    fputs("],\"cells\":[", out);
    for (size_t k = 0; k < slice->count; k++) {
      const struct html_cell *cell = &html->cells[slice->first + k];
      fprintf(out, "%s[%" PRIu32, k ? "," : "", html->numbers[cell->node]);
      for (int figure = 0; figure < HTML_FIGURES; figure++)
        fprintf(out, ",%" PRIu64, (cell->figures_ns[figure] + 500) / 1000);
      if (html->job->given->calls) fprintf(out, ",%" PRIu64, cell->calls);
      fputc(']', out);
    }
    fputs("]}", out);
  }
  fputs("],\n", out);
}

static void html_stalls(struct html *html)
{
  FILE *out = html->job->out;
  struct stalls stalls = { 0 };
  struct rtop_span span = html->job->sum.span;
  const char *between = "";
  while (stalls_update(&stalls, html->job->given->profile, html->job->symbols, &STALL_LIMITS_USUAL)) continue;
  fputs("\"stalls\":[", out);
  for (size_t i = 0; i < stalls.count; i++) {
    const struct stall *stall = &stalls.list[i];
    char words[HTML_TEXT];
    if (stall->end_ns < span.start_ns || stall->start_ns >= span.end_ns) continue;
    stall_words(stall, html->job->symbols, words, sizeof words);
    fprintf(out, "%s{\"start\":%" PRId64 ",\"end\":%" PRId64 ",\"text\":", between, html_us(html, stall->start_ns),
            html_us(html, stall->end_ns < span.end_ns ? stall->end_ns : span.end_ns));
    html_text(out, words);
    fputs("}", out);
    between = ",\n";
  }
  fputs("]}", out);
  stalls_destroy(&stalls);
}

static bool html_write(struct html *html)
{
  FILE *out = html->job->out;
  const char *data = strstr(html_page, "@DATA@");
  html->numbers = calloc(html->tree.count + 1, sizeof *html->numbers);
  if (!html->numbers) return false;
  html_number_nodes(html);
  fwrite(html_page, 1, (size_t)(data - html_page), out);
  html_head(html);
  if (!html_nodes(html)) return false;
  html_slices(html);
  html_stalls(html);
  fputs(data + strlen("@DATA@"), out);
  return true;
}

bool export_html(struct export_job *job)
{
  struct html html = { .job = job, .start_ns = job->sum.span.start_ns };
  bool fine = html_open_threads(&html) && html_take_slices(&html) && html_write(&html);
  rtop_tree_destroy(&html.tree);
  rtop_sum_destroy(&html.sum);
  free(html.wanted);
  free(html.slices);
  free(html.cells);
  free(html.numbers);
  return fine;
}
