/* SPDX-License-Identifier: MIT */
/* Marks, filters and merges that are active, at the right of the row of tabs, so that the user cannot forget them. */
#include "viewer.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include "tui/ui/ui.h"
#include <limits.h>

enum { ACTIVE_MAX = 10, CAP_MAX = 40, CAP_MIN = 3 };

/* An active setting: "filter: Shop", or "\Shop" if there is little room. The end of the text is never cut. */
struct active {
  const char *name, *brief;
  char text[PROMPT_BYTES], end[32];
};

struct actives {
  int count;
  struct active one[ACTIVE_MAX];
};

static struct active *active_add(struct actives *all, const char *name, const char *brief, const char *text)
{
  static struct active lost;
  struct active *active = text[0] != '\0' && all->count < ACTIVE_MAX ? &all->one[all->count++] : &lost;
  active->name = name;
  active->brief = brief;
  active->end[0] = '\0';
  snprintf(active->text, sizeof active->text, "%.*s", (int)sizeof active->text - 1, text);
  return active;
}

/* Adds the lens's settings word by word, so that each can be cut separately. */
static void add_lens(struct actives *all, const struct rtop_lens_look *look)
{
  struct rtop_lens_look part = *look;
  char text[PROMPT_BYTES];
  active_add(all, "", "", look->only_mine ? "mine" : "");
  active_add(all, "", "", look->no_c ? "-C" : "");
  part.only_mine = part.no_c = false;
  part.label[0] = part.exclude[0] = '\0';
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
  part.merge = RTOP_MERGE_METHOD;
  part.processes = part.labels = false;
  part.states = 0;
  part.label_root[0] = part.label_leaf[0] = '\0';
  snprintf(part.label, sizeof part.label, "%s", look->label);
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
  part.label[0] = '\0';
  snprintf(part.exclude, sizeof part.exclude, "%s", look->exclude);
  rtop_lens_text(&part, text, sizeof text);
  active_add(all, "", "", text);
}

static void active_collect(const struct ui *ui, struct actives *all)
{
  char text[PROMPT_BYTES] = "";
  all->count = 0;
  struct active *search = active_add(all, "search: ", "/", ui->search);
  snprintf(search->end, sizeof search->end, " %zu/%zu", ui->match_at, ui->match_count);
  active_add(all, "filter: ", "\\", ui->filter);
  ui_focus_text(ui, text, sizeof text);
  active_add(all, "thread: ", "thr:", text);
  text[0] = '\0';
  if (ui->apart > 1) ui_processes_prefix(ui, (uint32_t)ui->apart - 2, text, sizeof text);
  active_add(all, "process ", "pid ", text);
  text[0] = '\0';
  if (ui->baseline.taken && ui->baseline.other != NULL) snprintf(text, sizeof text, "recording");
  else if (ui->baseline.taken)
    time_text_clock(text, sizeof text, ui->baseline.span.end_ns + ui->source.clock_offset_ns, false);
  active_add(all, "against ", "vs ", text);
  add_lens(all, &ui->lens);
  bool told = ui->layout.part[PART_VERDICT].rows > 0; /* in the header */
  active_add(all, "", "", ui_calls_are_shown(ui) && !told ? "all calls: exact" : "");
  text[0] = '\0';
  if (ui->view->state != NULL) ui->view->state(ui, text, sizeof text);
  active_add(all, "", "", text);
}

/* Writes all texts with at most `cap` columns each; 0: in full with long names. Returns the columns. */
static int write_all(const struct actives *all, int cap, char *out, size_t bytes)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < all->count && used < bytes; i++) {
    const struct active *active = &all->one[i];
    char text[PROMPT_BYTES];
    rtop_text_cut(text, sizeof text, active->text, cap > 0 ? cap : PROMPT_BYTES);
    bool close = cap > 0 || (i > 0 && active->name[0] == '\0' && all->one[i - 1].name[0] == '\0');
    used += (size_t)snprintf(out + used, bytes - used, "%s%s%s%s",
                             i == 0  ? ""
                             : close ? " "
                                     : "  ",
                             cap > 0 ? active->brief : active->name, text, active->end);
  }
  return rtop_text_width(out);
}

int view_header_active(const struct ui *ui, int columns, int brief_columns, char *out, size_t bytes)
{
  struct actives all;
  active_collect(ui, &all);
  int used = write_all(&all, 0, out, bytes);
  if (used <= columns) return used;
  columns = columns > brief_columns ? columns : brief_columns;
  used = INT_MAX;
  for (int cap = CAP_MAX; used > columns && cap >= CAP_MIN; cap--) used = write_all(&all, cap, out, bytes);
  if (used > columns) used = snprintf(out, bytes, "%d filter%s", all.count, all.count > 1 ? "s" : "");
  return used;
}
