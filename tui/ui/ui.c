/* SPDX-License-Identifier: MIT */
/* Shared parts of the screen's state: messages, questions, and formats. */
#include "ui.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_NS = 3000000000, MESSAGE_BYTE_NS = 20000000 };

void ui_take_filter(struct ui *ui, const char *text)
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

void ui_place(char *out, size_t bytes, const struct rtop_symbol *symbol)
{
  if (!rtop_symbol_has_source(symbol)) snprintf(out, bytes, "%s", symbol->kind == RTOP_SYMBOL_C ? "<C>" : "");
  else if (symbol->line == 0) snprintf(out, bytes, "%s", symbol->path);
  else snprintf(out, bytes, "%s:%u", symbol->path, symbol->line);
}

const char *ui_short_command(const char *command)
{
  const char *name = command;
  if (command[0] != '/') return command; /* The command was set by the program itself, or found in PATH. */
  for (const char *at = command; *at != '\0' && *at != ' '; at++)
    name = *at == '/' && at[1] != '\0' && at[1] != ' ' ? at + 1 : name;
  return name;
}

void ui_say(struct ui *ui, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(ui->message, sizeof ui->message, format, arguments);
  va_end(arguments);
  ui->message_until_ns = ui->now_ns + MESSAGE_NS + (int64_t)strlen(ui->message) * MESSAGE_BYTE_NS;
  ui->dirty = true;
}

bool ui_has_message(const struct ui *ui)
{
  return ui->message[0] != '\0' && ui->now_ns < ui->message_until_ns;
}

void ui_ask(struct ui *ui, enum ui_prompt what)
{
  static const char *const label[] = { "",
                                       "Search: ",
                                       "Filter: ",
                                       "Seconds between refreshes: ",
                                       ":",
                                       "Hide (Class::*, path/, gem:NAME, stdlib): ",
                                       "Go to time: ",
                                       "Count all calls for how many seconds? " };
  char delay[32];
  snprintf(delay, sizeof delay, "%g", ui->delay_seconds);
  const char *text = what == UI_PROMPT_FILTER ? ui->filter : what == UI_PROMPT_DELAY ? delay : "";
  if (what == UI_PROMPT_CALLS) text = "5";
  if (what == UI_PROMPT_EXCLUDE && strlen(ui->lens.exclude) < sizeof ui->ask.before_prompt)
    text = ui->lens.exclude; /* longer ones can only be written anew */
  snprintf(ui->ask.before_prompt, sizeof ui->ask.before_prompt, "%.*s", PROMPT_BYTES - 1,
           what == UI_PROMPT_SEARCH ? ui->search : text);
  ui->ask.prompting = what;
  ui->filter_error = NULL;
  if (what == UI_PROMPT_CALLS || what == UI_PROMPT_DELAY) prompt_offer(&ui->ask.prompt, label[what], text);
  else prompt_start(&ui->ask.prompt, label[what], text);
}

void ui_ask_command(struct ui *ui, const char *text)
{
  ui_ask(ui, UI_PROMPT_COMMAND);
  prompt_start(&ui->ask.prompt, ui->ask.prompt.label, text);
}
