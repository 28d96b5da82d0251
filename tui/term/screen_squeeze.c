/* SPDX-License-Identifier: MIT */
/* Follows attributes through a stream of bytes, and sends the necessary changes only. */
#include "screen_squeeze.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ESCAPE = 033, SHIFT_IN = 017, PARAMETERS_MAX = 16, CODE_BYTES = 64 };
/* Numbered as in ECMA-48: bold, dim, italic, underlined, blinking, reverse, invisible. */
enum { FLAG_BOLD = 1 << 1, FLAG_DIM = 1 << 2, FLAGS_UNSEEN = FLAG_BOLD | FLAG_DIM };
enum { COLOR_NONE = -1 };

struct attributes {
  unsigned flags;
  int fg, bg; /* of 256; COLOR_NONE: the terminal's own */
};

struct squeeze {
  char *out;
  size_t used, room;
  struct attributes sent, wanted;
  bool full;    /* `out` is */
  bool sure;    /* `sent` was sent in this refresh */
  bool chosen;  /* attributes were, in this refresh */
  bool charset; /* so was the character set */
  bool opaque;  /* an unknown sequence occurred, so all further bytes are passed on unchanged */
};

static const struct attributes plain = { 0, COLOR_NONE, COLOR_NONE };

static void emit(struct squeeze *squeeze, const char *bytes, size_t count)
{
  if (count > squeeze->room - squeeze->used) {
    squeeze->full = true;
    return;
  }
  memcpy(squeeze->out + squeeze->used, bytes, count);
  squeeze->used += count;
}

static size_t put_code(char *out, size_t used, int code)
{
  return used + (size_t)snprintf(out + used, CODE_BYTES - used, ";%d", code);
}

/* Writes a colour. `base`: 30 for the foreground, 40 for the background. */
static size_t put_color(char *out, size_t used, int base, int color)
{
  if (color == COLOR_NONE) return put_code(out, used, base + 9);
  if (color < 8) return put_code(out, used, base + color);
  if (color < 16) return put_code(out, used, base + 60 + color - 8);
  return used + (size_t)snprintf(out + used, CODE_BYTES - used, ";%d;5;%d", base + 8, color);
}

/* Writes the change from `from` to `to`, each number after a semicolon. */
static size_t put_change(char *out, size_t used, const struct attributes *from, const struct attributes *to)
{
  for (int flag = 1; flag <= 8; flag++)
    if ((to->flags & ~from->flags & 1u << flag) != 0) used = put_code(out, used, flag);
  if (to->fg != from->fg) used = put_color(out, used, 30, to->fg);
  if (to->bg != from->bg) used = put_color(out, used, 40, to->bg);
  return used;
}

static bool same(const struct attributes *a, const struct attributes *b)
{
  return a->flags == b->flags && a->fg == b->fg && a->bg == b->bg;
}

/* Sends the wanted attributes, as a change or from scratch, whichever is shorter. */
static void send_wanted(struct squeeze *squeeze)
{
  char change[CODE_BYTES] = "", anew[CODE_BYTES] = "";
  if ((squeeze->sure || !squeeze->chosen) && same(&squeeze->sent, &squeeze->wanted)) return;
  size_t change_bytes = put_change(change, 0, &squeeze->sent, &squeeze->wanted);
  size_t anew_bytes = put_change(anew, 0, &plain, &squeeze->wanted);
  bool takes_back = !squeeze->sure || (squeeze->sent.flags & ~squeeze->wanted.flags) != 0;
  anew_bytes += anew_bytes > 0; /* its 0 */
  emit(squeeze, "\033[", 2);
  if (takes_back || anew_bytes < change_bytes) {
    if (anew_bytes > 0) emit(squeeze, "0", 1);
    emit(squeeze, anew, anew_bytes > 0 ? anew_bytes - 1 : 0);
  } else {
    emit(squeeze, change + 1, change_bytes - 1);
  }
  emit(squeeze, "m", 1);
  squeeze->sent = squeeze->wanted;
  squeeze->sure = true;
}

/* Sends attributes for a blank or erased cells, which look the same in any text colour and weight. */
static void send_for_blank(struct squeeze *squeeze)
{
  bool alike = squeeze->sent.bg == squeeze->wanted.bg &&
               ((squeeze->sent.flags ^ squeeze->wanted.flags) & ~(unsigned)FLAGS_UNSEEN) == 0;
  /* In reverse video, blank cells show the text colour. */
  bool reversed = (squeeze->wanted.flags & ~(unsigned)FLAGS_UNSEEN) != 0;
  if (!alike || reversed || (squeeze->chosen && !squeeze->sure)) send_wanted(squeeze);
}

/* Parses the numbers between "ESC [" and the final byte; a missing number is 0. Returns their count;
   -1: other contents. */
