/* SPDX-License-Identifier: MIT */
/* The commands that are typed after ':'. */
#include "command.h"
#include "settings.h"
#include "tui/export/export.h"
#include "tui/feed/session.h"
#include "tui/term/screen.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_lens.h"
#include "tui/ui/ui_settings.h"
#include "tui/views/viewer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024 };

struct command {
  const char *name, *arguments;
  void (*run)(struct ui *ui, const char *rest);
};

/* Copies the next word of a line to `word`, and returns the rest without leading blanks. */
static const char *take_word(const char *line, char *word, size_t bytes)
{
  size_t length = strcspn(line, " ");
  snprintf(word, bytes, "%.*s", (int)(length < bytes ? length : bytes - 1), line);
  return line + length + strspn(line + length, " ");
}

static const char *home_path(char *out, size_t bytes, const char *name)
{
  const char *home = getenv("HOME");
  if (strncmp(name, "~/", 2) != 0 || home == NULL) return name;
  snprintf(out, bytes, "%s%s", home, name + 1);
  return out;
}

/* Saves the screen without the message of the previous command. */
static void save_screen(struct ui *ui, const char *name, bool svg)
{
  struct rtop_export_file file;
  char path[PATH_BYTES];
  if (name[0] == '\0') {
    ui_say(ui, "a file name is missing");
    return;
  }
  if (!rtop_export_file_open(&file, home_path(path, sizeof path, name))) {
    ui_say(ui, "cannot write %s: %s", name, strerror(errno));
    return;
  }
  ui->message[0] = '\0';
  ui_draw(ui);
  if (svg) screen_write_svg(file.stream, !screen_svg_is_light(name));
  else screen_write_text(file.stream);
  if (rtop_export_file_close(&file, true)) ui_say(ui, "wrote %s", name);
  else ui_say(ui, "cannot write %s: %s", name, strerror(errno));
}

/* Makes the sum of the views again, with sorted cells; hidden threads stay hidden. */
static bool sum_shown(const struct ui *ui, struct rtop_sum *sum)
{
  if (!rtop_profile_sum(ui->profile, ui->span, sum)) {
    errno = ENOMEM;
    return false;
  }
  if (ui_processes_alone(ui) != UI_ALL_SOURCES) rtop_profile_alone(ui->profile, ui_processes_alone(ui), sum);
  for (size_t i = 0; i < sum->thread_count; i++) {
    for (size_t k = 0; k < ui->sum.thread_count; k++) {
      bool same = ui->sum.threads[k].thread == sum->threads[i].thread;
      sum->threads[i].hidden = sum->threads[i].hidden || (same && ui->sum.threads[k].hidden);
    }
  }
  return true;
}

/* Writes the data of the views as a file for other programs: the span, its threads, the filters. */
static bool write_profile(struct ui *ui, enum rtop_file_format format, const char *path)
{
  struct rtop_export_file file;
  struct rtop_file_kind kind = { .format = format };
  size_t length = strlen(path);
  kind.gzip = length > 3 && strcmp(path + length - 3, ".gz") == 0;
  struct rtop_sum sum = { 0 };
  const struct ui_process *process = ui_process(ui);
  pid_t pids[UI_SOURCES_MAX] = { process->pid };
  for (int i = 0; i < ui->source.count && i < UI_SOURCES_MAX; i++) pids[i] = ui->source.at[i].pid;
  struct rtop_export export = {
    .profile = ui->profile,
    .sum = &sum,
    .options = &ui->wanted,
    .clock_offset_ns = ui->source.clock_offset_ns,
    .command = process->command,
    .ruby = process->ruby,
    .pids = pids,
    .pid_count = ui->source.count > 1 ? ui->source.count : 1,
    .labels = ui->view->id == VIEW_LABELS,
  };
  struct rtop_methods_options options = ui_shown_options(ui);
  bool calls = ui_calls_are_shown(ui);
  if (calls) {
    export.sum = &ui->calls.sum;
    export.calls = &ui->calls.numbers.head;
    export.options = &options;
  }
  if (!rtop_export_file_open(&file, path)) return false;
  bool fine = (calls || sum_shown(ui, &sum)) && rtop_export_write(&export, kind, file.stream);
  int problem = errno;
  rtop_sum_destroy(&sum);
  fine = rtop_export_file_close(&file, fine) && fine;
  errno = fine ? 0 : problem != 0 ? problem : errno;
  return fine;
}

static void export_profile(struct ui *ui, enum rtop_file_format format, const char *name)
{
  char path[PATH_BYTES];
  if (ui->profile == NULL || ui->sum.length_ns == 0) ui_say(ui, "there is nothing to export yet");
  else if (name[0] == '\0') ui_say(ui, "a file name is missing");
  else if (write_profile(ui, format, home_path(path, sizeof path, name))) ui_say(ui, "wrote %s", name);
  else ui_say(ui, "cannot write %s: %s", name, rtop_export_problem(errno, ui->profile));
}

