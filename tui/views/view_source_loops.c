/* SPDX-License-Identifier: MIT */
/* Finds lines whose time is charged to another line. Ruby checks its threads only at the end of a turn of a loop, block
 * or method, and time before that is charged to the line executed then: for `while` its own line, for `begin` … `end
 * while` the last. Where such a loop ends is guessed from the text; the result is only displayed. */
#include "view_source.h"
#include "tui/ui/ui.h"
#include <ctype.h>
#include <string.h>

enum { LOOP_LINES_MAX = 400 };

/* Counts the leading blanks and removes them. */
static size_t outdent(char *text)
{
  size_t blanks = strspn(text, " \t");
  memmove(text, text + blanks, strlen(text) + 1 - blanks);
  return blanks;
}

static bool starts_with_word(const char *text, const char *word)
{
  size_t bytes = strlen(word);
  return strncmp(text, word, bytes) == 0 && !isalnum((unsigned char)text[bytes]) && text[bytes] != '_' &&
         text[bytes] != '?' && text[bytes] != '!';
}

static bool ends_on_its_line(const char *text)
{
  size_t bytes = strcspn(text, "#");
  while (bytes > 0 && isspace((unsigned char)text[bytes - 1])) bytes--;
  return bytes > 4 && strncmp(text + bytes - 3, "end", 3) == 0 && strchr("; \t", text[bytes - 4]) != NULL;
}

/* Returns the line of the loop's `end`, which has the same indentation; 0: not found. */
static uint32_t loop_end(const struct source_file *file, uint32_t line, size_t blanks)
{
  char text[512];
  for (uint32_t at = line + 1; at <= file->line_count && at - line <= LOOP_LINES_MAX; at++) {
    source_file_line(file, at, text, sizeof text);
    size_t here = outdent(text);
    if (text[0] != '\0' && text[0] != '#' && here <= blanks)
      return here == blanks && starts_with_word(text, "end") ? at : 0;
  }
  return 0;
}

/* Returns the line of the `begin` that belongs to the `end` on this line; 0: not found. */
static uint32_t loop_begin(const struct source_file *file, uint32_t line, size_t blanks)
{
  char text[512];
  for (uint32_t at = line - 1; at > 0 && line - at <= LOOP_LINES_MAX; at--) {
    source_file_line(file, at, text, sizeof text);
    size_t here = outdent(text);
    if (text[0] != '\0' && text[0] != '#' && here <= blanks)
      return here == blanks && starts_with_word(text, "begin") ? at : 0;
  }
  return 0;
}

static bool ends_a_loop(const char *text)
{
  if (!starts_with_word(text, "end")) return false;
  const char *behind = text + 3 + strspn(text + 3, " \t");
  return starts_with_word(behind, "while") || starts_with_word(behind, "until");
}

/* Finds the range of the loop whose time is charged to this line; false: there is none. */
static bool loop_around(const struct source_file *file, uint32_t line, uint32_t *from, uint32_t *end)
{
  char text[512];
  source_file_line(file, line, text, sizeof text);
  size_t blanks = outdent(text);
  bool loop = starts_with_word(text, "while") || starts_with_word(text, "until"), behind = ends_a_loop(text);
  *from = behind ? loop_begin(file, line, blanks) : line;
  *end = behind ? line : loop && !ends_on_its_line(text) ? loop_end(file, line, blanks) : 0;
  return *from > 0 && *end > 0;
}

void source_view_find_loops(struct source_view *view)
{
  view->loop_count = 0;
  for (uint32_t i = 0; i < view->heat.count && view->loop_count < SOURCE_LOOPS_MAX; i++) {
    const struct heat_line *heat = &view->heat.lines[i];
    if (view->file.state != SOURCE_READY || heat->self_ns * 100 < view->heat.file_ns || heat->self_ns == 0) continue;
    uint32_t from, end;
    if (!loop_around(&view->file, heat->line, &from, &end)) continue;
    view->loops[view->loop_count].line = heat->line;
    view->loops[view->loop_count].from = from;
    view->loops[view->loop_count++].end = end;
  }
}

uint32_t source_view_loop(const struct source_view *view, uint32_t line)
{
  uint32_t innermost = 0, told_with = 0;
  for (int i = 0; i < view->loop_count; i++)
    if (line > view->loops[i].from && line < view->loops[i].end && view->loops[i].from > innermost) {
      innermost = view->loops[i].from;
      told_with = view->loops[i].line;
    }
  return told_with;
}
