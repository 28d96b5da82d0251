#include "ui.h"
#include "draw.h"
#include "options.h"
#include "text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_NS = 3000000000 };

static const struct view_ops *const views[VIEW_COUNT] = {
  [VIEW_METHODS] = &view_methods,
  [VIEW_TREE] = &view_tree,
  [VIEW_ICICLE] = &view_icicle,
  [VIEW_GROUPS] = &view_groups,
  [VIEW_THREADS] = &view_threads,
  [VIEW_SOURCE] = &view_source,
  [VIEW_SKYLINE] = &view_skyline,
  [VIEW_OUTPUT] = &view_output,
  [VIEW_HELP] = &view_help,
  [VIEW_CHOOSER] = &view_chooser,
};

const struct view_ops *ui_view(enum view_id id)
{
  return views[id];
}

static void take_filter(struct ui *ui, const char *text)
{
  bool invert = text[0] == '!';
  const char *expression = text + invert;
  ui->filter_error = expression[0] == '\0' ? NULL : rtop_methods_check_regex(expression);
  if (ui->filter_error == NULL) {
    snprintf(ui->filter, sizeof ui->filter, "%s", text);
    ui->wanted.filter = ui->filter[invert] == '\0' ? NULL : ui->filter + invert;
    ui->wanted.filter_invert = invert;
    ui->stale = true;
  }
}

bool ui_init(struct ui *ui, const struct rtop_options *options)
{
  memset(ui, 0, sizeof *ui);
  ui->wanted = options->methods;
  if (options->methods.filter != NULL) {
    char text[160];
    snprintf(text, sizeof text, "%s%s", options->methods.filter_invert ? "!" : "", options->methods.filter);
    take_filter(ui, text);
  }
  ui->length_ns = (int64_t)(options->frame_seconds * 1e9);
  ui->delay_seconds = options->delay_seconds;
  ui->header = true;
  ui->follow = true;
  ui->ascii = options->ascii;
  ui->view = &view_methods;
  ui->stale = ui->dirty = true;
  for (int i = 0; i < VIEW_COUNT; i++) {
    if (views[i] != NULL && views[i]->create != NULL && !views[i]->create(ui)) {
      return false;
    }
  }
  return true;
}

void ui_destroy(struct ui *ui)
{
  for (int i = 0; i < VIEW_COUNT; i++) {
    if (views[i] != NULL && views[i]->destroy != NULL) {
      views[i]->destroy(ui);
    }
  }
  rtop_methods_destroy(&ui->methods);
  rtop_tree_destroy(&ui->tree);
  rtop_sum_destroy(&ui->sum);
  strip_destroy(&ui->strip);
}

void ui_watch(struct ui *ui, struct rtop_profile *profile)
{
  ui->profile = profile;
  ui->frozen = ui->focus.on = false;
  ui->methods.count = 0;
  rtop_tree_forget(&ui->tree);
  ui->sum.cell_count = ui->sum.thread_count = 0;
  ui->sum.length_ns = 0;
  ui->strip.cells = 0;
  memset(&ui->source, 0, sizeof ui->source);
  for (int i = 0; i < VIEW_COUNT; i++) {
    if (views[i] != NULL && views[i]->forget != NULL) {
      views[i]->forget(ui);
    }
  }
  ui->stale = ui->dirty = true;
}

void ui_open_view(struct ui *ui, enum view_id id)
{
  if (ui->view->id != VIEW_HELP && ui->view->id != VIEW_OUTPUT) {
    ui->back = ui->view;
  }
  ui->view = views[id];
  if (ui->view->open != NULL) {
    ui->view->open(ui);
  }
  ui->stale = ui->dirty = true;
}