static int parameters(int *out, const char *at, const char *end)
{
  int count = 1;
  out[0] = 0;
  for (; at < end; at++)
    if (*at == ';' && count < PARAMETERS_MAX) out[count++] = 0;
    else if (*at >= '0' && *at <= '9' && out[count - 1] < 1000) out[count - 1] = out[count - 1] * 10 + *at - '0';
    else return -1;
  return count;
}

/* Handles one number. Returns how many further numbers belong to it; -1: unknown. */
static int take_parameter(struct attributes *wanted, const int *number, int left)
{
  int code = *number;
  bool indexed = left >= 3 && number[1] == 5 && number[2] < 256;
  if (code == 0) *wanted = plain;
  else if (code <= 8) wanted->flags |= 1u << code;
  else if (code == 10) return 0; /* the usual font */
  else if (code == 22) wanted->flags &= ~(unsigned)(FLAG_BOLD | FLAG_DIM);
  else if (code >= 23 && code <= 28) wanted->flags &= ~(1u << (code - 20));
  else if (code >= 30 && code <= 37) wanted->fg = code - 30;
  else if (code == 39) wanted->fg = COLOR_NONE;
  else if (code >= 40 && code <= 47) wanted->bg = code - 40;
  else if (code == 49) wanted->bg = COLOR_NONE;
  else if (code >= 90 && code <= 97) wanted->fg = code - 90 + 8;
  else if (code >= 100 && code <= 107) wanted->bg = code - 100 + 8;
  else if ((code == 38 || code == 48) && indexed) *(code == 38 ? &wanted->fg : &wanted->bg) = number[2];
  else return -1;
  return code == 38 || code == 48 ? 2 : 0;
}

/* "ESC [ ... m". False: not understood. */
static bool take_attributes(struct squeeze *squeeze, const char *at, const char *end)
{
  int number[PARAMETERS_MAX], count = parameters(number, at, end);
  struct attributes wanted = squeeze->wanted;
  if (count < 0) return false;
  for (int i = 0; i < count; i++) {
    int more = take_parameter(&wanted, &number[i], count - i);
    if (more < 0) return false;
    i += more;
  }
  squeeze->wanted = wanted;
  squeeze->chosen = true;
  return true;
}

/* Handles "ESC [ ...": cursor, erasing, attributes. Returns its length; 0: unknown. */
static size_t take_control(struct squeeze *squeeze, const char *at, const char *end)
{
  const char *final = at + 2;
  while (final < end && (unsigned char)*final < 0x40) final++;
  if (final == end) return 0;
  size_t bytes = (size_t)(final - at) + 1;
  if (*final == 'm') {
    if (!take_attributes(squeeze, at + 2, final)) return 0;
    /* On a VT100 this byte belongs to "no attributes". */
    return final + 1 < end && final[1] == SHIFT_IN ? bytes + 1 : bytes;
  }
  if (strchr("@JKLMPSTX", *final) != NULL) send_for_blank(squeeze);
  emit(squeeze, at, bytes);
  return bytes;
}

/* Length of a sequence that begins with ESC; 0: unknown. */
static size_t take_escape(struct squeeze *squeeze, const char *at, const char *end)
{
  if (end - at >= 2 && at[1] == '[') return take_control(squeeze, at, end);
  if (end - at >= 3 && at[1] == '(' && at[2] == 'B') {
    if (!squeeze->charset) emit(squeeze, at, 3);
    squeeze->charset = true;
    return 3;
  }
  if (end - at >= 2 && at[1] == 'M') { /* Moves one row up, which may insert a blank row. */
    send_for_blank(squeeze);
    emit(squeeze, at, 2);
    return 2;
  }
  return 0;
}

static size_t take(struct squeeze *squeeze, const char *at, const char *end)
{
  if (*at == ESCAPE) return take_escape(squeeze, at, end);
  if (*at == ' ' || *at == '\n') send_for_blank(squeeze); /* a row may come from below */
  else if ((unsigned char)*at > ' ') send_wanted(squeeze);
  else if (strchr("\r\n\b\t", *at) == NULL || *at == '\0') return 0;
  emit(squeeze, at, 1);
  return 1;
}

size_t screen_squeeze(char *out, size_t out_bytes, const char *bytes, size_t count)
{
  struct squeeze squeeze = { .out = out, .room = out_bytes, .sent = plain, .wanted = plain };
  for (size_t at = 0; at < count && !squeeze.opaque;) {
    size_t taken = take(&squeeze, bytes + at, bytes + count);
    squeeze.opaque = taken == 0;
    if (squeeze.opaque) {
      send_wanted(&squeeze);
      emit(&squeeze, bytes + at, count - at);
    }
    at += taken;
  }
  if (!squeeze.opaque) send_wanted(&squeeze);
  return squeeze.full ? 0 : squeeze.used;
}
