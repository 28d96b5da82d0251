/* SPDX-License-Identifier: MIT */
/* Turns values into text with functions of the VM that call no methods. */
#include "value_text.h"

#include <math.h>
#include <ruby/encoding.h>
#include <ruby/util.h>
#include <stdint.h>
#include <string.h>

#define CUT "…"

enum { CUT_BYTES = sizeof CUT - 1, VALUE_BYTES = 64, NUMBER_BYTES = 48, DIGITS_SAFE = 15, DIGITS_MOST = 17 };

void value_text_begin(struct value_text *text, char *out, size_t bytes)
{
  *text = (struct value_text){ .out = out, .room = bytes - CUT_BYTES };
}

void value_text_add(struct value_text *text, const char *bytes, size_t count)
{
  if (text->cut || count > text->room - text->used) {
    text->cut = true;
    return;
  }
  memcpy(text->out + text->used, bytes, count);
  text->used += count;
}

size_t value_text_end(struct value_text *text)
{
  if (text->cut) memcpy(text->out + text->used, CUT, CUT_BYTES);
  return text->used + (text->cut ? CUT_BYTES : 0);
}

static void add_words(struct value_text *text, const char *words)
{
  value_text_add(text, words, strlen(words));
}

/* ---- characters -------------------------------------------------------------------------------------- */

/* Returns the length in bytes of the character at `at` if it needs no escape; else 0. */
static size_t plain_bytes(const char *at, const char *end, bool utf8)
{
  unsigned char byte = (unsigned char)*at;
  if (byte < 0x80) return byte >= 0x20 && byte != 0x7f;
  int found = utf8 ? rb_enc_precise_mbclen(at, end, rb_utf8_encoding()) : 0;
  return utf8 && MBCLEN_CHARFOUND_P(found) ? (size_t)MBCLEN_CHARFOUND_LEN(found) : 0;
}

static void add_escaped(struct value_text *text, unsigned char byte)
{
  static const char letters[] = "\n\t\r\033\"\\", names[] = "ntre\"\\";
  const char *letter = byte ? strchr(letters, byte) : NULL;
  char escaped[8];
  if (letter) snprintf(escaped, sizeof escaped, "\\%c", names[letter - letters]);
  else snprintf(escaped, sizeof escaped, "\\x%02X", (unsigned)byte);
  add_words(text, escaped);
}

/* Adds the characters of one value. A long value is cut, never within a multibyte character, so that the other values
 * have room. */
static void add_characters(struct value_text *text, const char *bytes, size_t count, bool utf8, bool quoted)
{
  size_t room = text->room, most = text->used + VALUE_BYTES;
  bool bound = most < room;
  if (bound) text->room = most;
  for (const char *at = bytes, *end = bytes + count; at < end && !text->cut;) {
    size_t length = quoted && (*at == '"' || *at == '\\') ? 0 : plain_bytes(at, end, utf8);
    if (length) value_text_add(text, at, length);
    else add_escaped(text, (unsigned char)*at);
    at += length ? length : 1;
  }
  text->room = room;
  if (!bound || !text->cut) return;
  text->cut = false;
  value_text_add(text, CUT, CUT_BYTES);
}

static void add_string(struct value_text *text, VALUE string)
{
  rb_encoding *encoding = rb_enc_get(string);
  bool utf8 = encoding == rb_utf8_encoding() || encoding == rb_usascii_encoding();
  char size[NUMBER_BYTES];
  if (!rb_enc_asciicompat(encoding)) {
    snprintf(size, sizeof size, "String(%ld bytes)", RSTRING_LEN(string));
    add_words(text, size);
    return;
  }
  add_words(text, "\"");
  add_characters(text, RSTRING_PTR(string), (size_t)RSTRING_LEN(string), utf8, true);
  add_words(text, "\"");
}

/* Tells whether the symbol could be written without quotes; recognises the common cases only. */
static bool is_word(const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    bool last = i == count - 1 && i > 0 && (byte == '?' || byte == '!' || byte == '=');
    bool digit = byte >= '0' && byte <= '9' && i > 0, letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    if (!letter && !digit && !last && byte != '_' && byte < 0x80) return false;
  }
  return count > 0;
}