static struct rtop_span span_wanted(const struct ui *ui)
{
  if (!ui->frozen) {
    return rtop_profile_last(ui->profile, ui->length_ns);
  }
  struct rtop_span held = rtop_profile_bounds(ui->profile);
  int64_t start_ns = ui->length_ns <= 0 ? held.start_ns : ui->frozen_end_ns - ui->length_ns;
  return (struct rtop_span){ start_ns, ui->frozen_end_ns };
}

/* Takes out what other threads did. Their rows stay, and the bars above the table go on telling of all. */
static void focus_apply(struct ui *ui)
{
  struct rtop_sum *sum = &ui->sum;
  if (!ui->focus.on) {
    return;
  }
  for (size_t i = 0; i < sum->thread_count; i++) {
    sum->threads[i].hidden = sum->threads[i].serial != ui->focus.serial
      || sum->threads[i].source != ui->focus.source;
  }
  size_t kept = 0;
  for (size_t i = 0; i < sum->cell_count; i++) {
    if (!sum->threads[sum->cells[i].thread].hidden) {
      sum->cells[kept++] = sum->cells[i];
    }
  }
  sum->cell_count = kept;
}

bool ui_update(struct ui *ui)
{
  bool fine = true;
  if (ui->profile != NULL) {
    ui->span = span_wanted(ui);
    struct rtop_methods_options by_name = ui->wanted;
    by_name.sort = RTOP_SORT_NAME;      /* the view orders the rows: what it shows is its own business */
    by_name.reverse = false;
    fine = rtop_profile_sum(ui->profile, ui->span, &ui->sum);
    focus_apply(ui);
    fine = fine && rtop_methods_build(&ui->methods, &ui->sum, rtop_profile_symbols(ui->profile), &by_name)
      && strip_build(&ui->strip, ui->profile, ui->span.end_ns, COLS > 9 ? COLS - 9 : 1,
                     ui->source.processes);
  }
  if (fine && ui->profile != NULL && ui->view->tree) {
    fine = rtop_tree_build(&ui->tree, &ui->sum, rtop_profile_symbols(ui->profile), &ui->wanted, ui->fold);
  }
  if (fine && ui->view->update != NULL) {
    ui->view->update(ui);
  }
  ui->stale = false;
  ui->dirty = true;
  return fine;
}

void ui_place(char *out, size_t bytes, const struct rtop_symbol *symbol)
{
  if (symbol->kind != RTOP_SYMBOL_RUBY) {
    snprintf(out, bytes, "%s", symbol->kind == RTOP_SYMBOL_C ? "<C>" : "");
  } else if (symbol->line == 0) {
    snprintf(out, bytes, "%s", symbol->path);
  } else {
    snprintf(out, bytes, "%s:%u", symbol->path, symbol->line);
  }
}

const char *ui_short_command(const char *command)
{
  const char *name = command;
  if (command[0] != '/') {
    return command;                    /* set by the program itself, or found in PATH */
  }
  for (const char *at = command; *at != '\0' && *at != ' '; at++) {
    name = *at == '/' && at[1] != '\0' && at[1] != ' ' ? at + 1 : name;
  }
  return name;
}

void ui_say(struct ui *ui, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(ui->message, sizeof ui->message, format, arguments);
  va_end(arguments);
  ui->message_until_ns = ui->now_ns + MESSAGE_NS;
  ui->dirty = true;
}

bool ui_has_message(const struct ui *ui)
{
  return ui->message[0] != '\0' && ui->now_ns < ui->message_until_ns;
}

void ui_freeze(struct ui *ui, bool frozen)
{
  ui->frozen = frozen;
  ui->frozen_end_ns = ui->span.end_ns;
  ui->frozen_real_ns = ui->now_real_ns;
  ui->stale = true;
}

void ui_ask(struct ui *ui, enum ui_prompt what)
{
  static const char *const label[] = { "", "Search: ", "Filter: ", "Seconds between refreshes: " };
  char delay[32];
  snprintf(delay, sizeof delay, "%g", ui->delay_seconds);
  const char *text = what == UI_PROMPT_FILTER ? ui->filter : what == UI_PROMPT_DELAY ? delay : "";
  snprintf(ui->before_prompt, sizeof ui->before_prompt, "%s", what == UI_PROMPT_SEARCH ? ui->search : text);
  ui->prompting = what;
  ui->filter_error = NULL;
  prompt_start(&ui->prompt, label[what], text);
}

