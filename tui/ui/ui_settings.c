#include "ui_settings.h"
#include "ui.h"
#include "tui/cli/options.h"
#include "tui/term/mouse.h"
#include "tui/term/theme.h"
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

struct setting {
  const char *name, *help;
  unsigned given;
  size_t flag;                 /* offset of a bool of struct ui; 0: the functions below */
  bool inverse;                /* "on" is false */
  const char *(*value)(int i); /* the choices, NULL behind the last; NULL: free */
  const char *free;            /* what a free one takes */
  void (*get)(const struct ui *ui, char *out, size_t bytes);
  bool (*set)(struct ui *ui, const char *value, const char **problem);
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
  return i == 0 ? "wall" : i == 1 ? "cpu" : NULL;
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
  for (int i = 0; value(i) != NULL; i++)
    if (strcmp(value(i), text) == 0) return i;
  return -1;
}

static void get_view(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", view_value((int)ui->first_view));
}

static bool set_view(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->first_view = (enum view_id)choice(view_value, value);
  return true;
}

static void get_sort(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", rtop_sort_key_name(ui->wanted.sort));
}

static bool set_sort(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->wanted.sort = (enum rtop_sort_key)choice(sort_value, value);
  return true;
}

static void get_mode(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", mode_value(ui->wanted.mode == RTOP_MODE_CPU));
}

static bool set_mode(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->wanted.mode = choice(mode_value, value) == 1 ? RTOP_MODE_CPU : RTOP_MODE_WALL;
  return true;
}

static void get_units(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", units_value((int)ui->look.units));
}

static bool set_units(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->look.units = (enum ui_units)choice(units_value, value);
  return true;
}

static void get_footer(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", footer_value((int)ui->look.footer));
}

static bool set_footer(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->look.footer = (enum ui_footer)choice(footer_value, value);
  return true;
}

static void get_ascii(const struct ui *ui, char *out, size_t bytes)
{
  snprintf(out, bytes, "%s", ascii_value((int)ui->look.ascii));
}

static bool set_ascii(struct ui *ui, const char *value, const char **problem)
{
  (void)problem;
  ui->look.ascii = (enum ui_ascii)choice(ascii_value, value);
  return true;
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

#define FLAG(member) .flag = offsetof(struct ui, member), .value = switch_value
static const struct setting settings[] = {
  { .name = "view",
    .help = "what a process is opened with",
    .given = RTOP_GIVEN_VIEW,
    .value = view_value,
    .get = get_view,
    .set = set_view },
  { .name = "sort",
    .help = "order of the tables",
    .given = RTOP_GIVEN_SORT,
    .value = sort_value,
    .get = get_sort,
    .set = set_sort },
  { .name = "reverse", .help = "the other way round", FLAG(wanted.reverse) },
  { .name = "frame",
    .help = "time that is summed up",
    .given = RTOP_GIVEN_FRAME,
    .free = "seconds, or all",
    .get = get_frame,
    .set = set_frame },
  { .name = "delay",
    .help = "between two refreshes",
    .given = RTOP_GIVEN_DELAY,
    .free = "seconds",
    .get = get_delay,
    .set = set_delay },
  { .name = "mode",
    .help = "clock of self and total",
    .given = RTOP_GIVEN_MODE,
    .value = mode_value,
    .get = get_mode,
    .set = set_mode },
  { .name = "units", .help = "how figures are shown", .value = units_value, .get = get_units, .set = set_units },
  { .name = "columns",
    .help = "of the table of methods",
    .given = RTOP_GIVEN_COLUMNS,
    .free = "names with commas, or auto",
    .get = get_columns,
    .set = set_columns },
  { .name = "follow", .help = "the cursor goes where its method goes", FLAG(follow) },
  { .name = "fold", .help = "recursion folded in the tree", FLAG(fold) },
  { .name = "idle", .help = "threads that are idle count, too", FLAG(focus.no_idle), .inverse = true },
  { .name = "header", .help = "bars above the table", .given = RTOP_GIVEN_HEADER, FLAG(look.header) },
  { .name = "footer",
    .help = "keys below it",
    .given = RTOP_GIVEN_FOOTER,
    .value = footer_value,
    .get = get_footer,
    .set = set_footer },
  { .name = "ascii",
    .help = "no block characters",
    .given = RTOP_GIVEN_ASCII,
    .value = ascii_value,
    .get = get_ascii,
    .set = set_ascii },
  { .name = "theme",
    .help = "colours",
    .given = RTOP_GIVEN_THEME,
    .value = theme_value,
    .get = get_theme,
    .set = set_theme },
  { .name = "sync", .help = "one frame at a time (terminals with mode 2026)", FLAG(look.sync) },
  { .name = "mouse", .help = "clicks and wheel; Shift-drag selects", .given = RTOP_GIVEN_MOUSE, FLAG(look.mouse) },
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };
_Static_assert((int)SETTINGS < (int)MENU_ITEMS_MAX, "the setup menu holds every setting");

int ui_settings_count(void)
{
  return SETTINGS;
}

const char *ui_setting_name(int index)
{
  return settings[index].name;
}

const char *ui_setting_help(int index)
{
  return settings[index].help;
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
    if (strcmp(settings[i].name, name) == 0) return i;
  return -1;
}

bool ui_setting_given(int index, unsigned given)
{
  return (settings[index].given & given) != 0;
}

static bool *flag_of(struct ui *ui, const struct setting *setting)
{
  return (bool *)((char *)ui + setting->flag);
}

void ui_setting_get(const struct ui *ui, int index, char *out, size_t out_bytes)
{
  const struct setting *setting = &settings[index];
  if (setting->flag == 0) {
    setting->get(ui, out, out_bytes);
    return;
  }
  bool on = *(const bool *)((const char *)ui + setting->flag) != setting->inverse;
  snprintf(out, out_bytes, "%s", switch_value(on));
}

bool ui_setting_set(struct ui *ui, int index, const char *value, const char **problem)
{
  static char message[UI_SETTING_BYTES];
  const struct setting *setting = &settings[index];
  if (setting->value != NULL && choice(setting->value, value) < 0) {
    char values[UI_SETTING_BYTES - 32];
    ui_setting_values(index, values, sizeof values);
    snprintf(message, sizeof message, "%s takes %s", setting->name, values);
    *problem = message;
    return false;
  }
  if (setting->flag != 0) *flag_of(ui, setting) = (choice(switch_value, value) == 1) != setting->inverse;
  else if (!setting->set(ui, value, problem)) return false;
  mouse_use(ui->look.mouse);
  ui->stale = ui->dirty = true;
  return true;
}

static void settings_fill(struct ui *ui, int selected)
{
  menu_start(&ui->ask.menu, "Setup: Enter next or edit, W keeps it, Esc done");
  for (int i = 0; i < SETTINGS; i++) {
    char value[UI_SETTING_BYTES];
    ui_setting_get(ui, i, value, sizeof value);
    snprintf(ui->ask.menu_text[i], sizeof ui->ask.menu_text[i], "%-8s %-10.24s  %s", settings[i].name, value,
             settings[i].help);
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
  snprintf(line, sizeof line, "set %s %s", settings[index].name, value);
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
