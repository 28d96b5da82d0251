/* SPDX-License-Identifier: MIT */
/* The baseline of comparisons: taken, summed, and matched by method, call and thread. */
#include "ui_baseline.h"
#include "ui.h"
#include "tui/methods/sum_translate.h"
#include "tui/text/fnv.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

void ui_baseline_forget(struct ui *ui)
{
  struct ui_baseline *at = &ui->baseline;
  rtop_sum_destroy(&at->sum);
  rtop_methods_destroy(&at->methods);
  rtop_changes_destroy(&at->changes);
  rtop_tree_gone_destroy(&at->gone);
  free(at->self_of);
  free(at->total_of);
  memset(at, 0, sizeof *at);
}

void ui_baseline_give(struct ui *ui, struct rtop_profile *other)
{
  ui->baseline.other = other;
  ui->baseline.taken = true;
  ui->stale = true;
}

void ui_baseline_next(struct ui *ui)
{
  struct ui_baseline *at = &ui->baseline;
  if (ui_calls_are_shown(ui)) {
    ui_say(ui, "counted calls cannot be compared; T goes back to samples");
    return;
  }
  if (!at->taken) {
    at->taken = ui->sum.length_ns > 0;
    at->span = ui->span;
    ui_say(ui, at->taken ? "baseline taken: DELTA; B: all columns" : "nothing is shown that could be compared with");
  } else if (!at->all) {
    at->all = true;
    ui_say(ui, "every column shows its change; B: no baseline");
  } else {
    at->taken = at->all = false;
    at->other = NULL;
    at->key = at->tree_key = 0;
    ui_say(ui, "no baseline");
  }
  ui->wanted.sort = !at->taken && ui->wanted.sort == RTOP_SORT_DELTA ? RTOP_SORT_SELF : ui->wanted.sort;
  ui->stale = true;
}

/* Returns a key that changes with everything on which the baseline's sum and rows depend. */
static uint64_t key_of(struct ui *ui, struct rtop_span span, const struct rtop_methods_options *options)
{
  struct rtop_profile *profile = ui->baseline.other != NULL ? ui->baseline.other : ui->profile;
  uint32_t lens = rtop_lens_version(rtop_profile_lens(ui->profile));
  struct rtop_span held = rtop_profile_bounds(profile);
  uint64_t focus = ui_focus_key(ui), hash = RTOP_FNV_START;
  hash = rtop_fnv(hash, &span, sizeof span);
  hash = rtop_fnv(hash, &profile, sizeof profile);
  hash = rtop_fnv(hash, &lens, sizeof lens);
  hash = rtop_fnv(hash, &held.start_ns, ui->baseline.other != NULL ? sizeof held.start_ns : 0);
  hash = rtop_fnv(hash, &options->mode, sizeof options->mode);
  hash = rtop_fnv(hash, &options->filter_invert, sizeof options->filter_invert);
  hash = rtop_fnv(hash, ui->filter, strlen(ui->filter));
  hash = rtop_fnv(hash, &focus, sizeof focus);
  return hash != 0 ? hash : 1;
}

static bool make_sum(struct ui *ui, struct rtop_span span)
{
  struct ui_baseline *at = &ui->baseline;
  if (at->other == NULL) {
    uint32_t alone = ui_processes_alone(ui);
    bool fine = rtop_profile_sum(ui->profile, span, &at->sum);
    if (fine && alone != UI_ALL_SOURCES) rtop_profile_alone(ui->profile, alone, &at->sum);
    return fine;
  }
  if (!rtop_lens_set(rtop_profile_lens(at->other), &ui->lens) || !rtop_profile_sum(at->other, span, &at->sum))
    return false;
  return rtop_sum_translate(&at->sum, rtop_profile_symbols(at->other), rtop_profile_symbols(ui->profile));
}

const struct rtop_method_row *ui_baseline_row(const struct ui *ui, uint32_t frame)
{
  const struct ui_baseline *at = &ui->baseline;
  return at->comparing ? rtop_changes_before(&at->changes, &at->methods, frame) : NULL;
}

/* Joins the present rows with their changes and the rows of methods that no longer occur. */
static bool join(struct ui *ui, double min_percent)
{
  struct rtop_changes *changes = &ui->baseline.changes;
  uint32_t frames = rtop_symbols_frame_count(rtop_profile_symbols(ui->profile));
  if (!rtop_changes_join(changes, &ui->methods, &ui->baseline.methods, frames, ui->baseline.of, min_percent))
    return false;
  ui->methods.rows = changes->rows; /* The live sum keeps its own rows. */
  ui->methods.count = changes->count;
  return true;
}

static struct rtop_span span_of(const struct ui *ui)
{
  if (ui->baseline.other != NULL) return rtop_profile_bounds(ui->baseline.other);
  if (ui->baseline.taken) return ui->baseline.span;
  int64_t length_ns = ui->span.end_ns - ui->span.start_ns;
  return (struct rtop_span){ ui->span.start_ns - length_ns, ui->span.start_ns };
}

void ui_baseline_look(struct ui *ui)
{
  if ((ui->baseline.taken || ui->view->graphs) && !ui_calls_are_shown(ui)) return;
  ui->baseline.comparing = ui->look.columns.delta = false;
}

