/* SPDX-License-Identifier: MIT */
/* Chooses columns of the method table, and fits them into a width. */
#include "columns.h"
#include "tui/text/text.h"
#include <limits.h>
#include <string.h>

enum {
  METHOD_COLUMNS_MIN = 12,
  DELTA_FROM = 40,
  TRACED_FROM = 60,
  MARK_COLUMNS = 1, /* the cursor's '>' */
};

static const struct column_info table[RTOP_SORT_KEYS] = {
#define COLUMN(id, name, heading, heading_time, width, figure, plain, from, value, help)                               \
  { name, heading, heading_time, width, RTOP_FIGURE_##figure, from, help },
#include "tui/methods/columns.def"
};

const struct column_info *columns_info(enum rtop_sort_key column)
{
  return &table[column];
}

void columns_exact_text(const struct rtop_method_row *row, enum rtop_sort_key column, char *out, size_t out_bytes)
{
  bool none = column == RTOP_SORT_MEAN && row->calls == 0 && row->mean_ns <= 0;
  if (!row->traced || none) snprintf(out, out_bytes, "-");
  else if (column == RTOP_SORT_COUNT) snprintf(out, out_bytes, "%llu", (unsigned long long)row->calls);
  else if (column == RTOP_SORT_MEAN) rtop_text_duration(out, out_bytes, (int64_t)row->mean_ns);
  else rtop_text_count(out, out_bytes, row->calls_per_s);
}

/* Columns for counted calls, each with the table width from which it is shown. */
static const struct {
  enum rtop_sort_key column;
  int from;
} columns_calls[] = {
  { RTOP_SORT_COUNT, 0 }, { RTOP_SORT_TOTAL, 42 },  { RTOP_SORT_SELF, 34 },
  { RTOP_SORT_MEAN, 60 }, { RTOP_SORT_CALLS, 100 },
};
enum { COLUMNS_CALLS = sizeof columns_calls / sizeof columns_calls[0] };

bool columns_of_calls(enum rtop_sort_key column)
{
  for (int i = 0; i < COLUMNS_CALLS; i++)
    if (columns_calls[i].column == column) return true;
  return column == RTOP_SORT_NAME || column == RTOP_SORT_LOCATION;
}

static bool is_flexible(enum rtop_sort_key column)
{
  return table[column].columns == 0;
}

bool columns_has(const struct columns_choice *choice, enum rtop_sort_key column)
{
  for (int i = 0; i < choice->count; i++)
    if (choice->at[i] == column) return true;
  return false;
}

static void insert(struct columns_choice *choice, int place, enum rtop_sort_key column)
{
  size_t behind = (size_t)(choice->count - place);
  memmove(&choice->at[place + 1], &choice->at[place], behind * sizeof choice->at[0]);
  choice->at[place] = column;
  choice->count++;
}

static void take_away(struct columns_choice *choice, enum rtop_sort_key column)
{
  int kept = 0;
  for (int i = 0; i < choice->count; i++)
    if (choice->at[i] != column) choice->at[kept++] = choice->at[i];
  choice->count = kept;
}

/* Inserts a column before the first of the columns that usually follow it. */
static void put_in(struct columns_choice *choice, enum rtop_sort_key column)
{
  int place = 0;
  while (place < choice->count && choice->at[place] < column) place++;
  insert(choice, place, column);
}

/* Begins a choice with the columns that are shown without one. */
static void start_choice(struct columns_choice *choice)
{
  static const enum rtop_sort_key usual[] = { RTOP_SORT_SELF,    RTOP_SORT_TOTAL, RTOP_SORT_WAITING, RTOP_SORT_ALLOC,
                                              RTOP_SORT_HISTORY, RTOP_SORT_NAME,  RTOP_SORT_LOCATION };
  if (choice->count == 0) {
    choice->count = sizeof usual / sizeof usual[0];
    memcpy(choice->at, usual, sizeof usual);
  }
}

void columns_toggle(struct columns_choice *choice, enum rtop_sort_key column)
{
  start_choice(choice);
  if (!columns_has(choice, column)) put_in(choice, column);
  else if (column != RTOP_SORT_NAME) take_away(choice, column);
}

void columns_move(struct columns_choice *choice, enum rtop_sort_key column, int step)
{
  start_choice(choice);
  for (int i = 0; i < choice->count; i++) {
    int other = i + step;
    if (choice->at[i] == column && other >= 0 && other < choice->count) {
      choice->at[i] = choice->at[other];
      choice->at[other] = column;
      return;
    }
  }
}

static bool find_name(const char *name, size_t length, enum rtop_sort_key *column)
{
  for (int i = 0; i < RTOP_SORT_KEYS; i++) {
    if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
      *column = (enum rtop_sort_key)i;
      return true;
    }
  }
  return false;
}

