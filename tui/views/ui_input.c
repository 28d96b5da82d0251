/* SPDX-License-Identifier: MIT */
/* Handles keys: by prompt and menu first, then by the view, then by what all views share. */
#include "view_tree.h"
#include "viewer.h"
#include "view_time.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/traces/traced.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_lens.h"
#include "tui/ui/ui_row_menu.h"
#include "tui/ui/ui_settings.h"
#include <stdlib.h>
#include <string.h>

static void take_delay(struct ui *ui, const char *text)
{
  char *end;
  double seconds = strtod(text, &end);
  while (*end == ' ') end++;
  if (end == text || *end != '\0' || !(seconds >= 0.1) || seconds > 3600)
    ui_say(ui, "the delay is 0.1 to 3600 seconds");
  else ui->delay_seconds = seconds;
}

/* Applies the text typed so far at once; Esc restores the earlier state. */
static void prompt_effect(struct ui *ui, const char *text)
{
  if (ui->ask.prompting == UI_PROMPT_SEARCH) {
    snprintf(ui->search, sizeof ui->search, "%s", text);
    if (text[0] != '\0') ui_handle(ui, REQUEST_SEARCH);
  } else if (ui->ask.prompting == UI_PROMPT_FILTER) {
    ui_take_filter(ui, text);
  }
}

static void prompt_input(struct ui *ui, int key)
{
  switch (prompt_key(&ui->ask.prompt, key)) {
  case PROMPT_CHANGED: prompt_effect(ui, ui->ask.prompt.text); break;
  case PROMPT_CANCELLED:
    prompt_effect(ui, ui->ask.before_prompt);
    ui->ask.prompting = UI_PROMPT_NONE;
    break;
  case PROMPT_ACCEPTED:
    if (ui->ask.prompting == UI_PROMPT_DELAY) {
      take_delay(ui, ui->ask.prompt.text);
    } else if (ui->ask.prompting == UI_PROMPT_EXCLUDE) {
      ui_lens_exclude(ui, ui->ask.prompt.text);
    } else if (ui->ask.prompting == UI_PROMPT_COMMAND) {
      snprintf(ui->wish.command, sizeof ui->wish.command, "%s", ui->ask.prompt.text);
    } else if (ui->ask.prompting == UI_PROMPT_GOTO) {
      ui_time_goto(ui, ui->ask.prompt.text);
    } else if (ui->ask.prompting == UI_PROMPT_CALLS) {
      /* They are seen at once. */
      if (ui_calls_answer(ui, ui->ask.prompt.text) && !ui->view->exact) ui_open_view(ui, VIEW_METHODS);
    } else if (ui->filter_error != NULL) {
      ui_say(ui, "%s", ui->filter_error);
      ui->filter_error = NULL;
    }
    ui->ask.prompting = UI_PROMPT_NONE;
    break;
  case PROMPT_MOVED:
  case PROMPT_IGNORED: break;
  }
}

static bool leave_view(struct ui *ui)
{
  if (view_is_aside(ui->view->id)) {
    ui->view = ui->back != NULL ? ui->back : &view_methods;
    ui->stale = true;
    return true;
  }
  return false;
}

/* Returns to the list of processes. False: there is none, or it is on the screen. */
static bool leave_target(struct ui *ui)
{
  if (ui->view->id == VIEW_CHOOSER || (!ui->list.inside && !ui->list.choosing)) return false;
  ui->wish.leave_target = !ui->list.inside;
  if (!ui->list.inside) return true;
  ui_list_leave(ui);
  ui_open_view(ui, VIEW_CHOOSER);
  return true;
}

/* Leaves the list of watched processes: returns to the list of all processes, if that was shown before. */
static void leave_list(struct ui *ui)
{
  if (ui->profile == NULL || ui->list.before == NULL) ui->wish.quit = true;
  else ui_open_view(ui, ui->list.before->id);
}

/* Shows the next process; if there are many, the list of watched processes comes between all of them and each alone. */
static void turn_processes(struct ui *ui)
{
  bool lists = ui->view->id == VIEW_CHOOSER;
  if (!lists && ui->apart == 1 && ui_list_is_worth(ui)) {
    ui->list.before = ui->view;
    ui_open_view(ui, VIEW_CHOOSER);
    return;
  }
  if (lists && ui->profile == NULL) return;
  ui_processes_next(ui);
  if (lists) ui_open_view(ui, ui->first_view == VIEW_CHOOSER ? VIEW_METHODS : ui->first_view);
}

