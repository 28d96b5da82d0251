#include "columns.h"
#include <string.h>

enum {
  METHOD_COLUMNS_MIN = 12,
  DELTA_FROM = 40,
  MARK_COLUMNS = 1, /* the cursor's '>' */
};

static const struct column_info table[COLUMN_COUNT] = {
  [COLUMN_SELF] = { "self", "SELF%", "SELF", 7, RTOP_SORT_SELF, COLUMN_KIND_TIME, "time in the method itself" },
  [COLUMN_DELTA] = { "delta", "DELTA", "DELTA", 8, RTOP_SORT_DELTA, COLUMN_KIND_OTHER, "change against the baseline" },
  [COLUMN_TOTAL] = { "total", "TOTAL%", "TOTAL", 8, RTOP_SORT_TOTAL, COLUMN_KIND_TIME, "time in it and what it calls" },
  [COLUMN_RUN] = { "running", "RUN%", "RUN", 7, RTOP_SORT_RUNNING, COLUMN_KIND_TIME, "self: running with the GVL" },
  [COLUMN_WAIT] = { "waiting", "WAIT%", "WAIT", 7, RTOP_SORT_WAITING, COLUMN_KIND_TIME, "self: waiting for the GVL" },
  [COLUMN_IO] = { "blocked", "IO%", "IO", 7, RTOP_SORT_BLOCKED, COLUMN_KIND_TIME,
                  "self: off the GVL (I/O, sleep, lock)" },
  [COLUMN_GC] = { "gc", "GC%", "GC", 7, RTOP_SORT_GC, COLUMN_KIND_TIME, "self: marking and sweeping" },
  [COLUMN_CPU] = { "cpu", "CPU%", "CPU", 7, RTOP_SORT_CPU, COLUMN_KIND_TIME, "self: CPU time" },
  [COLUMN_BLAME] = { "blame", "BLAME%", "BLAME", 8, RTOP_SORT_BLAME, COLUMN_KIND_TIME,
                     "others waited while it held the GVL" },
  [COLUMN_THREADS] = { "threads", "THR", "THR", 5, RTOP_SORT_THREADS, COLUMN_KIND_COUNT,
                       "threads that have it on their stack now" },
  [COLUMN_RATIO] = { "ratio", "RATIO%", "RATIO%", 8, RTOP_SORT_RATIO, COLUMN_KIND_RATIO,
                     "share of the frame on one thread's stack" },
  [COLUMN_SAMPLES] = { "samples", "SMP", "SMP", 7, RTOP_SORT_SAMPLES, COLUMN_KIND_COUNT, "self: samples taken" },
  [COLUMN_ALLOC] = { "alloc", "ALLOC/s", "ALLOC/s", 9, RTOP_SORT_ALLOC, COLUMN_KIND_RATE,
                     "self: objects allocated, estimated" },
  [COLUMN_TOTAL_RUN] = { "total-running", "T.RUN%", "T.RUN", 8, RTOP_SORT_TOTAL_RUNNING, COLUMN_KIND_TIME,
                         "total: running with the GVL" },
  [COLUMN_TOTAL_WAIT] = { "total-waiting", "T.WAIT%", "T.WAIT", 9, RTOP_SORT_TOTAL_WAITING, COLUMN_KIND_TIME,
                          "total: waiting for the GVL" },
  [COLUMN_TOTAL_IO] = { "total-blocked", "T.IO%", "T.IO", 7, RTOP_SORT_TOTAL_BLOCKED, COLUMN_KIND_TIME,
                        "total: off the GVL" },
  [COLUMN_TOTAL_GC] = { "total-gc", "T.GC%", "T.GC", 7, RTOP_SORT_TOTAL_GC, COLUMN_KIND_TIME,
                        "total: marking and sweeping" },
  [COLUMN_TOTAL_CPU] = { "total-cpu", "T.CPU%", "T.CPU", 8, RTOP_SORT_TOTAL_CPU, COLUMN_KIND_TIME, "total: CPU time" },
  [COLUMN_TOTAL_BLAME] = { "total-blame", "T.BLAME%", "T.BLAME", 10, RTOP_SORT_TOTAL_BLAME, COLUMN_KIND_TIME,
                           "total: others waited meanwhile" },
  [COLUMN_TOTAL_ALLOC] = { "total-alloc", "T.ALLOC/s", "T.ALLOC/s", 11, RTOP_SORT_TOTAL_ALLOC, COLUMN_KIND_RATE,
                           "total: objects allocated, estimated" },
  [COLUMN_HIST] = { "history", "HIST(60s)", "HIST(60s)", 12, RTOP_SORT_HISTORY, COLUMN_KIND_OTHER,
                    "self, last minute; sorts by its peak" },
  [COLUMN_METHOD] = { "name", "METHOD", "METHOD", 0, RTOP_SORT_NAME, COLUMN_KIND_OTHER, "name of the method" },
  [COLUMN_LOCATION] = { "location", "LOCATION", "LOCATION", 0, RTOP_SORT_LOCATION, COLUMN_KIND_OTHER, "file and line" },
};

