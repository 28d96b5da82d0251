/* SPDX-License-Identifier: MIT */
/* Reads and writes sets of labels as text. */
#include "label_text.h"
#include "pattern.h"
#include "utf8.h"

#include <string.h>

static bool is_escaped(char c, bool key)
{
  return c == ',' || c == '\\' || (key && c == '=');
}

static size_t write_part(const char *from, size_t bytes, bool key, char *out)
{
  size_t used = 0;
  for (size_t i = 0; i < bytes; i++) {
    if (is_escaped(from[i], key)) out[used++] = '\\';
    out[used++] = from[i];
  }
  return used;
}

size_t rtop_label_text_write(const struct rtop_label *labels, size_t count, char *out, size_t out_bytes)
{
  char one[2 * (RTOP_LABEL_KEY_MAX + RTOP_LABEL_VALUE_MAX) + 2];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    size_t bytes = 0;
    if (used > 0) one[bytes++] = ',';
    size_t key = rtop_utf8_cut(labels[i].key, labels[i].key_bytes, RTOP_LABEL_KEY_MAX);
    size_t value = rtop_utf8_cut(labels[i].value, labels[i].value_bytes, RTOP_LABEL_VALUE_MAX);
    bytes += write_part(labels[i].key, key, true, one + bytes);
    one[bytes++] = '=';
    bytes += write_part(labels[i].value, value, false, one + bytes);
    if (bytes > out_bytes - used) break;
    memcpy(out + used, one, bytes);
    used += bytes;
  }
  return used;
}

/* Copies the text up to the end of the key or value; returns the position of this end. */
static size_t read_part(const char *text, size_t bytes, size_t at, bool key, char *out, size_t limit)
{
  size_t used = 0;
  for (; at < bytes && text[at] != ',' && !(key && text[at] == '='); at++) {
    if (text[at] == '\\' && at + 1 < bytes) at++;
    if (used < limit) out[used++] = text[at];
  }
  out[used] = '\0';
  return at;
}

bool rtop_label_text_next(const char *text, size_t bytes, size_t *at, struct rtop_label_buffer *label)
{
  if (*at >= bytes) return false;
  size_t end = read_part(text, bytes, *at, true, label->key, RTOP_LABEL_KEY_MAX);
  label->value[0] = '\0';
  if (end < bytes && text[end] == '=') end = read_part(text, bytes, end + 1, false, label->value, RTOP_LABEL_VALUE_MAX);
  *at = end + 1;
  return true;
}

bool rtop_label_text_fits(const char *text, size_t bytes, const char *wanted)
{
  const char *equals = strchr(wanted, '=');
  size_t key_bytes = equals ? (size_t)(equals - wanted) : strlen(wanted);
  const char *glob = equals ? equals + 1 : "*";
  struct rtop_label_buffer label;
  for (size_t at = 0; rtop_label_text_next(text, bytes, &at, &label);)
    if (strlen(label.key) == key_bytes && memcmp(label.key, wanted, key_bytes) == 0)
      return rtop_pattern_glob(glob, strlen(glob), label.value, strlen(label.value));
  return false;
}