static void add_symbol(struct value_text *text, VALUE symbol)
{
  VALUE name = rb_sym2str(symbol);
  add_words(text, ":");
  if (is_word(RSTRING_PTR(name), (size_t)RSTRING_LEN(name)) && rb_enc_asciicompat(rb_enc_get(name)))
    add_characters(text, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), rb_enc_get(name) == rb_utf8_encoding(), false);
  else add_string(text, name);
}

void value_text_name(struct value_text *text, ID name)
{
  VALUE string = rb_id2str(name);
  if (!RB_TYPE_P(string, T_STRING)) return;
  add_characters(text, RSTRING_PTR(string), (size_t)RSTRING_LEN(string), true, false);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* Writes a float with the fewest digits that read back as the same number. */
static void add_float(struct value_text *text, double number)
{
  char digits[NUMBER_BYTES];
  if (isnan(number) || isinf(number)) {
    add_words(text, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
    return;
  }
  for (int count = DIGITS_SAFE; count <= DIGITS_MOST; count++) {
    snprintf(digits, sizeof digits, "%.*g", count, number);
    if (ruby_strtod(digits, NULL) == number) break;
  }
  add_words(text, digits);
  if (!strpbrk(digits, ".e")) add_words(text, ".0");
}

/* Writes an integer in full if it fits into 64 bits, as ids often do; else writes its size. */
static void add_big(struct value_text *text, VALUE number)
{
  int zeros;
  size_t bytes = rb_absint_size(number, &zeros);
  char words[NUMBER_BYTES];
  uint64_t word = 0;
  if (bytes <= sizeof word) {
    int sign =
        rb_integer_pack(number, &word, 1, sizeof word, 0, INTEGER_PACK_LSWORD_FIRST | INTEGER_PACK_NATIVE_BYTE_ORDER);
    snprintf(words, sizeof words, "%s%lu", sign < 0 ? "-" : "", (unsigned long)word);
  } else {
    snprintf(words, sizeof words, "Integer(%lu bits)", (unsigned long)(bytes * 8) - (unsigned long)zeros);
  }
  add_words(text, words);
}

static void add_fixed(struct value_text *text, long number)
{
  char digits[NUMBER_BYTES];
  snprintf(digits, sizeof digits, "%ld", number);
  add_words(text, digits);
}

/* ---- objects ----------------------------------------------------------------------------------------- */

static void add_class_name(struct value_text *text, VALUE object)
{
  VALUE class = rb_obj_class(object), name = class ? rb_mod_name(class) : Qnil;
  if (RB_TYPE_P(name, T_STRING)) add_characters(text, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), true, false);
  else add_words(text, "#<Class>");
}

static void add_sized(struct value_text *text, VALUE object, size_t size)
{
  char count[NUMBER_BYTES];
  add_class_name(text, object);
  snprintf(count, sizeof count, "(%lu)", (unsigned long)size);
  add_words(text, count);
}

static void add_object(struct value_text *text, VALUE object)
{
  add_words(text, "#<");
  add_class_name(text, object);
  add_words(text, ">");
}

static void add_heap(struct value_text *text, VALUE value)
{
  switch (CLASS_OF(value) ? RB_BUILTIN_TYPE(value) : T_NONE) {
  case T_STRING: add_string(text, value); break;
  case T_BIGNUM: add_big(text, value); break;
  case T_ARRAY: add_sized(text, value, (size_t)RARRAY_LEN(value)); break;
  case T_HASH: add_sized(text, value, RHASH_SIZE(value)); break;
  case T_OBJECT:
  case T_CLASS:
  case T_MODULE:
  case T_DATA:
  case T_STRUCT:
  case T_FILE:
  case T_REGEXP:
  case T_MATCH:
  case T_RATIONAL:
  case T_COMPLEX: add_object(text, value); break;
  default: add_words(text, "?"); break; /* an object of the VM's own */
  }
}

void value_text_value(struct value_text *text, VALUE value)
{
  if (RB_FIXNUM_P(value)) add_fixed(text, FIX2LONG(value));
  else if (RB_FLOAT_TYPE_P(value)) add_float(text, RFLOAT_VALUE(value));
  else if (RB_SYMBOL_P(value)) add_symbol(text, value);
  else if (value == Qnil) add_words(text, "nil");
  else if (value == Qtrue || value == Qfalse) add_words(text, value == Qtrue ? "true" : "false");
  else if (RB_SPECIAL_CONST_P(value)) add_words(text, "?"); /* a variable that is not set yet */
  else add_heap(text, value);
}