/* Handles Esc, which removes filter and search before it leaves the target. */
static void step_back(struct ui *ui)
{
  if (leave_view(ui) || time_stalls_leave(ui)) return;
  if (ui->search[0] != '\0') ui->search[0] = '\0';
  else if (ui->filter[0] != '\0') ui_take_filter(ui, "");
  else if (ui_lens_back(ui) || ui_calls_back(ui)) return;
  else if (ui_time_back(ui)) ui->dirty = true;
  else if (ui->focus.count > 0) ui_focus_clear(ui);
  else if (!leave_target(ui) && ui->view->id == VIEW_CHOOSER) leave_list(ui);
}

static void toggle_output(struct ui *ui)
{
  if (ui->view->id == VIEW_OUTPUT) leave_view(ui);
  else if (ui->source.launch != NULL) ui_open_view(ui, VIEW_OUTPUT);
  else ui_say(ui, "no command was started from here");
}

static void toggle_why(struct ui *ui)
{
  if (ui->view->id == VIEW_WHY) leave_view(ui);
  else ui_open_view(ui, VIEW_WHY);
}

/* Shows the next tab; from help and output, returns to the view from which they were opened. */
static void turn_view(struct ui *ui, int step)
{
  if (!leave_view(ui)) {
    int id = (int)ui->view->id;
    id = (id + step + VIEW_DATA_COUNT) % VIEW_DATA_COUNT;
    ui_open_view(ui, (enum view_id)id);
  }
}

static bool view_request(struct ui *ui, enum request request)
{
  enum view_id id = VIEW_COUNT;
#define DATA_VIEW(view, ...) id = request == REQUEST_VIEW_##view ? VIEW_##view : id;
#include "tui/term/views.def"
  if (id != VIEW_COUNT) ui_open_view(ui, id);
  return id != VIEW_COUNT;
}

/* Notes the request; the main loop, which has the session, carries it out. */
static void trace_selected(struct ui *ui)
{
  if (ui->selected == 0 || ui->profile == NULL) return;
  const struct rtop_symbol *symbol = rtop_symbols_get(rtop_profile_symbols(ui->profile), ui->selected);
  const char *name = traced_name(symbol);
  const struct exact_row *row = ui_traces_of(ui, ui->selected);
  bool method = name != NULL && (symbol->kind == RTOP_SYMBOL_RUBY || symbol->kind == RTOP_SYMBOL_C);
  if (!method) ui_say(ui, "only methods can be traced");
  else if (row != NULL && row->state == RTOP_TRACE_SLOWER) {
    char command[sizeof ui->wish.command];
    snprintf(command, sizeof command, "trace %s,force", name);
    ui_ask_command(ui, command);
  } else snprintf(ui->wish.trace, sizeof ui->wish.trace, "%s", name);
}

static void trace_all(struct ui *ui)
{
  if (ui_calls_request(ui)) ui_ask(ui, UI_PROMPT_CALLS);
  else if (ui->calls.shown && !ui->view->exact) ui_open_view(ui, VIEW_METHODS);
}

static bool shared_request(struct ui *ui, enum request request)
{
  switch (request) {
  case REQUEST_HELP:
    if (ui->view->id == VIEW_HELP) leave_view(ui);
    else ui_open_view(ui, VIEW_HELP);
    return true;
  case REQUEST_LIST_TREE:
  case REQUEST_OTHER_TREE: ui_open_view(ui, ui->view->id == VIEW_TREE ? VIEW_METHODS : VIEW_TREE); return true;
  case REQUEST_STALLS:
    if (!time_stalls_leave(ui)) time_stalls_open(ui);
    return true;
  case REQUEST_VIEW_NEXT: turn_view(ui, 1); return true;
  case REQUEST_VIEW_BACK: turn_view(ui, -1); return true;
  case REQUEST_OUTPUT: toggle_output(ui); return true;
  case REQUEST_ASCII: ui->look.ascii = draw_is_ascii() ? UI_ASCII_OFF : UI_ASCII_ON; return true;
  case REQUEST_HEADER: ui->look.header = !ui->look.header; return true;
  case REQUEST_REDRAW: ui->wish.repaint = true; return true;
  case REQUEST_SUSPEND: ui->wish.suspend = true; return true;
  case REQUEST_QUIT_NOW: ui->wish.quit = true; return true;
  case REQUEST_PROCESSES: turn_processes(ui); return true;
  case REQUEST_QUIT: ui->wish.quit = !leave_view(ui) && !leave_target(ui); return true;
  case REQUEST_BACK: step_back(ui); return true;
  case REQUEST_SEARCH: ui_ask(ui, UI_PROMPT_SEARCH); return true;
  case REQUEST_FILTER: ui_ask(ui, UI_PROMPT_FILTER); return true;
  case REQUEST_SETUP: ui_settings_open(ui); return true;
  case REQUEST_COLUMNS: ui_columns_open(ui); return true;
  case REQUEST_COMMAND: ui_ask_command(ui, ""); return true;
  case REQUEST_EXPORT: ui_ask_command(ui, "export "); return true;
  case REQUEST_ROW_MENU: ui_row_menu_open(ui); return true;
  case REQUEST_TRACE: trace_selected(ui); return true;
  case REQUEST_TRACE_ALL: trace_all(ui); return true;
  case REQUEST_WHY: toggle_why(ui); return true;
  case REQUEST_SITES: ui_open_view(ui, VIEW_SITES); return true;
  case REQUEST_RECORD: ui->wish.record.toggle = true; return true;
  case REQUEST_DELAY: ui_ask(ui, UI_PROMPT_DELAY); return true;
  default:
    return view_request(ui, request) || ui_time_request(ui, request) || ui_stalls_request(ui, request) ||
           ui_lens_request(ui, request) || ui_figures_request(ui, request);
  }
}

