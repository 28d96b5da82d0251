/* SPDX-License-Identifier: MIT */
/* The viewer as a whole: creates, updates, draws and destroys all its views. */
#include "viewer.h"

#include "view_icicle.h"
#include "view_threads.h"
#include "tui/cli/options.h"
#include "tui/tables/timeline.h"
#include "tui/term/draw.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_lens.h"
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct view_ops *const views[VIEW_COUNT] = {
#define DATA_VIEW(id, name, ...) &view_##name,
#define OTHER_VIEW(id, name) &view_##name,
#include "tui/term/views.def"
};

static void (*const draw_view[VIEW_COUNT])(struct ui *ui) = {
#define DATA_VIEW(id, name, ...) name##_draw,
#define OTHER_VIEW(id, name) name##_draw,
#include "tui/term/views.def"
};

const struct view_ops *ui_view(enum view_id id)
{
  return views[id];
}

static bool start_view(struct ui *ui, const struct view_ops *view)
{
  ui->data[view->id] = calloc(1, view->bytes);
  if (ui->data[view->id] != NULL && view->start != NULL) view->start(ui);
  return ui->data[view->id] != NULL;
}

static void end_view(struct ui *ui, const struct view_ops *view)
{
  if (ui->data[view->id] != NULL && view->forget != NULL) view->forget(ui);
  free(ui->data[view->id]);
  ui->data[view->id] = NULL;
}

bool ui_init(struct ui *ui, const struct rtop_options *options)
{
  memset(ui, 0, sizeof *ui);
  ui->options = options;
  ui->wanted = options->methods;
  ui->lens = options->lens;
  ui->apart = options->lens.processes;
  if (options->methods.filter != NULL) {
    char text[PROMPT_BYTES];
    snprintf(text, sizeof text, "%s%s", options->methods.filter_invert ? "!" : "", options->methods.filter);
    ui_take_filter(ui, text);
  }
  ui->look.columns = options->columns;
  ui->stalls.limits = options->stall;
  ui->length_ns = (int64_t)(options->frame_seconds * 1e9);
  ui->delay_seconds = options->delay_seconds;
  ui->look.header = !options->no_header;
  ui->look.footer = options->no_footer ? FOOTER_OFF : FOOTER_KEYS;
  ui->look.mouse = options->mouse;
  ui->look.clipboard = true;
  ui->follow = true;
  ui->look.ascii = options->ascii ? UI_ASCII_ON : UI_ASCII_AUTO;
  ui->view = &view_methods;
  ui->first_view = options->view;
  ui->stale = ui->dirty = true;
  ui->hysteresis = calloc(1, sizeof *ui->hysteresis);
  if (ui->hysteresis == NULL || !ui_focus_init(ui, options->methods.thread_filter)) return false;
  for (int i = 0; i < VIEW_COUNT; i++)
    if (!start_view(ui, views[i])) return false;
  return true;
}

void ui_destroy(struct ui *ui)
{
  for (int i = 0; i < VIEW_COUNT; i++) end_view(ui, views[i]);
  rtop_methods_destroy(&ui->methods);
  rtop_tree_destroy(&ui->tree);
  rtop_sum_destroy(&ui->sum);
  rtop_live_destroy(&ui->live);
  ui_stalls_forget(ui);
  ui_verdict_forget(ui);
  rests_destroy(&ui->rests);
  ui_raised_forget(ui);
  ui_baseline_forget(ui);
  ui_traces_forget(ui);
  ui_calls_forget(ui);
  ui_list_forget(ui);
  ui_list_forget_own(ui);
  strip_destroy(&ui->strip);
  ui_focus_destroy(ui);
  if (ui->hysteresis != NULL) rtop_hysteresis_forget(ui->hysteresis);
  free(ui->hysteresis);
}

/* Marks everything that is shown as used, however old it is. */
static void viewer_keep(void *context, struct rtop_symbols *symbols)
{
  const struct ui *ui = context;
  rtop_sum_keep(&ui->sum, symbols);
  rtop_sum_keep(&ui->baseline.sum, symbols);
  ui_calls_keep(ui, symbols);
  rtop_symbols_use_frame(symbols, ui->selected);
  ui_way_keep(ui, symbols);
  stalls_keep(&ui->stalls.stalls, symbols);
  verdict_keep(&ui->verdict.verdict, symbols);
  verdict_past_keep(&ui->verdict.past, symbols);
  ui_list_keep(ui, symbols);
  icicle_view_keep(ui, symbols);
  threads_view_keep(ui, symbols);
}

void ui_watch(struct ui *ui, struct rtop_profile *profile)
{
  if (profile != NULL && profile != ui->profile)
    rtop_profile_add_keeper(profile, &(struct rtop_profile_keeper){ ui, viewer_keep });
  ui->profile = profile;
  rtop_live_destroy(&ui->live);
  ui->live = profile != NULL ? rtop_live_create(profile) : NULL;
  ui->frozen = false;
  ui->apart = ui->lens.processes;
  ui_focus_clear(ui);
  memset(&ui->time, 0, sizeof ui->time);
  ui->methods.count = 0;
  rtop_tree_forget(&ui->tree);
  ui->sum.cell_count = ui->sum.thread_count = 0;
  ui->sum.length_ns = 0;
  strip_destroy(&ui->strip);
  ui_stalls_forget(ui);
  ui_verdict_forget(ui);
  rests_destroy(&ui->rests);
  ui_raised_forget(ui);
  memset(&ui->cores, 0, sizeof ui->cores);
  ui_baseline_forget(ui);
  ui_traces_forget(ui);
  ui_calls_forget(ui);
  ui_list_forget_own(ui);
  if (profile != NULL)
    ui_list_forget(ui); /* the process from the list is watched now,
                                              or the list is of no use any more */
  memset(&ui->source, 0, sizeof ui->source);
  rtop_hysteresis_forget(ui->hysteresis);
  ui->selected = ui->chosen = 0; /* frames are of a profile */
  ui_way_drop(ui);
  if (ui->ask.menu_for == UI_MENU_ROW) ui->ask.menu.open = false;
  for (int i = 0; i < VIEW_COUNT; i++)
    if (views[i]->forget != NULL) views[i]->forget(ui);
  ui->stale = ui->dirty = true;
}

