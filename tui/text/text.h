/* SPDX-License-Identifier: MIT */
/* Makes text from other processes safe, and measures text: UTF-8 repair, display width, cutting, units.
 *
 * Names, paths, thread names and command lines come from other processes and are hostile. They are sanitised once,
 * where they enter the viewer (symbols, target), so they are safe wherever they are written: on the screen, in batch
 * output, in files.
 *
 * Threads: no shared state. Nothing allocates.
 */
#ifndef RTOP_TUI_TEXT_H
#define RTOP_TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies `count` arbitrary bytes to `out` as valid UTF-8 without control characters: C0, DEL, C1, bidirectional
 * controls, line and paragraph separators, zero-width and other format characters and invalid bytes become '?' (tab
 * becomes a space); runs of combining marks are capped. Output is NUL-terminated and at most out_bytes - 1 bytes, never
 * cut inside a character. Returns its length. */
size_t rtop_text_sanitize(char *out, size_t out_bytes, const char *bytes, size_t count);

/* Number of columns of a sanitised string on a terminal (wcwidth; ambiguous width is 1). */
int rtop_text_width(const char *text);

/* Copies at most `columns` columns, marking a cut by '~': at the end (cut) or at the start (cut_left,
 * for paths: their end matters). A wide character is never halved. Returns the columns used. */
int rtop_text_cut(char *out, size_t out_bytes, const char *text, int columns);
int rtop_text_cut_left(char *out, size_t out_bytes, const char *text, int columns);

/* The part of a host's name that tells it from others nearby: "web1" of "deploy@web1.example.org"; addresses are left whole.
 * Returns its beginning, and its length in *bytes. */
const char *rtop_text_host(const char *host, int *bytes);

/* A percentage as it reads with one decimal, in tenths. */
double rtop_text_tenths(double percent);
/* Format a count: "38.2k", "1.4M", at most 5 columns; a time: "412 ms", "1.50 s", "2 m 14 s", at most 8
   columns; bytes: "412M". */
void rtop_text_count(char *out, size_t out_bytes, double count);
void rtop_text_duration(char *out, size_t out_bytes, int64_t nanoseconds);
void rtop_text_bytes(char *out, size_t out_bytes, uint64_t bytes);

/* Case-insensitive search for a literal in sanitised text (ASCII case only). */
bool rtop_text_contains(const char *text, const char *needle);

/* A text that is built piece by piece. Where it does not fit, it is cut after a whole character and ends with "~". */
struct phrase {
  char *out;
  size_t bytes, used; /* bytes: size of the buffer; used: length of the text, larger than `bytes` when it was cut */
};
__attribute__((format(printf, 2, 3))) void phrase_add(struct phrase *phrase, const char *format, ...);

#endif