static void take_delay(struct ui *ui, const char *text)
{
  char *end;
  double seconds = strtod(text, &end);
  while (*end == ' ') {
    end++;
  }
  if (end == text || *end != '\0' || !(seconds >= 0.1) || seconds > 3600) {
    ui_say(ui, "a delay is 0.1 to 3600 seconds");
  } else {
    ui->delay_seconds = seconds;
  }
}

/* What was typed so far takes effect at once; Esc takes it back. */
static void prompt_effect(struct ui *ui, const char *text)
{
  if (ui->prompting == UI_PROMPT_SEARCH) {
    snprintf(ui->search, sizeof ui->search, "%s", text);
    if (ui->view->handle != NULL && text[0] != '\0') {
      ui->view->handle(ui, REQUEST_SEARCH);
    }
  } else if (ui->prompting == UI_PROMPT_FILTER) {
    take_filter(ui, text);
  }
}

static void prompt_input(struct ui *ui, int key)
{
  switch (prompt_key(&ui->prompt, key)) {
  case PROMPT_CHANGED:
    prompt_effect(ui, ui->prompt.text);
    break;
  case PROMPT_CANCELLED:
    prompt_effect(ui, ui->before_prompt);
    ui->prompting = UI_PROMPT_NONE;
    break;
  case PROMPT_ACCEPTED:
    if (ui->prompting == UI_PROMPT_DELAY) {
      take_delay(ui, ui->prompt.text);
    } else if (ui->filter_error != NULL) {
      ui_say(ui, "%s", ui->filter_error);
      ui->filter_error = NULL;
    }
    ui->prompting = UI_PROMPT_NONE;
    break;
  case PROMPT_MOVED: case PROMPT_IGNORED:
    break;
  }
}

static bool leave_view(struct ui *ui)
{
  if (ui->view->id == VIEW_HELP || ui->view->id == VIEW_OUTPUT) {
    ui->view = ui->back != NULL ? ui->back : &view_methods;
    ui->stale = true;
    return true;
  }
  return false;
}

/* Filter and search go before the target does. */
static void step_back(struct ui *ui)
{
  if (leave_view(ui)) {
    return;
  }
  if (ui->search[0] != '\0') {
    ui->search[0] = '\0';
  } else if (ui->filter[0] != '\0') {
    take_filter(ui, "");
  } else if (ui->focus.on) {
    ui->focus.on = false;
    ui->stale = true;
  } else if (ui->view->id == VIEW_CHOOSER) {
    ui->quit = true;
  } else if (ui->choosing) {
    ui->leave_target = true;
  }
}

static void toggle_output(struct ui *ui)
{
  if (ui->view->id == VIEW_OUTPUT) {
    leave_view(ui);
  } else if (ui->source.launch != NULL) {
    ui_open_view(ui, VIEW_OUTPUT);
  } else {
    ui_say(ui, "no command was started from here");
  }
}

/* The neighbour in the row of tabs; from help and output back to where they were opened. */
static void turn_view(struct ui *ui, int step)
{
  if (!leave_view(ui)) {
    int id = (int)ui->view->id;
    do {
      id = (id + step + VIEW_DATA_COUNT) % VIEW_DATA_COUNT;
    } while (views[id] == NULL);
    ui_open_view(ui, (enum view_id)id);
  }
}

