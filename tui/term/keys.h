/* SPDX-License-Identifier: MIT */
/* The table of keys (keys.def) and what is derived from it: dispatch, footer labels, help lines, and the key section of
 * the manual page.
 *
 * A key is a character, or a function key of curses marked by KEY_FUNCTION, since the two ranges overlap. Rows contain
 * everything that readers and users need to know about a key.
 *
 * Threads: one. Nothing allocates or needs a screen.
 */
#ifndef RTOP_TUI_KEYS_H
#define RTOP_TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { KEY_FUNCTION = 1 << 24, KEYS_PER_ROW = 5 };

/* Views of data come first, in the order of the tabs (views.def). */
enum view_id {
#define DATA_VIEW(id, ...) VIEW_##id,
#define OTHER_VIEW(id, name) VIEW_##id,
#include "views.def"
  VIEW_COUNT
};
enum { VIEW_DATA_COUNT = VIEW_OUTPUT };

/* Does the view temporarily replace a view of data, and return to it? */
static inline bool view_is_aside(enum view_id view)
{
  return view == VIEW_HELP || view == VIEW_OUTPUT || view == VIEW_SITES || view == VIEW_WHY;
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

/* Returns the name of a view of data on the command line ("methods"); NULL: it has none. */
const char *keys_view_name(enum view_id view);
bool keys_view_parse(const char *name, enum view_id *view);
/* Returns the word on the tab of a view of data, and the key shown before it. */
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

/* Returns the first row after `after` (NULL: from the start) with this key in this view; NULL: none. If the row's
 * request had nothing to do, the caller continues with that row as `after`. */
const struct key_row *keys_find(int key, enum view_id view, const struct key_row *after);

/* "F10", "PgUp", "Ctrl-L", "Esc", "x". */
void keys_name(char *out, size_t out_bytes, int key);
/* Writes all key names of a row, "q F10". Equal names (Enter has three codes) appear once. */
void keys_names(char *out, size_t out_bytes, const struct key_row *row);
/* Returns the key shown in the footer: the function key if there is one. */
int keys_footer_key(const struct key_row *row);
/* Returns the key for keyboards without function keys: the first that is not one. */
int keys_plain_key(const struct key_row *row);

/* Writes one line per row: its keys, then their effect. */
void keys_write_list(FILE *out);
/* Writes the key section of rperf-top(1) as mdoc. */
void keys_write_mdoc(FILE *out);

#endif