const struct column_info *columns_info(enum column column)
{
  return &table[column];
}

enum column columns_of_sort(enum rtop_sort_key sort)
{
  for (int column = 0; column < COLUMN_COUNT; column++)
    if (table[column].sort == (int)sort) return (enum column)column;
  return COLUMN_SELF;
}

static bool is_flexible(enum column column)
{
  return table[column].columns == 0;
}

bool columns_has(const struct columns_choice *choice, enum column column)
{
  for (int i = 0; i < choice->count; i++)
    if (choice->at[i] == column) return true;
  return false;
}

static void insert(struct columns_choice *choice, int place, enum column column)
{
  size_t behind = (size_t)(choice->count - place);
  memmove(&choice->at[place + 1], &choice->at[place], behind * sizeof choice->at[0]);
  choice->at[place] = column;
  choice->count++;
}

static void take_away(struct columns_choice *choice, enum column column)
{
  int kept = 0;
  for (int i = 0; i < choice->count; i++)
    if (choice->at[i] != column) choice->at[kept++] = choice->at[i];
  choice->count = kept;
}

/* Before the first of those that usually stand behind it. */
static void put_in(struct columns_choice *choice, enum column column)
{
  int place = 0;
  while (place < choice->count && choice->at[place] < column) place++;
  insert(choice, place, column);
}

/* What the user sees without a choice, as a choice that can be changed. */
static void start_choice(struct columns_choice *choice)
{
  static const enum column usual[] = { COLUMN_SELF, COLUMN_TOTAL,  COLUMN_WAIT,    COLUMN_ALLOC,
                                       COLUMN_HIST, COLUMN_METHOD, COLUMN_LOCATION };
  if (choice->count == 0) {
    choice->count = sizeof usual / sizeof usual[0];
    memcpy(choice->at, usual, sizeof usual);
  }
}

void columns_toggle(struct columns_choice *choice, enum column column)
{
  start_choice(choice);
  if (!columns_has(choice, column)) put_in(choice, column);
  else if (column != COLUMN_METHOD) take_away(choice, column);
}

void columns_move(struct columns_choice *choice, enum column column, int step)
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

static bool find_name(const char *name, size_t length, enum column *column)
{
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
      *column = (enum column)i;
      return true;
    }
  }
  return false;
}

bool columns_parse(struct columns_choice *choice, const char *text, const char **problem)
{
  static char message[96];
  struct columns_choice wanted = { 0 };
  bool changes = text[0] == '+' || text[0] == '-';
  if (changes) {
    wanted = *choice;
    start_choice(&wanted);
  }
  if (strcmp(text, "auto") == 0) text = "";
  for (const char *at = text; *at != '\0';) {
    enum column column;
    char sign = *at == '+' || *at == '-' ? *at++ : '+';
    size_t length = strcspn(at, ",");
    if (!find_name(at, length, &column)) {
      snprintf(message, sizeof message, "there is no column '%.*s'", length < 40 ? (int)length : 40, at);
      *problem = message;
      return false;
    }
    bool there = columns_has(&wanted, column);
    if (sign == '-' && there && column != COLUMN_METHOD) take_away(&wanted, column);
    else if (sign == '+' && !there && changes) put_in(&wanted, column);
    else if (sign == '+' && !there) insert(&wanted, wanted.count, column);
    at += length + (at[length] == ',');
  }
  if (wanted.count > 0 && !columns_has(&wanted, COLUMN_METHOD)) insert(&wanted, wanted.count, COLUMN_METHOD);
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
  for (int column = 0; column < COLUMN_COUNT; column++)
    fprintf(out, "%-14s %-10s %s\n", table[column].name, table[column].title, table[column].help);
}

/* What is worth its place, best first, and the width from which on it is shown. */
static const struct {
  enum column column;
  int width;
} preference[] = {
  { COLUMN_SELF, 0 },    { COLUMN_TOTAL, 28 },    { COLUMN_WAIT, 36 }, { COLUMN_ALLOC, 48 },  { COLUMN_GC, 96 },
  { COLUMN_HIST, 104 },  { COLUMN_IO, 124 },      { COLUMN_CPU, 132 }, { COLUMN_BLAME, 140 }, { COLUMN_THREADS, 148 },
  { COLUMN_RATIO, 156 }, { COLUMN_SAMPLES, 176 }, { COLUMN_RUN, 190 },
};
enum { PREFERENCES = sizeof preference / sizeof preference[0] };

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

