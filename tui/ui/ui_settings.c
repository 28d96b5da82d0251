/* SPDX-License-Identifier: MIT */
/* Settings: how each is stored in the screen's state, and the setup menu. */
#include "ui_settings.h"
#include "ui.h"
#include "tui/cli/options.h"
#include "tui/term/mouse.h"
#include "tui/term/theme.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

/* How a setting is stored: as a bool or enum of struct ui at this offset, or by the functions in this struct. */
struct setting {
  enum { SETTING_OTHER, SETTING_SWITCH, SETTING_ENUM } kind;
  size_t at;
  bool inverse;                /* "on" is false */
  const char *(*value)(int i); /* the choices, NULL after the last; NULL: free text */
  const char *free;            /* what a free one takes */
  void (*get)(const struct ui *ui, char *out, size_t bytes);
  bool (*set)(struct ui *ui, const char *value, const char **problem);
};

static const struct {
  const char *name, *help;
} texts[RTOP_SETTINGS] = {
#define SETTING(id, name, help, option) { name, help },
#include "tui/cli/settings.def"
};

static const char *view_value(int i)
{
  return i < VIEW_DATA_COUNT ? keys_view_name((enum view_id)i) : NULL;
}

static const char *sort_value(int i)
{
  return i < RTOP_SORT_KEYS ? rtop_sort_key_name((enum rtop_sort_key)i) : NULL;
}

static const char *mode_value(int i)
{
  return i < RTOP_MODES ? rtop_mode_name((enum rtop_mode)i) : NULL;
}

static const char *units_value(int i)
{
  static const char *const names[] = { "percent", "time", "samples" };
  return i < 3 ? names[i] : NULL;
}

static const char *footer_value(int i)
{
  static const char *const names[] = { "keys", "letters", "off" };
  return i < 3 ? names[i] : NULL;
}

static const char *theme_value(int i)
{
  return i < THEME_NAMES ? theme_name_text((enum theme_name)i) : NULL;
}

static const char *ascii_value(int i)
{
  static const char *const names[] = { "auto", "on", "off" };
  return i < 3 ? names[i] : NULL;
}

static const char *switch_value(int i)
{
  return i == 0 ? "off" : i == 1 ? "on" : NULL;
}

/* Which choice it is; -1: none. */
static int choice(const char *(*value)(int i), const char *text)
{
  for (int i = 0; value != NULL && value(i) != NULL; i++)
    if (strcmp(value(i), text) == 0) return i;
  return -1;
}

static void get_theme(const struct ui *ui, char *out, size_t bytes)
{
  (void)ui;
  snprintf(out, bytes, "%s", theme_name_text(theme_used()));
}

static bool set_theme(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  theme_use((enum theme_name)choice(theme_value, value));
  ui->wish.repaint = true;
  return true;
}

static bool number(const char *value, double least, double most, double *out)
{
  char *end;
  *out = strtod(value, &end);
  return end != value && *end == '\0' && *out >= least && *out <= most;
}

static void get_frame(const struct ui *ui, char *out, size_t bytes)
{
  if (ui->length_ns <= 0) snprintf(out, bytes, "all");
  else snprintf(out, bytes, "%g", (double)ui->length_ns / 1e9);
}

static bool set_frame(struct ui *ui, const char *value, const char **problem)
{
  double seconds = 0;
  if (strcmp(value, "all") != 0 && !number(value, 0.1, 1e7, &seconds)) {
    *problem = "frame takes seconds, 0.1 or more, or all";
    return false;
  }
  ui->length_ns = (int64_t)(seconds * 1e9);
  return true;
}

static void get_delay(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%g", ui->delay_seconds);
}

static bool set_delay(struct ui *ui, const char *value, const char **problem)
{
  double seconds;
  if (!number(value, 0.1, 3600, &seconds)) {
    *problem = "delay takes 0.1 to 3600 seconds";
    return false;
  }
  ui->delay_seconds = seconds;
  return true;
}

static void get_columns(const struct ui *ui, char *out, size_t bytes)
{
  columns_write(&ui->look.columns, out, bytes);
}

static bool set_columns(struct ui *ui, const char *value, const char **problem)
{
  return columns_parse(&ui->look.columns, value, problem);
}

#define SWITCH(member) .kind = SETTING_SWITCH, .at = offsetof(struct ui, member), .value = switch_value
#define ENUM(member, values) .kind = SETTING_ENUM, .at = offsetof(struct ui, member), .value = values
static const struct setting settings[RTOP_SETTINGS] = {
  [RTOP_SETTING_VIEW] = { ENUM(first_view, view_value) },
  [RTOP_SETTING_SORT] = { ENUM(wanted.sort, sort_value) },
  [RTOP_SETTING_REVERSE] = { SWITCH(wanted.reverse) },
  [RTOP_SETTING_FRAME] = { .free = "seconds, or all", .get = get_frame, .set = set_frame },
  [RTOP_SETTING_DELAY] = { .free = "seconds", .get = get_delay, .set = set_delay },
  [RTOP_SETTING_MODE] = { ENUM(wanted.mode, mode_value) },
  [RTOP_SETTING_UNITS] = { ENUM(look.units, units_value) },
  [RTOP_SETTING_COLUMNS] = { .free = "names with commas, or auto", .get = get_columns, .set = set_columns },
  [RTOP_SETTING_FOLLOW] = { SWITCH(follow) },
  [RTOP_SETTING_FOLD] = { SWITCH(fold) },
  [RTOP_SETTING_IDLE] = { SWITCH(focus.no_idle), .inverse = true },
  [RTOP_SETTING_HEADER] = { SWITCH(look.header) },
  [RTOP_SETTING_FOOTER] = { ENUM(look.footer, footer_value) },
  [RTOP_SETTING_ASCII] = { ENUM(look.ascii, ascii_value) },
  [RTOP_SETTING_THEME] = { .value = theme_value, .get = get_theme, .set = set_theme },
  [RTOP_SETTING_SYNC] = { SWITCH(look.sync) },
  [RTOP_SETTING_MOUSE] = { SWITCH(look.mouse) },
  [RTOP_SETTING_CLIPBOARD] = { SWITCH(look.clipboard) },
};
enum { SETTINGS = RTOP_SETTINGS };
_Static_assert((int)SETTINGS < (int)MENU_ITEMS_MAX, "the setup menu holds every setting");
_Static_assert(sizeof(enum view_id) == sizeof(unsigned) && sizeof(enum ui_units) == sizeof(unsigned) &&
                   sizeof(enum rtop_sort_key) == sizeof(unsigned),
               "enums are kept as numbers");