/* Opens the tree of callers or callees at the method under the cursor. */
static void open_tree(struct ui *ui, bool callers)
{
  ui_open_view(ui, VIEW_TREE);
  if (((const struct tree_view *)ui->data[VIEW_TREE])->callers != callers) ui_handle(ui, REQUEST_TREE_INVERT);
  if (ui_update(ui)) ui_handle(ui, REQUEST_TREE_OPEN); /* the cursor is there then */
}

static void row_action(struct ui *ui, int action)
{
  switch (action) {
  case ROW_CALLERS:
  case ROW_CALLEES: open_tree(ui, action == ROW_CALLERS); return;
  case ROW_SOURCE_OF:
    ui->selected = ui->ask.row_frame;
    ui_way_shown(ui, ui->ask.row_frame, ui->ask.row_node);
    ui_open_view(ui, VIEW_SOURCE);
    return;
  case ROW_THREAD_TREE:
    ui_handle(ui, REQUEST_CHOOSE_THREAD);
    ui_open_view(ui, VIEW_TREE);
    return;
  case ROW_STALL_THREADS:
    ui_handle(ui, REQUEST_ENTER);
    ui_open_view(ui, VIEW_THREADS);
    return;
  case ROW_LABEL_METHODS:
  case ROW_LABEL_TREE:
    ui_handle(ui, REQUEST_LABEL_ONLY);
    ui_open_view(ui, action == ROW_LABEL_TREE ? VIEW_TREE : VIEW_METHODS);
    return;
  default: break;
  }
  if (!ui_row_menu_act(ui, action) && !ui_handle(ui, (enum request)action)) shared_request(ui, (enum request)action);
}

static void menu_input(struct ui *ui, int key)
{
  if (ui->ask.menu_for == UI_MENU_COLUMNS && ui_columns_key(ui, key)) return;
  if (ui->ask.menu_for == UI_MENU_SETUP && ui_settings_key(ui, key)) return;
  if (menu_key(&ui->ask.menu, key) != MENU_CHOSEN) return;
  switch (ui->ask.menu_for) {
  case UI_MENU_COLUMNS:
  case UI_MENU_SETUP: break;
  case UI_MENU_SORT:
    ui->wanted.sort = (enum rtop_sort_key)menu_value(&ui->ask.menu);
    ui->wanted.reverse = false;
    ui->stale = true;
    break;
  case UI_MENU_ROW: row_action(ui, menu_value(&ui->ask.menu)); break;
  case UI_MENU_MERGE: ui_lens_merge(ui, (enum rtop_merge)menu_value(&ui->ask.menu)); break;
  }
}

static void take_key(struct ui *ui, int key)
{
  if (ui->ask.prompting != UI_PROMPT_NONE) {
    prompt_input(ui, key);
    return;
  }
  if (ui->ask.menu.open && key != ('C' & 0x1f) && key != ('L' & 0x1f)) {
    menu_input(ui, key);
    return;
  }
  for (const struct key_row *row = keys_find(key, ui->view->id, NULL); row != NULL;
       row = keys_find(key, ui->view->id, row)) {
    /* The search key first opens a prompt; the view gets the request once there is text. */
    bool opens_prompt = row->request == REQUEST_SEARCH;
    if ((!opens_prompt && ui_handle(ui, row->request)) || shared_request(ui, row->request)) return;
  }
  if (key > ' ' && key < 127 && ui->message[0] == '\0')
    ui_say(ui, "%c does nothing here; ? lists the keys of this view", key);
}

void ui_key(struct ui *ui, int key)
{
  bool was_stale = ui->stale;
  ui->dirty = true;
  ui->message[0] = '\0'; /* it was in the way */
  ui->stale = false;
  uint32_t selected = ui->selected;
  take_key(ui, key);
  if (ui->selected != selected) ui->chosen = ui->selected;
  ui->touched = ui->touched || ui->stale;
  ui->stale = ui->stale || was_stale;
}