bool ui_baseline_begin(struct ui *ui)
{
  struct ui_baseline *at = &ui->baseline;
  if (at->taken && at->other == NULL && span_of(ui).end_ns <= rtop_profile_bounds(ui->profile).start_ns) {
    at->taken = at->all = false;
    ui_say(ui, "the baseline is no longer available");
  }
  at->comparing = at->taken || ui->view->graphs;
  ui->look.columns.delta = at->comparing;
  at->of = rtop_changes_has(ui->wanted.sort) ? ui->wanted.sort : at->of;
  return at->comparing;
}

bool ui_baseline_methods(struct ui *ui, const struct rtop_methods_options *options)
{
  struct ui_baseline *at = &ui->baseline;
  struct rtop_span span = span_of(ui);
  uint64_t key = key_of(ui, span, options);
  if (key != at->key || !at->taken) {
    at->key = 0;
    if (!make_sum(ui, span)) return false;
    ui_focus_apply_to(ui, &at->sum);
    if (!rtop_methods_build(&at->methods, &at->sum, rtop_profile_symbols(ui->profile), options)) return false;
    at->key = key;
  }
  bool fine = join(ui, ui->wanted.min_percent);
  at->comparing = at->comparing && at->methods.length_ns > 0;
  return fine;
}

bool ui_baseline_tree(struct ui *ui)
{
  struct ui_baseline *at = &ui->baseline;
  uint64_t key = at->key + ui->fold;
  if (!at->comparing || key == at->tree_key) return true;
  at->tree_key = 0;
  if (!rtop_tree_build(&ui->tree, &at->sum, rtop_profile_symbols(ui->profile), &ui->wanted, ui->fold) ||
      !rtop_reserve(&at->self_of, &at->self_capacity, ui->tree.count, sizeof *at->self_of) ||
      !rtop_reserve(&at->total_of, &at->total_capacity, ui->tree.count, sizeof *at->total_of))
    return false;
  at->tree_nodes = ui->tree.count;
  memset(at->self_of, 0, at->tree_nodes * sizeof *at->self_of);
  memset(at->total_of, 0, at->tree_nodes * sizeof *at->total_of);
  for (size_t i = 0; i < ui->tree.touched_count; i++) {
    uint32_t node = ui->tree.touched[i];
    at->self_of[node] = ui->tree.nodes[node].self;
    at->total_of[node] = ui->tree.nodes[node].total;
  }
  at->tree_key = key;
  return true;
}

bool ui_baseline_node(const struct ui *ui, uint32_t tree_node, struct rtop_cost *self, struct rtop_cost *total)
{
  const struct ui_baseline *at = &ui->baseline;
  memset(self, 0, sizeof *self);
  memset(total, 0, sizeof *total);
  if (at->comparing && at->tree_key != 0 && tree_node < at->tree_nodes) {
    *self = at->self_of[tree_node];
    *total = at->total_of[tree_node];
  }
  return at->comparing && at->tree_key != 0;
}

const struct rtop_tree_gone *ui_baseline_gone(struct ui *ui, double least_percent)
{
  struct ui_baseline *at = &ui->baseline;
  const struct rtop_methods *before = &at->methods;
  uint64_t least_ns = (uint64_t)(least_percent / 100 * (double)before->length_ns) + 1;
  if (!at->comparing || at->tree_key == 0 ||
      !rtop_tree_gone_build(&at->gone, &ui->tree, at->total_of, at->tree_nodes, ui->wanted.mode, least_ns))
    return NULL;
  at->gone.before_ns = before->length_ns;
  /* Collects rows of methods: present ones in their order, then those that no longer occur. */
  for (size_t i = 0; i < at->changes.count; i++) {
    const struct rtop_method_row *row = &at->changes.rows[i];
    const struct rtop_method_row *was = rtop_changes_before(&at->changes, before, row->frame);
    if (row->self_ns == 0 && was != NULL && was->self_ns >= least_ns &&
        !rtop_tree_gone_leaf(&at->gone, row->frame, was->self_ns))
      return NULL;
  }
  return &at->gone;
}

const struct rtop_thread_row *ui_baseline_thread(const struct ui *ui, const struct rtop_thread_row *thread)
{
  const struct ui_baseline *at = &ui->baseline;
  for (size_t i = 0; at->comparing && i < at->sum.thread_count; i++) {
    const struct rtop_thread_row *before = &at->sum.threads[i];
    bool same = at->other == NULL ? before->serial == thread->serial && before->source == thread->source
                                  : strcmp(before->name, thread->name) == 0 && before->is_main == thread->is_main;
    if (same) return before;
  }
  return NULL;
}

double ui_baseline_change(const struct ui *ui, uint64_t now_ns, uint64_t before_ns)
{
  uint64_t before_length_ns = ui->baseline.sum.length_ns;
  return ui_share(ui, now_ns) - (before_length_ns > 0 ? (double)before_ns / (double)before_length_ns : 0);
}

void ui_baseline_text(char *out, size_t bytes, double change)
{
  rtop_changes_text(out, bytes, change, RTOP_SORT_SELF);
}

void ui_baseline_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *now,
                           const struct rtop_cost *before)
{
  ui_baseline_text(
      out, bytes,
      ui_baseline_change(ui, rtop_tree_clock(now, ui->wanted.mode), rtop_tree_clock(before, ui->wanted.mode)));
}
