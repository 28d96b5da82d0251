/* SPDX-License-Identifier: MIT */
/* The icicle as a picture. */
#include "export_impl.h"

#include "tui/report/report.h"
#include "tui/text/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The icicle as a self-contained picture: callers above their callees, widths by share, largest on the left. Each
 * cell has a title with its full name, which viewers show under the mouse. Cells narrower than a third of a pixel are
 * left out and counted.
 *
 * With a baseline, a cell is redder the more its share grew, and bluer the more it shrank. */

enum {
  SVG_WIDTH = 1200,
  SVG_MARGIN = 10,
  SVG_ROW = 17,
  SVG_TOP = 58,
  SVG_DEPTH_MAX = 1000,
  SVG_FONT_WIDTH = 7, /* of a character, pixels */
  SVG_TEXT = 4200,
};
static const double svg_least_pixels = 0.3;

struct svg {
  struct export_job *job;
  struct rtop_tree tree;
  uint64_t *left;   /* position of each node's left edge, in units of the clock, by node */
  uint64_t *next;   /* by node: where its next child begins */
  uint64_t *before; /* by node: total in the baseline */
  size_t before_count;
  uint32_t *order; /* nodes by parent, the largest first */
  double all, before_all;
  uint32_t depth, left_out;
};

/* Writes text, which has no control characters. The two other code points that XML forbids are no characters, so they
   do not occur. */
static void svg_text(const char *text, FILE *out)
{
  for (; *text; text++) switch (*text) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    default:
      if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
        fputc('?', out);
        text += 2;
      } else {
        fputc(*text, out);
      }
    }
}

static uint64_t svg_total(const struct svg *svg, uint32_t node)
{
  return export_clock(svg->job, &svg->tree.nodes[node].total);
}

static double svg_share(const struct svg *svg, uint32_t node)
{
  return (double)svg_total(svg, node) / svg->all;
}

static double svg_share_before(const struct svg *svg, uint32_t node)
{
  return node < svg->before_count ? (double)svg->before[node] / svg->before_all : 0;
}

/* Colours: warm for Ruby with a shade per namespace, cool for C, grey for frames of the profiler. */
static void svg_color(const struct svg *svg, uint32_t node, FILE *out)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(svg->job->symbols, svg->tree.nodes[node].frame);
  if (svg->job->differs) {
    double change = svg_share(svg, node) - svg_share_before(svg, node);
    double strength = (change < 0 ? -change : change) * 4;
    int pale = 255 - (int)(170 * (strength < 1 ? strength : 1));
    fprintf(out, change < 0 ? "#%02x%02xff" : "#ff%02x%02x", (unsigned)pale, (unsigned)pale);
    return;
  }
  uint32_t hash = 5381;
  for (const char *at = symbol->namespace_label; *at; at++) hash = hash * 33 + (unsigned char)*at;
  if (node == 0 || symbol->kind == RTOP_SYMBOL_SPECIAL) fputs("#d0d0d0", out);
  else if (symbol->kind == RTOP_SYMBOL_C)
    fprintf(out, "hsl(%d,45%%,%d%%)", 190 + (int)(hash % 25), 74 + (int)(hash / 25 % 8));
  else fprintf(out, "hsl(%d,80%%,%d%%)", 18 + (int)(hash % 34), 66 + (int)(hash / 34 % 10));
}

static const char *svg_name(const struct svg *svg, uint32_t node)
{
  return node ? rtop_symbols_get(svg->job->symbols, svg->tree.nodes[node].frame)->label : "all";
}

static void svg_title(const struct svg *svg, uint32_t node, FILE *out)
{
  char location[SVG_TEXT * 2] = "";
  if (node)
    rtop_report_location(location, sizeof location, rtop_symbols_get(svg->job->symbols, svg->tree.nodes[node].frame), 0,
                         true);
  fputs("<title>", out);
  svg_text(svg_name(svg, node), out);
  fputs(*location ? " (" : "", out);
  svg_text(location, out);
  fprintf(out, "%s\n%.3f s, %.2f%%, self %.3f s", *location ? ")" : "", (double)svg_total(svg, node) / 1e9,
          100 * svg_share(svg, node), (double)export_clock(svg->job, &svg->tree.nodes[node].self) / 1e9);
  if (svg->job->differs)
    fprintf(out, "\nbefore %.3f s, %.2f%%, change %+.2f",
            (double)(node < svg->before_count ? svg->before[node] : 0) / 1e9, 100 * svg_share_before(svg, node),
            100 * (svg_share(svg, node) - svg_share_before(svg, node)));
  fputs("</title>", out);
}

static void svg_cell(struct svg *svg, uint32_t node)
{
  FILE *out = svg->job->out;
  double scale = (SVG_WIDTH - 2 * SVG_MARGIN) / svg->all;
  double x = SVG_MARGIN + (double)svg->left[node] * scale, width = (double)svg_total(svg, node) * scale;
  uint32_t depth = svg->tree.nodes[node].depth;
  int y = SVG_TOP + (int)depth * SVG_ROW, columns = (int)((width - 5) / SVG_FONT_WIDTH);
  if (width < svg_least_pixels || depth > SVG_DEPTH_MAX) {
    svg->left_out++;
    return;
  }
  fputs("<g>", out);
  svg_title(svg, node, out);
  fprintf(out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"", x, y, width, SVG_ROW - 1);
  svg_color(svg, node, out);
  fputs("\"/>", out);
  if (columns >= 3) {
    char name[SVG_TEXT];
    rtop_text_cut(name, sizeof name, svg_name(svg, node), columns);
    fprintf(out, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + SVG_ROW - 5);
    svg_text(name, out);
    fputs("</text>", out);
  }
  fputs("</g>\n", out);
}