bool columns_parse(struct columns_choice *choice, const char *text, const char **problem)
{
  static _Thread_local char message[96];
  struct columns_choice wanted = { 0 };
  bool changes = text[0] == '+' || text[0] == '-';
  if (changes) {
    wanted = *choice;
    start_choice(&wanted);
  }
  if (strcmp(text, "auto") == 0) text = "";
  for (const char *at = text; *at != '\0';) {
    enum rtop_sort_key column;
    char sign = *at == '+' || *at == '-' ? *at++ : '+';
    size_t length = strcspn(at, ",");
    if (!find_name(at, length, &column)) {
      snprintf(message, sizeof message, "there is no column '%.*s'", length < 40 ? (int)length : 40, at);
      *problem = message;
      return false;
    }
    bool there = columns_has(&wanted, column);
    if (sign == '-' && there && column != RTOP_SORT_NAME) take_away(&wanted, column);
    else if (sign == '+' && !there && changes) put_in(&wanted, column);
    else if (sign == '+' && !there) insert(&wanted, wanted.count, column);
    at += length + (at[length] == ',');
  }
  if (wanted.count > 0 && !columns_has(&wanted, RTOP_SORT_NAME)) insert(&wanted, wanted.count, RTOP_SORT_NAME);
  *choice = wanted;
  return true;
}

void columns_write(const struct columns_choice *choice, char *out, size_t out_bytes)
{
  size_t used = 0;
  snprintf(out, out_bytes, "auto");
  for (int i = 0; i < choice->count && used < out_bytes; i++)
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i > 0 ? "," : "", table[choice->at[i]].name);
}

void columns_list(FILE *out)
{
  for (int column = 0; column < RTOP_SORT_KEYS; column++)
    fprintf(out, "%-14s %-10s %s\n", table[column].name, table[column].title, table[column].help);
}

static int location_columns(int width)
{
  if (width < 72) return 0;
  int columns = width / 4 - 1;
  return columns > 60 ? 60 : columns;
}

static int figures_width(int width)
{
  return width - MARK_COLUMNS - METHOD_COLUMNS_MIN - location_columns(width);
}

/* Picks the columns that suit this width; the sort column replaces the least important one. */
static void pick_preferred(struct columns_choice *picked, int width, enum rtop_sort_key sorted)
{
  int least = -1;
  for (int column = 0; column < RTOP_SORT_KEYS; column++) {
    if (width < table[column].from) continue;
    insert(picked, picked->count, (enum rtop_sort_key)column);
    if (least < 0 || table[column].from > table[least].from) least = column;
  }
  if (is_flexible(sorted) || columns_has(picked, sorted)) return;
  if (least >= 0) take_away(picked, (enum rtop_sort_key)least);
  put_in(picked, sorted);
}

/* Picks as many figures of `from` as fit, without the first `scroll`. `one`: takes the first figure even if it
   does not fit. */
static void pick_fitting(struct columns_choice *picked, const struct columns_choice *from, int room, int scroll,
                         bool one)
{
  int figure = 0;
  for (int i = 0; i < from->count; i++) {
    enum rtop_sort_key column = from->at[i];
    if (is_flexible(column)) {
      insert(picked, picked->count, column);
    } else if (figure++ >= scroll && room >= 0) {
      room -= table[column].columns;
      if (room >= 0 || (one && figure == scroll + 1)) insert(picked, picked->count, column);
    }
  }
}

static void add_flexible(struct columns_choice *picked)
{
  insert(picked, picked->count, RTOP_SORT_NAME);
  insert(picked, picked->count, RTOP_SORT_LOCATION);
}

static void pick_scrolled(struct columns_choice *picked, bool traced, int width, int scroll)
{
  struct columns_choice all = { 0 };
  for (int column = 0; column < RTOP_SORT_HISTORY; column++)
    if (column != RTOP_SORT_DELTA && (traced || table[column].figure != RTOP_FIGURE_EXACT))
      insert(&all, all.count, (enum rtop_sort_key)column);
  int room = figures_width(width) / 2 < 7 ? figures_width(width) : figures_width(width) * 3 / 4;
  pick_fitting(picked, &all, room, scroll, true);
  add_flexible(picked);
}

static void pick_chosen(struct columns_choice *picked, const struct columns_choice *choice, int width,
                        enum rtop_sort_key sorted, int scroll)
{
  int room = width - MARK_COLUMNS - METHOD_COLUMNS_MIN;
  pick_fitting(picked, choice, room, scroll, true);
  if (scroll > 0 || is_flexible(sorted) || columns_has(picked, sorted)) return;
  struct columns_choice others = *picked; /* The sort column is added before the other columns are fitted. */
  *picked = (struct columns_choice){ 0 };
  pick_fitting(picked, &others, room - table[sorted].columns, 0, false);
  int place = 0;
  while (place < picked->count && !is_flexible(picked->at[place])) place++;
  insert(picked, place, sorted);
}

static int fixed_width(const struct columns_choice *picked)
{
  int width = 0;
  for (int i = 0; i < picked->count; i++) width += table[picked->at[i]].columns;
  return width;
}