static void say_formats(struct ui *ui)
{
  char names[160] = "svg screen rpt";
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, " %s", rtop_file_format_name((enum rtop_file_format)i));
  }
  ui_say(ui, "export FORMAT FILE: %s", names);
}

static void run_export(struct ui *ui, const char *rest)
{
  char word[16];
  enum rtop_file_format format;
  const char *name = take_word(rest, word, sizeof word);
  if (strcmp(word, "svg") == 0 || strcmp(word, "screen") == 0) {
    save_screen(ui, name, word[1] == 'v');
  } else if (strcmp(word, "rpt") == 0 && name[0] != '\0' && ui->profile != NULL) {
    char path[PATH_BYTES];
    snprintf(ui->wish.record.path, sizeof ui->wish.record.path, "%s", home_path(path, sizeof path, name));
  } else if (rtop_file_format_parse(word, &format)) {
    export_profile(ui, format, name);
  } else {
    say_formats(ui);
  }
}

static void run_goto(struct ui *ui, const char *rest)
{
  if (ui->profile == NULL) ui_say(ui, "no process is watched");
  else ui_time_goto(ui, rest);
}

static void run_save_display(struct ui *ui, const char *rest)
{
  save_screen(ui, rest, false);
}

static void run_state(struct ui *ui, const char *rest)
{
  if (ui->profile == NULL) ui_say(ui, "no process is watched");
  else ui_lens_states(ui, rest);
}

static void run_trace(struct ui *ui, const char *rest)
{
  bool forced;
  if (ui->profile == NULL) ui_say(ui, "no process is watched");
  else if (rtop_session_trace_name(rest, &forced) == 0) ui_say(ui, "trace Class#method, or Class.method");
  else snprintf(ui->wish.trace, sizeof ui->wish.trace, "%s", rest);
}

static void run_view(struct ui *ui, const char *rest)
{
  enum view_id view;
  if (ui->profile == NULL) ui_say(ui, "no process is watched");
  else if (keys_view_parse(rest, &view)) ui_open_view(ui, view);
  else ui_say(ui, "there is no view %s", rest);
}

static void run_set(struct ui *ui, const char *rest)
{
  char name[32], text[UI_SETTING_BYTES], values[UI_SETTING_BYTES];
  const char *problem, *value = take_word(rest, name, sizeof name);
  int index = ui_setting_find(name);
  if (name[0] == '\0') {
    ui_say(ui, "set NAME VALUE; F2 shows all settings");
  } else if (index < 0) {
    ui_say(ui, "there is no setting %s: see F2", name);
  } else if (value[0] == '\0') {
    ui_setting_get(ui, index, text, sizeof text);
    ui_setting_values(index, values, sizeof values);
    ui_say(ui, "%s = %s  (%s)", name, text, values);
  } else if (!ui_setting_set(ui, index, value, &problem)) {
    ui_say(ui, "%s", problem);
  }
}

static void run_write_settings(struct ui *ui, const char *rest)
{
  (void)rest;
  if (ui->calls.shown) ui_say(ui, "order and units are those of calls now: T, then write them");
  else settings_save(ui, ui->options);
}

static void run_help(struct ui *ui, const char *rest)
{
  (void)rest;
  ui_open_view(ui, VIEW_HELP);
}

static void run_quit(struct ui *ui, const char *rest)
{
  (void)rest;
  ui->wish.quit = true;
}

static const struct command commands[] = {
  { "export", "FORMAT FILE", run_export },
  { "goto", "TIME", run_goto },
  { "help", "", run_help },
  { "quit", "", run_quit },
  { "save-display", "FILE", run_save_display },
  { "set", "NAME VALUE", run_set },
  { "state", "LIST", run_state },
  { "trace", "METHOD", run_trace },
  { "view", "NAME", run_view },
  { "write-settings", "", run_write_settings },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Returns the command whose name begins with this word; NULL: none, or several. */
static const struct command *find(const char *word)
{
  const struct command *found = NULL;
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, word) == 0) return &commands[i];
    if (strncmp(commands[i].name, word, strlen(word)) == 0) {
      if (found != NULL) return NULL;
      found = &commands[i];
    }
  }
  return found;
}

static void say_commands(struct ui *ui, const char *word)
{
  char names[128] = "";
  for (size_t i = 0; i < COMMANDS; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " " : "", commands[i].name);
  }
  ui_say(ui, "%s is not one of: %s", word, names);
}

void command_run(struct ui *ui, const char *line)
{
  char word[32];
  const char *rest = take_word(line + strspn(line, " "), word, sizeof word);
  const struct command *command = find(word);
  if (word[0] == '\0') return;
  if (command == NULL) say_commands(ui, word);
  else command->run(ui, rest);
  ui->dirty = true;
}