static bool shared_request(struct ui *ui, enum request request)
{
  switch (request) {
  case REQUEST_HELP:
    if (ui->view->id == VIEW_HELP) {
      leave_view(ui);
    } else {
      ui_open_view(ui, VIEW_HELP);
    }
    return true;
  case REQUEST_VIEW_GROUPS: ui_open_view(ui, VIEW_GROUPS); return true;
  case REQUEST_VIEW_ICICLE: ui_open_view(ui, VIEW_ICICLE); return true;
  case REQUEST_VIEW_TREE: case REQUEST_LIST_TREE: ui_open_view(ui, VIEW_TREE); return true;
  case REQUEST_VIEW_METHODS: case REQUEST_TREE_LIST: ui_open_view(ui, VIEW_METHODS); return true;
  case REQUEST_VIEW_THREADS: ui_open_view(ui, VIEW_THREADS); return true;
  case REQUEST_VIEW_SOURCE: ui_open_view(ui, VIEW_SOURCE); return true;
  case REQUEST_VIEW_SKYLINE: ui_open_view(ui, VIEW_SKYLINE); return true;
  case REQUEST_VIEW_NEXT: turn_view(ui, 1); return true;
  case REQUEST_VIEW_BACK: turn_view(ui, -1); return true;
  case REQUEST_OUTPUT: toggle_output(ui); return true;
  case REQUEST_ASCII: ui->ascii = !ui->ascii; return true;
  case REQUEST_HEADER: ui->header = !ui->header; return true;
  case REQUEST_REDRAW: ui->repaint = true; return true;
  case REQUEST_SUSPEND: ui->suspend = true; return true;
  case REQUEST_QUIT_NOW: ui->quit = true; return true;
  case REQUEST_QUIT: ui->quit = !leave_view(ui); return true;
  case REQUEST_BACK: step_back(ui); return true;
  case REQUEST_SEARCH: ui_ask(ui, UI_PROMPT_SEARCH); return true;
  case REQUEST_FILTER: ui_ask(ui, UI_PROMPT_FILTER); return true;
  case REQUEST_DELAY: ui_ask(ui, UI_PROMPT_DELAY); return true;
  case REQUEST_FREEZE: ui_freeze(ui, !ui->frozen); return true;
  default: return ui_figures_request(ui, request);
  }
}

static void menu_input(struct ui *ui, int key)
{
  if (menu_key(&ui->menu, key) == MENU_CHOSEN) {
    ui->wanted.sort = (enum rtop_sort_key)menu_value(&ui->menu);
    ui->wanted.reverse = false;
    ui->stale = true;
  }
}

void ui_key(struct ui *ui, int key)
{
  ui->dirty = true;
  if (ui->prompting != UI_PROMPT_NONE) {
    prompt_input(ui, key);
    return;
  }
  if (ui->menu.open && key != ('C' & 0x1f) && key != ('L' & 0x1f)) {
    menu_input(ui, key);
    return;
  }
  for (const struct key_row *row = keys_find(key, ui->view->id, NULL); row != NULL;
       row = keys_find(key, ui->view->id, row)) {
    /* The prompt opens on the key; the view is asked when text is there. */
    bool opens_prompt = row->request == REQUEST_SEARCH;
    if ((!opens_prompt && ui->view->handle != NULL && ui->view->handle(ui, row->request))
        || shared_request(ui, row->request)) {
      return;
    }
  }
}

void ui_draw(struct ui *ui)
{
  erase();
  draw_charset(ui->ascii, draw_utf8());
  layout_compute(&ui->layout, LINES, COLS, ui->header && ui->view->id != VIEW_CHOOSER, ui->view->detail);
  if (!ui->layout.tiny) {
    view_header_draw(ui);
    view_footer_draw(ui);
  }
  ui->view->draw(ui);
  if (ui->menu.open && !ui->layout.tiny) {
    menu_draw(&ui->menu, ui->layout.part[PART_TABLE]);
  }
  if (ui->prompting != UI_PROMPT_NONE && !ui->layout.tiny) {
    view_footer_draw(ui);                /* last: it holds the cursor */
  }
  ui->dirty = false;
}