int ui_settings_count(void)
{
  return SETTINGS;
}

const char *ui_setting_name(int index)
{
  return texts[index].name;
}

const char *ui_setting_help(int index)
{
  return texts[index].help;
}

void ui_setting_values(int index, char *out, size_t out_bytes)
{
  const struct setting *setting = &settings[index];
  size_t used = 0;
  snprintf(out, out_bytes, "%s", setting->free != NULL ? setting->free : "");
  for (int i = 0; setting->value != NULL && setting->value(i) != NULL && used < out_bytes; i++)
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i > 0 ? ", " : "", setting->value(i));
}

int ui_setting_find(const char *name)
{
  for (int i = 0; i < SETTINGS; i++)
    if (strcmp(texts[i].name, name) == 0) return i;
  return -1;
}

bool ui_setting_given(int index, unsigned given)
{
  return rtop_setting_is_option((enum rtop_setting)index) && (given >> index & 1) != 0;
}

void ui_setting_get(const struct ui *ui, int index, char *out, size_t out_bytes)
{
  const struct setting *setting = &settings[index];
  const void *at = (const char *)ui + setting->at;
  if (setting->kind == SETTING_OTHER) setting->get(ui, out, out_bytes);
  else if (setting->kind == SETTING_ENUM && setting->value != NULL)
    snprintf(out, out_bytes, "%s", setting->value((int)*(const unsigned *)at));
  else snprintf(out, out_bytes, "%s", switch_value(*(const bool *)at != setting->inverse));
}

bool ui_setting_set(struct ui *ui, int index, const char *value, const char **problem)
{
  static char message[UI_SETTING_BYTES];
  const struct setting *setting = &settings[index];
  if (setting->value != NULL && choice(setting->value, value) < 0) {
    char values[UI_SETTING_BYTES - 32];
    ui_setting_values(index, values, sizeof values);
    snprintf(message, sizeof message, "%s takes %s", texts[index].name, values);
    *problem = message;
    return false;
  }
  void *at = (char *)ui + setting->at;
  if (setting->kind == SETTING_OTHER && !setting->set(ui, value, problem)) return false;
  if (setting->kind == SETTING_SWITCH) *(bool *)at = (choice(switch_value, value) == 1) != setting->inverse;
  if (setting->kind == SETTING_ENUM) *(unsigned *)at = (unsigned)choice(setting->value, value);
  mouse_use(ui->look.mouse);
  ui->stale = ui->dirty = true;
  return true;
}

static void settings_fill(struct ui *ui, int selected)
{
  menu_start(&ui->ask.menu, "Setup: Enter changes, W saves, Esc closes");
  for (int i = 0; i < SETTINGS; i++) {
    char value[UI_SETTING_BYTES];
    ui_setting_get(ui, i, value, sizeof value);
    snprintf(ui->ask.menu_text[i], sizeof ui->ask.menu_text[i], "%-8s %-10.24s  %s", texts[i].name, value,
             texts[i].help);
    menu_add(&ui->ask.menu, ui->ask.menu_text[i], i, i == selected);
  }
}

void ui_settings_open(struct ui *ui)
{
  ui->ask.menu_for = UI_MENU_SETUP;
  settings_fill(ui, 0);
}

/* A free setting is typed. */
static void settings_edit(struct ui *ui, int index)
{
  char value[UI_SETTING_BYTES], line[UI_SETTING_BYTES + 32];
  ui_setting_get(ui, index, value, sizeof value);
  snprintf(line, sizeof line, "set %s %s", texts[index].name, value);
  ui->ask.menu.open = false;
  ui_ask_command(ui, line);
}

static void settings_step(struct ui *ui, int index, int by)
{
  const struct setting *setting = &settings[index];
  char now[UI_SETTING_BYTES];
  const char *problem;
  int count = 0;
  while (setting->value(count) != NULL) count++;
  if (count == 0) return;
  ui_setting_get(ui, index, now, sizeof now);
  int next = (choice(setting->value, now) + by + count) % count;
  ui_setting_set(ui, index, setting->value(next), &problem);
  settings_fill(ui, index);
}

bool ui_settings_key(struct ui *ui, int key)
{
  int index = menu_value(&ui->ask.menu);
  bool left = key == (KEY_LEFT | KEY_FUNCTION), right = key == (KEY_RIGHT | KEY_FUNCTION);
  bool enter = key == '\r' || key == '\n' || key == ' ' || key == (KEY_ENTER | KEY_FUNCTION);
  if (key == 'W') snprintf(ui->wish.command, sizeof ui->wish.command, "write-settings");
  else if (settings[index].value == NULL && enter) settings_edit(ui, index);
  else if (settings[index].value != NULL && (enter || left || right)) settings_step(ui, index, left ? -1 : 1);
  else return false;
  return true;
}