/* Picks the columns for counted calls; the sort column is shown wherever there is any room. */
static void pick_calls(struct columns_choice *picked, int width, enum rtop_sort_key sorted)
{
  for (int i = 0; i < COLUMNS_CALLS; i++) {
    enum rtop_sort_key column = columns_calls[i].column;
    int room = width - MARK_COLUMNS - METHOD_COLUMNS_MIN - fixed_width(picked) - table[column].columns;
    if (width >= columns_calls[i].from || (column == sorted && room >= 0)) insert(picked, picked->count, column);
  }
  add_flexible(picked);
}

static void place(struct columns_shown *shown, const struct columns_choice *picked, int width)
{
  int x = MARK_COLUMNS;
  int location = columns_has(picked, RTOP_SORT_LOCATION) ? location_columns(width) : 0;
  int method = width - MARK_COLUMNS - fixed_width(picked) - location;
  if (method < METHOD_COLUMNS_MIN && location > 0) {
    method += location;
    location = 0;
  }
  shown->count = 0;
  for (int i = 0; i < picked->count; i++) {
    enum rtop_sort_key column = picked->at[i];
    int columns = column == RTOP_SORT_NAME ? method : column == RTOP_SORT_LOCATION ? location : table[column].columns;
    if (columns > 0) {
      shown->at[shown->count].column = column;
      shown->at[shown->count].x = x;
      shown->at[shown->count].columns = columns;
      shown->count++;
      x += columns;
    }
  }
}

/* While methods are traced, adds a column, replacing the last figure (but not the sort column) if there is no room. */
static void pick_traced(struct columns_choice *picked, enum rtop_sort_key column, int width, enum rtop_sort_key sorted)
{
  int figures = 0;
  if (width < TRACED_FROM || columns_has(picked, column)) return;
  while (figures < picked->count && !is_flexible(picked->at[figures])) figures++;
  for (int i = figures - 1; i > 1 && fixed_width(picked) + table[column].columns > figures_width(width); i--)
    if (picked->at[i] != sorted && table[picked->at[i]].figure != RTOP_FIGURE_EXACT) take_away(picked, picked->at[i]);
  if (fixed_width(picked) + table[column].columns <= figures_width(width)) put_in(picked, column);
}

/* Adds the column after the first figure, replacing the last figure (but not the sort column) if there is no room. */
static void pick_delta(struct columns_choice *picked, bool wanted, int width, enum rtop_sort_key sorted)
{
  if (!wanted || width < DELTA_FROM || columns_has(picked, RTOP_SORT_DELTA)) return;
  int figures = 0;
  while (figures < picked->count && !is_flexible(picked->at[figures])) figures++;
  int place = figures > 0 ? 1 : 0;
  for (int i = figures - 1; i > 0 && fixed_width(picked) + table[RTOP_SORT_DELTA].columns > figures_width(width); i--)
    if (picked->at[i] != sorted) take_away(picked, picked->at[i]);
  insert(picked, place, RTOP_SORT_DELTA);
}

void columns_fit(struct columns_shown *shown, const struct columns_choice *choice, int width, enum rtop_sort_key sort,
                 int scroll)
{
  struct columns_choice picked = { 0 };
  if (choice->calls) {
    pick_calls(&picked, width, sort);
  } else if (choice->count > 0) {
    pick_chosen(&picked, choice, width, sort, scroll);
  } else if (scroll > 0) {
    pick_scrolled(&picked, choice->traced, width, scroll);
  } else {
    pick_preferred(&picked, width, sort);
    add_flexible(&picked);
    if (choice->traced) pick_traced(&picked, RTOP_SORT_CALLS, width, sort);
    if (choice->traced) pick_traced(&picked, RTOP_SORT_MEAN, width, sort);
  }
  pick_delta(&picked, choice->delta, width, sort);
  place(shown, &picked, width);
}

static bool shows_figure(const struct columns_shown *shown, enum rtop_sort_key column)
{
  for (int i = 0; i < shown->count; i++)
    if (shown->at[i].column == column) return true;
  return false;
}

int columns_scroll_max(const struct columns_choice *choice, int width, enum rtop_sort_key sort)
{
  enum rtop_sort_key last = RTOP_SORT_HISTORY - 1;
  if (choice->calls) return 0;
  int figures = choice->count > 0 ? 0 : RTOP_SORT_HISTORY;
  for (int i = 0; i < choice->count; i++) {
    if (!is_flexible(choice->at[i])) {
      last = choice->at[i];
      figures++;
    }
  }
  for (int scroll = 0; scroll < figures; scroll++) {
    struct columns_shown shown;
    columns_fit(&shown, choice, width, sort, scroll);
    bool complete = scroll > 0 || choice->count > 0 || shown.count >= RTOP_SORT_KEYS;
    if (complete && shows_figure(&shown, last)) return scroll;
  }
  return figures > 0 ? figures - 1 : 0;
}
