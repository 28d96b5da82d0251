/* SPDX-License-Identifier: MIT */
/* Edits a line. */
#include "prompt.h"
#include "keys.h"
#include <ncurses.h>
#include <string.h>
#include <wctype.h>

static bool is_continuation(char byte)
{
  return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t left_of(const struct prompt *prompt, size_t at)
{
  while (at > 0) {
    at--;
    if (!is_continuation(prompt->text[at])) break;
  }
  return at;
}

static size_t right_of(const struct prompt *prompt, size_t at)
{
  if (at < prompt->bytes) {
    at++;
    while (at < prompt->bytes && is_continuation(prompt->text[at])) at++;
  }
  return at;
}

void prompt_start(struct prompt *prompt, const char *label, const char *text)
{
  prompt->label = label;
  prompt->bytes = strnlen(text, sizeof prompt->text - 1);
  memmove(prompt->text, text, prompt->bytes);
  prompt->text[prompt->bytes] = '\0';
  prompt->cursor = prompt->bytes;
  prompt->offered = false;
}

void prompt_offer(struct prompt *prompt, const char *label, const char *number)
{
  prompt_start(prompt, label, number);
  prompt->offered = true;
}

static enum prompt_result cut_out(struct prompt *prompt, size_t from, size_t to)
{
  if (from == to) return PROMPT_MOVED;
  memmove(prompt->text + from, prompt->text + to, prompt->bytes - to + 1);
  prompt->bytes -= to - from;
  prompt->cursor = from;
  return PROMPT_CHANGED;
}

static size_t encode_utf8(char *out, unsigned code)
{
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
  for (size_t i = count - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (code & 0x3f));
    code >>= 6;
  }
  out[0] = (char)(lead[count] | code);
  return count;
}

static enum prompt_result insert(struct prompt *prompt, int key)
{
  char bytes[4];
  if ((key & KEY_FUNCTION) != 0 || key < 32 || (key >= 127 && key < 160) || key > 0x10ffff ||
      (key >= 0xd800 && key < 0xe000) || (key > 127 && !iswprint((wint_t)key)))
    return PROMPT_IGNORED;
  size_t count = encode_utf8(bytes, (unsigned)key);
  if (prompt->bytes + count >= sizeof prompt->text) return PROMPT_MOVED;
  memmove(prompt->text + prompt->cursor + count, prompt->text + prompt->cursor, prompt->bytes - prompt->cursor + 1);
  memcpy(prompt->text + prompt->cursor, bytes, count);
  prompt->bytes += count;
  prompt->cursor += count;
  return PROMPT_CHANGED;
}

static size_t word_start(const struct prompt *prompt)
{
  size_t at = prompt->cursor;
  while (at > 0 && prompt->text[at - 1] == ' ') at--;
  while (at > 0 && prompt->text[at - 1] != ' ') at--;
  return at;
}

static enum prompt_result go_to(struct prompt *prompt, size_t to)
{
  prompt->cursor = to;
  return PROMPT_MOVED;
}

enum prompt_result prompt_key(struct prompt *prompt, int key)
{
  if (prompt->offered && key >= '0' && key <= '9') prompt_start(prompt, prompt->label, "");
  prompt->offered = false;
  switch (key) {
  case '\r':
  case '\n':
  case KEY_ENTER | KEY_FUNCTION: return PROMPT_ACCEPTED;
  case 27: return PROMPT_CANCELLED;
  case 8:
  case 127:
  case KEY_BACKSPACE | KEY_FUNCTION:
    return prompt->bytes == 0 ? PROMPT_CANCELLED : cut_out(prompt, left_of(prompt, prompt->cursor), prompt->cursor);
  case 4:
  case KEY_DC | KEY_FUNCTION: return cut_out(prompt, prompt->cursor, right_of(prompt, prompt->cursor));
  case 21: return cut_out(prompt, 0, prompt->cursor);
  case 23: return cut_out(prompt, word_start(prompt), prompt->cursor);
  case 1:
  case KEY_HOME | KEY_FUNCTION: return go_to(prompt, 0);
  case 5:
  case KEY_END | KEY_FUNCTION: return go_to(prompt, prompt->bytes);
  case KEY_LEFT | KEY_FUNCTION: return go_to(prompt, left_of(prompt, prompt->cursor));
  case KEY_RIGHT | KEY_FUNCTION: return go_to(prompt, right_of(prompt, prompt->cursor));
  default: return insert(prompt, key);
  }
}
