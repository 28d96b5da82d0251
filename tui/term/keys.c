/* SPDX-License-Identifier: MIT */
/* Looks keys up, and lists them. */
#include "keys.h"
#include <ncurses.h>
#include <stdbool.h>
#include <string.h>

#define CTRL(letter) ((letter)&0x1f)
#define FN(code) ((code) | KEY_FUNCTION)
#define K(...)                                                                                                         \
  {                                                                                                                    \
    __VA_ARGS__, 0                                                                                                     \
  }

enum {
#define DATA_VIEW(id, ...) id = 1u << VIEW_##id,
#define OTHER_VIEW(id, name) id = 1u << VIEW_##id,
#include "views.def"
  DATA = (1u << VIEW_DATA_COUNT) - 1,
  ANY = (1u << VIEW_COUNT) - 1,
};

const struct key_row keys_table[] = {
#define KEY(request, group, keys, views, footer, help)                                                                 \
  { REQUEST_##request, KEY_GROUP_##group, keys, views, footer, help },
#include "keys.def"
#undef KEY
};
const size_t keys_count = sizeof keys_table / sizeof keys_table[0];

static const struct {
  const char *name, *tab;
  int keys[KEYS_PER_ROW];
} data_views[VIEW_DATA_COUNT] = {
#define DATA_VIEW(id, name, tab, help, ...) { #name, tab, { __VA_ARGS__ } },
#include "views.def"
};

const char *keys_view_name(enum view_id view)
{
  return (int)view < VIEW_DATA_COUNT ? data_views[view].name : NULL;
}

const char *keys_view_tab(enum view_id view)
{
  return data_views[view].tab;
}

int keys_view_key(enum view_id view)
{
  return data_views[view].keys[0];
}

bool keys_view_parse(const char *name, enum view_id *view)
{
  for (int i = 0; i < VIEW_DATA_COUNT; i++) {
    if (strcmp(data_views[i].name, name) == 0) {
      *view = (enum view_id)i;
      return true;
    }
  }
  return false;
}

const char *keys_group_name(enum key_group group)
{
  switch (group) {
  case KEY_GROUP_VIEW: return "Views";
  case KEY_GROUP_MOVE: return "Moving";
  case KEY_GROUP_FIND: return "Finding";
  case KEY_GROUP_SORT: return "Sorting";
  case KEY_GROUP_TIME: return "Time and figures";
  case KEY_GROUP_GENERAL: return "General";
  case KEY_GROUPS: break;
  }
  return "";
}

static bool row_has(const struct key_row *row, int key)
{
  for (const int *at = row->keys; *at != 0; at++)
    if (*at == key) return true;
  return false;
}

const struct key_row *keys_find(int key, enum view_id view, const struct key_row *after)
{
  size_t start = after == NULL ? 0 : (size_t)(after - keys_table) + 1;
  for (size_t i = start; i < keys_count; i++)
    if ((keys_table[i].views & 1u << view) != 0 && row_has(&keys_table[i], key)) return &keys_table[i];
  return NULL;
}

static const char *special_name(int key)
{
  switch (key) {
  case FN(KEY_UP): return "Up";
  case FN(KEY_DOWN): return "Down";
  case FN(KEY_LEFT): return "Left";
  case FN(KEY_RIGHT): return "Right";
  case FN(KEY_PPAGE): return "PgUp";
  case FN(KEY_NPAGE): return "PgDn";
  case '\t': return "Tab";
  case FN(KEY_BTAB): return "Shift-Tab";
  case FN(KEY_HOME): return "Home";
  case FN(KEY_END): return "End";
  case FN(KEY_ENTER):
  case '\r':
  case '\n': return "Enter";
  case FN(KEY_BACKSPACE):
  case 127:
  case 8: return "Backspace";
  case 27: return "Esc";
  case ' ': return "Space";
  default: return NULL;
  }
}

void keys_name(char *out, size_t out_bytes, int key)
{
  const char *special = special_name(key);
  if (special != NULL) snprintf(out, out_bytes, "%s", special);
  else if (key >= FN(KEY_F(1)) && key <= FN(KEY_F(12))) snprintf(out, out_bytes, "F%d", key - FN(KEY_F(0)));
  else if (key > 0 && key < 32) snprintf(out, out_bytes, "Ctrl-%c", key + 64);
  else snprintf(out, out_bytes, "%c", key > 32 && key < 127 ? key : '?');
}

void keys_names(char *out, size_t out_bytes, const struct key_row *row)
{
  char last[16] = "";
  size_t used = 0;
  out[0] = '\0';
  for (const int *at = row->keys; *at != 0 && used < out_bytes; at++) {
    char name[16];
    keys_name(name, sizeof name, *at);
    if (strcmp(name, last) != 0)
      used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", used > 0 ? " " : "", name);
    memcpy(last, name, sizeof last);
  }
}

int keys_plain_key(const struct key_row *row)
{
  const int *at = row->keys;
  while (*at >= KEY_FUNCTION && at[1] != 0) at++;
  return *at;
}

int keys_footer_key(const struct key_row *row)
{
  for (const int *at = row->keys; *at != 0; at++)
    if (*at >= FN(KEY_F(1)) && *at <= FN(KEY_F(12))) return *at;
  return row->keys[0];
}

/* Escapes characters that have a meaning in mdoc. */
static void write_mdoc_text(FILE *out, const char *text)
{
  for (const char *at = text; *at != '\0'; at++)
    if (*at == '\\') fputs("\\e", out);
    else if (*at == '~') fputs("\\(ti", out);
    else if (*at == '"') fputs("\\(dq", out);
    else fputc(*at, out);
}

static void write_mdoc_row(FILE *out, const struct key_row *row)
{
  char last[16] = "";
  fputs(".It", out);
  for (const int *at = row->keys; *at != 0; at++) {
    char name[16];
    keys_name(name, sizeof name, *at);
    if (strcmp(name, last) != 0) {
      /* mdoc takes a single character for punctuation, so it is escaped. */
      fprintf(out, "%s Ic \"%s", last[0] == '\0' ? "" : " ,", name[1] == '\0' ? "\\&" : "");
      write_mdoc_text(out, name);
      fputc('"', out);
    }
    memcpy(last, name, sizeof last);
  }
  fputc('\n', out);
  write_mdoc_text(out, row->help);
  fputc('\n', out);
}

/* Writes a list of keys: first those of every view, by purpose, then those of some views, each once. */
struct key_writer {
  FILE *out;
  void (*title)(FILE *out, const char *title);
  void (*row)(FILE *out, const struct key_row *row);
  void (*end)(FILE *out);
};

static bool is_common(const struct key_row *row)
{
  return (row->views & DATA) == DATA;
}

static void view_titles(char *out, size_t out_bytes, unsigned views)
{
  size_t used = 0;
  out[0] = '\0';
  for (int view = 0; view < VIEW_COUNT && used < out_bytes; view++) {
    const char *name = keys_view_name((enum view_id)view);
    if (name == NULL)
      name = view == VIEW_OUTPUT    ? "output"
             : view == VIEW_CHOOSER ? "list of processes"
             : view == VIEW_SITES   ? "allocation sites"
             : view == VIEW_WHY     ? "verdict"
                                    : "help";
    if ((views & 1u << view) == 0) continue;
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%c%s", used > 0 ? ", " : "", *name & ~0x20, name + 1);
  }
}

/* Writes the keys of one group that belong to all views, or to exactly these views (0: all). */
static void write_section(const struct key_writer *writer, const char *title, int group, unsigned views)
{
  bool titled = false;
  for (size_t i = 0; i < keys_count; i++) {
    const struct key_row *row = &keys_table[i];
    if (views != 0 ? row->views != views : !is_common(row) || (int)row->group != group) continue;
    if (!titled) writer->title(writer->out, title);
    titled = true;
    writer->row(writer->out, row);
  }
  if (titled) writer->end(writer->out);
}

static bool is_first_of_its_views(size_t at)
{
  for (size_t i = 0; i < at; i++)
    if (keys_table[i].views == keys_table[at].views) return false;
  return !is_common(&keys_table[at]);
}

static void write_sections(const struct key_writer *writer)
{
  char title[64];
  for (int group = 0; group < KEY_GROUPS; group++)
    write_section(writer, keys_group_name((enum key_group)group), group, 0);
  for (unsigned view = 0; view < VIEW_COUNT; view++)
    for (size_t i = 0; i < keys_count; i++) {
      unsigned views = keys_table[i].views, first = views & (0u - views);
      if (first != 1u << view || !is_first_of_its_views(i)) continue;
      view_titles(title, sizeof title, views);
      write_section(writer, title, 0, views);
    }
}

static void write_plain_title(FILE *out, const char *title)
{
  fprintf(out, "%s\n", title);
}

static void write_plain_row(FILE *out, const struct key_row *row)
{
  char names[64];
  keys_names(names, sizeof names, row);
  fprintf(out, "  %-18s %s\n", names, row->help);
}

static void write_plain_end(FILE *out)
{
  fputc('\n', out);
}

void keys_write_list(FILE *out)
{
  write_sections(&(struct key_writer){ out, write_plain_title, write_plain_row, write_plain_end });
}

static void write_mdoc_title(FILE *out, const char *title)
{
  fprintf(out, ".Ss %s\n.Bl -tag -width Ds -compact\n", title);
}

static void write_mdoc_end(FILE *out)
{
  fputs(".El\n", out);
}

void keys_write_mdoc(FILE *out)
{
  fputs(".Sh KEYS\n", out);
  write_sections(&(struct key_writer){ out, write_mdoc_title, write_mdoc_row, write_mdoc_end });
}