void ui_open_view(struct ui *ui, enum view_id id)
{
  if (!view_is_aside(ui->view->id)) ui->back = ui->view;
  ui->view = views[id];
  if (ui->view->open != NULL) ui->view->open(ui);
  ui->stale = ui->dirty = true;
}

/* Updates the methods, whose rows are sorted by the view that shows them. */
static bool update_methods(struct ui *ui)
{
  struct rtop_methods_options by_name = ui_shown_options(ui);
  by_name.sort = by_name.sort == RTOP_SORT_LOCATION ? RTOP_SORT_LOCATION : RTOP_SORT_NAME;
  by_name.reverse = false;
  bool rows = !ui->view->calls || ui->baseline.taken;
  bool calls = ui_calls_are_shown(ui), compares = rows && !calls && ui_baseline_begin(ui);
  by_name.min_percent = compares ? 0 : by_name.min_percent;
  ui->methods.length_ns = ui_shown_sum(ui)->length_ns;
  if (!rtop_live_methods(ui_shown_live(ui), ui_shown_sum(ui), rows ? &ui->methods : NULL, &by_name)) return false;
  if (calls && rows) rtop_methods_tell_calls(&ui->methods);
  return !compares || ui_baseline_methods(ui, &by_name);
}

bool ui_handle(struct ui *ui, enum request request)
{
  return (ui->view->handle != NULL && ui->view->handle(ui, request)) || ui_rows_request(ui, request);
}

bool ui_update(struct ui *ui)
{
  bool fine = true;
  int cells = COLS > 9 ? COLS - 9 : 1;
  ui->exact = ui->touched || ui->baseline.comparing || (ui->frozen && ui->time.speed == 0);
  if (ui->profile != NULL) {
    ui_stalls_fit_mode(ui);
    ui->span = ui_time_span(ui);
    ui_lens_apply(ui);
    fine = ui_calls_update(ui);
    ui_baseline_look(ui);
    if (ui->live != NULL) rtop_live_want_ratios(ui->live, ui->view->ratios != NULL && ui->view->ratios(ui));
    fine = fine && ui->live != NULL && rtop_live_sum(ui->live, ui->span, &ui->sum);
    uint32_t alone = ui_processes_alone(ui);
    if (fine) rtop_profile_open_blame(ui->profile, &ui->sum);
    if (fine && alone != UI_ALL_SOURCES) rtop_profile_alone(ui->profile, alone, &ui->sum);
    fine = fine && ui_verdict_update(ui) && ui_raised_update(ui);
    ui_focus_apply(ui);
    fine = fine && (ui->view->threads || update_methods(ui)) && ui_traces_update(ui) &&
           strip_build(&ui->strip, ui->profile, ui_time_strip_end(ui, cells), cells, ui->span.end_ns, alone);
  }
  if (fine && ui->profile != NULL && ui->view->tree) {
    struct rtop_methods_options options = ui_shown_options(ui);
    fine = ui_baseline_tree(ui) &&
           rtop_tree_build(&ui->tree, ui_shown_sum(ui), rtop_profile_symbols(ui->profile), &options, ui->fold);
  }
  rtop_hysteresis_step(ui->hysteresis);
  ui->more = false;
  uint32_t culprit = ui->selected; /* the view's cursor may be elsewhere still */
  if (fine && ui->view->update != NULL) ui->view->update(ui);
  if (fine && ui->stalls.seek && ui->view->open != NULL) {
    ui->selected = ui->chosen = culprit;
    ui->view->open(ui);
    if (ui->view->update != NULL) ui->view->update(ui); /* some go there with the next update */
    ui_rows_show(ui);
  }
  ui->stalls.seek = false;
  ui->stale = ui->touched = false;
  ui->dirty = true;
  return fine;
}

void ui_draw(struct ui *ui)
{
  erase();
  memset(ui->drawn.tab, 0, sizeof ui->drawn.tab);
  bool wide = ui->look.wide && ui->look.ascii != UI_ASCII_OFF;
  draw_charset(wide || ui->look.ascii == UI_ASCII_ON, draw_utf8());
  draw_wide(wide);
  struct layout_wish wish = { ui->look.header && ui->view->id != VIEW_CHOOSER, ui->view->detail,
                              ui->look.footer == FOOTER_OFF, ui->view->text };
  layout_compute(&ui->layout, LINES, COLS, &wish);
  if (ui->view->graphs) layout_graphs(&ui->layout, TIMELINE_GRAPHS);
  if (!ui->layout.tiny) {
    view_header_draw(ui);
    view_footer_draw(ui);
  }
  if (ui->view->prepare != NULL) ui->view->prepare(ui);
  draw_view[ui->view->id](ui);
  if (ui->ask.menu.open && !ui->layout.tiny) menu_draw(&ui->ask.menu, ui->layout.part[PART_TABLE]);
  view_message_draw(ui);
  if (ui->ask.prompting != UI_PROMPT_NONE && !ui->layout.tiny) view_footer_draw(ui); /* last: it holds the cursor */
  ui->dirty = false;
}