static void pick_preferred(struct columns_choice *picked, int width, enum column sorted)
{
  for (int i = 0; i < PREFERENCES; i++)
    if (width >= preference[i].width) put_in(picked, preference[i].column);
  if (is_flexible(sorted) || columns_has(picked, sorted)) return;
  for (int i = PREFERENCES - 1; i >= 0; i--) { /* it takes the place of the least one */
    if (columns_has(picked, preference[i].column)) {
      take_away(picked, preference[i].column);
      break;
    }
  }
  put_in(picked, sorted);
}

/* Figures of `from`, as many as fit, those before `scroll` left out. `one`: the first in any case. */
static void pick_fitting(struct columns_choice *picked, const struct columns_choice *from, int room, int scroll,
                         bool one)
{
  int figure = 0;
  for (int i = 0; i < from->count; i++) {
    enum column column = from->at[i];
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
  insert(picked, picked->count, COLUMN_METHOD);
  insert(picked, picked->count, COLUMN_LOCATION);
}

static void pick_scrolled(struct columns_choice *picked, int width, int scroll)
{
  struct columns_choice all = { 0 };
  for (int column = 0; column < COLUMN_HIST; column++)
    if (column != COLUMN_DELTA) insert(&all, all.count, (enum column)column);
  int room = figures_width(width) / 2 < 7 ? figures_width(width) : figures_width(width) * 3 / 4;
  pick_fitting(picked, &all, room, scroll, true);
  add_flexible(picked);
}

static void pick_chosen(struct columns_choice *picked, const struct columns_choice *choice, int width,
                        enum column sorted, int scroll)
{
  int room = width - MARK_COLUMNS - METHOD_COLUMNS_MIN;
  pick_fitting(picked, choice, room, scroll, true);
  if (scroll > 0 || is_flexible(sorted) || columns_has(picked, sorted)) return;
  struct columns_choice others = *picked; /* it goes in before the others are fitted */
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

static void place(struct columns_shown *shown, const struct columns_choice *picked, int width)
{
  int x = MARK_COLUMNS;
  int location = columns_has(picked, COLUMN_LOCATION) ? location_columns(width) : 0;
  int method = width - MARK_COLUMNS - fixed_width(picked) - location;
  if (method < METHOD_COLUMNS_MIN && location > 0) {
    method += location;
    location = 0;
  }
  shown->count = 0;
  for (int i = 0; i < picked->count; i++) {
    enum column column = picked->at[i];
    int columns = column == COLUMN_METHOD ? method : column == COLUMN_LOCATION ? location : table[column].columns;
    if (columns > 0) {
      shown->at[shown->count].column = column;
      shown->at[shown->count].x = x;
      shown->at[shown->count].columns = columns;
      shown->count++;
      x += columns;
    }
  }
}

/* Behind the first figure, in the place of the last one (but that sorted by) where there is no room. */
static void pick_delta(struct columns_choice *picked, bool wanted, int width, enum column sorted)
{
  if (!wanted || width < DELTA_FROM || columns_has(picked, COLUMN_DELTA)) return;
  int figures = 0;
  while (figures < picked->count && !is_flexible(picked->at[figures])) figures++;
  int place = figures > 0 ? 1 : 0;
  for (int i = figures - 1; i > 0 && fixed_width(picked) + table[COLUMN_DELTA].columns > figures_width(width); i--)
    if (picked->at[i] != sorted) take_away(picked, picked->at[i]);
  insert(picked, place, COLUMN_DELTA);
}

void columns_fit(struct columns_shown *shown, const struct columns_choice *choice, int width, enum rtop_sort_key sort,
                 int scroll)
{
  struct columns_choice picked = { 0 };
  enum column sorted = columns_of_sort(sort);
  if (choice->count > 0) {
    pick_chosen(&picked, choice, width, sorted, scroll);
  } else if (scroll > 0) {
    pick_scrolled(&picked, width, scroll);
  } else {
    pick_preferred(&picked, width, sorted);
    add_flexible(&picked);
  }
  pick_delta(&picked, choice->delta, width, sorted);
  place(shown, &picked, width);
}

static bool shows_figure(const struct columns_shown *shown, enum column column)
{
  for (int i = 0; i < shown->count; i++)
    if (shown->at[i].column == column) return true;
  return false;
}

int columns_scroll_max(const struct columns_choice *choice, int width, enum rtop_sort_key sort)
{
  enum column last = COLUMN_HIST - 1;
  int figures = choice->count > 0 ? 0 : COLUMN_HIST;
  for (int i = 0; i < choice->count; i++) {
    if (!is_flexible(choice->at[i])) {
      last = choice->at[i];
      figures++;
    }
  }
  for (int scroll = 0; scroll < figures; scroll++) {
    struct columns_shown shown;
    columns_fit(&shown, choice, width, sort, scroll);
    bool complete = scroll > 0 || choice->count > 0 || shown.count >= COLUMN_COUNT;
    if (complete && shows_figure(&shown, last)) return scroll;
  }
  return figures > 0 ? figures - 1 : 0;
}
