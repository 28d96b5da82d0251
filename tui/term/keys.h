/* SPDX-License-Identifier: MIT */
/* The one table of keys (keys.def) and what is made from it: dispatch, footer labels, help lines, the
 * key section of the manual page.
 *
 * A key is what a terminal sends: a character, or a function key of curses marked by KEY_FUNCTION (the
 * two ranges overlap otherwise). Rows carry everything a reader or a user needs to know about a key.
 *
 * Threads: one. Nothing here allocates or needs a screen.
 */
#ifndef RTOP_TUI_KEYS_H
#define RTOP_TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { KEY_FUNCTION = 1 << 24, KEYS_PER_ROW = 5 };

/* Views of the data come first, in the order of the tabs (views.def). */
enum view_id {
#define DATA_VIEW(id, ...) VIEW_##id,
#define OTHER_VIEW(id, name) VIEW_##id,
#include "views.def"
  VIEW_COUNT
};
enum { VIEW_DATA_COUNT = VIEW_OUTPUT };

/* Stands in the place of a view of the data for a while, and gives that back. */
static inline bool view_is_aside(enum view_id view)
{
  return view == VIEW_HELP || view == VIEW_OUTPUT || view == VIEW_SITES;
}

enum request {
  REQUEST_NONE,
#define KEY(request, group, keys, views, footer, help) REQUEST_##request,
#include "keys.def"
#undef KEY
  REQUEST_COUNT,
};

enum key_group {
  KEY_GROUP_VIEW,
  KEY_GROUP_MOVE,
  KEY_GROUP_FIND,
  KEY_GROUP_SORT,
  KEY_GROUP_TIME,
  KEY_GROUP_GENERAL,
  KEY_GROUPS
};

/* A view of the data by the name that the command line uses ("methods"); NULL: it has none. */
const char *keys_view_name(enum view_id view);
bool keys_view_parse(const char *name, enum view_id *view);
/* What its tab says of a view of the data, and the key before that. */
const char *keys_view_tab(enum view_id view);
int keys_view_key(enum view_id view);

struct key_row {
  enum request request;
  enum key_group group;
  int keys[KEYS_PER_ROW + 1]; /* ends with 0 */
  unsigned views;             /* bit per enum view_id */
  const char *footer;         /* NULL: not in the footer */
  const char *help;
};

extern const struct key_row keys_table[];
extern const size_t keys_count;

const char *keys_group_name(enum key_group group);

/* The first row after `after` (NULL: from the start) that has this key in this view; NULL: none. Ask
 * again with the row itself when its request had nothing to do. */
const struct key_row *keys_find(int key, enum view_id view, const struct key_row *after);

/* "F10", "PgUp", "Ctrl-L", "Esc", "x". */
void keys_name(char *out, size_t out_bytes, int key);
/* All names of a row: "q F10". Equal names (Enter has three codes) stand once. */
void keys_names(char *out, size_t out_bytes, const struct key_row *row);
/* The key that the footer shows: the function key when there is one. */
int keys_footer_key(const struct key_row *row);
/* For keyboards without these: the first that is none. */
int keys_plain_key(const struct key_row *row);

/* One line per row: keys, then what they do. */
void keys_write_list(FILE *out);
/* Writes the key section of rperf-top(1) as mdoc. */
void keys_write_mdoc(FILE *out);

#endif