static int svg_compare(const void *left, const void *right, void *context)
{
  const struct svg *svg = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint32_t above_a = svg->tree.nodes[a].parent, above_b = svg->tree.nodes[b].parent;
  if (above_a != above_b) return above_a < above_b ? -1 : 1;
  uint64_t total_a = svg_total(svg, a), total_b = svg_total(svg, b);
  if (total_a != total_b) return total_a > total_b ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Computes the positions of all nodes. Parents have smaller ids than children, so a parent's position
   is known first. */
static void svg_place(struct svg *svg)
{
  size_t count = svg->tree.touched_count;
  memcpy(svg->order, svg->tree.touched, count * sizeof *svg->order);
  qsort_r(svg->order, count, sizeof *svg->order, svg_compare, svg);
  for (size_t i = 0; i < count; i++) {
    uint32_t node = svg->order[i], parent = svg->tree.nodes[node].parent;
    svg->left[node] = node ? svg->next[parent] : 0;
    if (node) svg->next[parent] += svg_total(svg, node);
    svg->next[node] = svg->left[node];
    bool wide = svg_share(svg, node) * (SVG_WIDTH - 2 * SVG_MARGIN) >= svg_least_pixels;
    if (wide && svg->tree.nodes[node].depth > svg->depth) svg->depth = svg->tree.nodes[node].depth;
  }
  if (svg->depth > SVG_DEPTH_MAX) svg->depth = SVG_DEPTH_MAX;
}

static void svg_head(const struct svg *svg)
{
  const struct export_job *job = svg->job;
  const struct rtop_export *given = job->given;
  FILE *out = job->out;
  int height = SVG_TOP + (int)(svg->depth + 1) * SVG_ROW + SVG_MARGIN;
  char clock[40] = "", command[SVG_TEXT];
  time_t seconds = (time_t)((job->sum.span.end_ns + given->clock_offset_ns) / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local)) strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &local);
  fprintf(out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
          SVG_WIDTH, height, SVG_WIDTH, height);
  fputs("<style>text{font:12px monospace;fill:#111}.h{font-size:15px}g:hover rect{stroke:#000}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fdfdfb\"/>\n",
        out);
  rtop_text_cut(command, sizeof command, given->command, 110);
  fprintf(out, "<text class=\"h\" x=\"%d\" y=\"22\">%d ", SVG_MARGIN, given->pid_count ? (int)given->pids[0] : 0);
  svg_text(command, out);
  fprintf(out, "</text>\n<text x=\"%d\" y=\"42\">%.3f s up to %s, %s time of all threads: %.3f s", SVG_MARGIN,
          (double)job->sum.length_ns / 1e9, clock,
          given->calls                         ? "exact own"
          : job->options.mode == RTOP_MODE_CPU ? "CPU"
                                               : rtop_mode_name(job->options.mode),
          (double)svg_total(svg, 0) / 1e9);
  if (job->differs)
    fprintf(out, "; red: more than in %.3f s before, blue: less", (double)job->baseline.length_ns / 1e9);
  fputs("</text>\n", out);
}

static bool svg_build(struct svg *svg, const struct rtop_sum *sum)
{
  struct rtop_methods_options all = { .mode = svg->job->options.mode };
  return rtop_tree_build(&svg->tree, sum, svg->job->symbols, &all, false);
}

/* Finds the baseline costs: the tree keeps its ids, so they are found under the same ids. */
static bool svg_baseline(struct svg *svg)
{
  if (!svg_build(svg, &svg->job->baseline)) return false;
  svg->before_count = svg->tree.count;
  svg->before = calloc(svg->before_count, sizeof *svg->before);
  for (size_t i = 0; svg->before && i < svg->tree.touched_count; i++)
    svg->before[svg->tree.touched[i]] = svg_total(svg, svg->tree.touched[i]);
  svg->before_all = svg->before && svg->before[0] ? (double)svg->before[0] : 1;
  return svg->before != NULL;
}

static bool svg_room(struct svg *svg)
{
  svg->left = calloc(svg->tree.count, sizeof *svg->left);
  svg->next = calloc(svg->tree.count, sizeof *svg->next);
  svg->order = calloc(svg->tree.touched_count + 1, sizeof *svg->order);
  return svg->left && svg->next && svg->order;
}

bool export_svg(struct export_job *job)
{
  struct svg svg = { .job = job };
  bool fine = (!job->differs || svg_baseline(&svg)) && svg_build(&svg, &job->sum) && svg_room(&svg);
  if (fine) {
    svg.all = svg_total(&svg, 0) ? (double)svg_total(&svg, 0) : 1;
    svg_place(&svg);
    svg_head(&svg);
    for (size_t i = 0; i < svg.tree.touched_count; i++) svg_cell(&svg, svg.order[i]);
    fprintf(job->out, "<!-- %" PRIu32 " cells are too narrow to be drawn -->\n</svg>\n", svg.left_out);
  }
  rtop_tree_destroy(&svg.tree);
  free(svg.left);
  free(svg.next);
  free(svg.before);
  free(svg.order);
  return fine;
}
