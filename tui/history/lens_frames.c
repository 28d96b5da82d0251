/* SPDX-License-Identifier: MIT */
/* Computes for one frame whether it is hidden, the frame into which it is merged, and its name. */
#include "lens_frames.h"

#include "shm/base/label_text.h"
#include "shm/base/pattern.h"
#include "tui/text/reserve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENS_TEXT_MAX = 4200 };

/* Returns the part of the path below a process's working directory; the whole path when it is not below one. */
static const char *below_own(const struct lens_frames *frames, const char *path)
{
  for (int i = 0; i < frames->own_count; i++) {
    size_t bytes = strlen(frames->own[i]);
    if (strncmp(path, frames->own[i], bytes) == 0 && path[bytes]) return path + bytes;
  }
  return path;
}

static enum rtop_origin origin_of(const struct lens_frames *frames, const struct rtop_symbol *symbol,
                                  struct rtop_gem_name *gem)
{
  const char *path = below_own(frames, symbol->path);
  return rtop_origin_of_path(path, strlen(path), gem);
}

bool lens_frames_is_mine(const struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  return origin_of(frames, symbol, NULL) == RTOP_ORIGIN_APPLICATION;
}

static bool excluded(const struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  struct rtop_pattern_frame frame = {
    .label = symbol->label,
    .path = symbol->path,
    .namespace_label = symbol->namespace_label,
    .label_bytes = strlen(symbol->label),
    .path_bytes = strlen(symbol->path),
    .namespace_bytes = strlen(symbol->namespace_label),
    .is_c = symbol->kind == RTOP_SYMBOL_C,
  };
  return frames->patterns && rtop_patterns_match(frames->patterns, &frame);
}

/* Is it a method of Ruby itself? Ruby versions differ in which of these methods are in C and which in Ruby. */
static bool is_of_ruby(const struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_C || origin_of(frames, symbol, NULL) == RTOP_ORIGIN_CORE;
}

static bool hidden(const struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  if (rtop_symbol_is_labels(symbol)) return !frames->look->labels && frames->look->merge != RTOP_MERGE_LABEL;
  /* a frame of the profiler: it is no code, but its time is known */
  if (symbol->kind == RTOP_SYMBOL_SPECIAL) return false;
  if (frames->look->no_c && is_of_ruby(frames, symbol)) return true;
  if (frames->look->only_mine && !lens_frames_is_mine(frames, symbol)) return true;
  return excluded(frames, symbol);
}

static uint32_t made_up(struct lens_frames *frames, const char *label, const char *path, const char *space)
{
  return rtop_symbols_frame(frames->symbols, label, strlen(label), path, strlen(path), space, strlen(space), 0,
                            RTOP_SYMBOL_GROUP);
}

static uint32_t class_frame(struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  char label[LENS_TEXT_MAX];
  const char *space = symbol->namespace_label;
  snprintf(label, sizeof label, "%s%s", *space ? space : "(no class)", *space ? " (class)" : "");
  return made_up(frames, label, "", space);
}

/* Short path: "activerecord-7.1.3/lib/active_record/base.rb", or "json/common.rb" for the standard library. */
static const char *short_path(const struct lens_frames *frames, const char *path)
{
  const char *own = below_own(frames, path), *found = NULL;
  if (own != path) return own;
  for (const char *at = strstr(path, "/gems/"); at; at = strstr(at + 1, "/gems/")) found = at + strlen("/gems/");
  if (found) return found;
  for (const char *at = strstr(path, "/ruby/"); at && !found; at = strstr(at + 1, "/ruby/"))
    found = strchr(at + strlen("/ruby/"), '/');
  return found && found[1] ? found + 1 : path;
}

static uint32_t file_frame(struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  char folder[LENS_TEXT_MAX];
  if (!symbol->path[0]) return made_up(frames, "(C functions)", "", "");
  const char *label = short_path(frames, symbol->path), *slash = strrchr(label, '/');
  snprintf(folder, sizeof folder, "%.*s", slash && slash > label ? (int)(slash - label) : 0, label);
  return made_up(frames, label, symbol->path, folder);
}

static uint32_t gem_frame(struct lens_frames *frames, const struct rtop_symbol *symbol)
{
  char label[LENS_TEXT_MAX];
  struct rtop_gem_name gem;
  switch (origin_of(frames, symbol, &gem)) {
  case RTOP_ORIGIN_GEM:
    snprintf(label, sizeof label, "gem %.*s", (int)gem.bytes, gem.text);
    return made_up(frames, label, "", "");
  case RTOP_ORIGIN_STDLIB: return made_up(frames, "standard library", "", "");
  case RTOP_ORIGIN_CORE: return made_up(frames, "Ruby itself", "", "");
  case RTOP_ORIGIN_APPLICATION: break;
  }
  return made_up(frames, "application", "", "");
}

static uint32_t line_frame(struct lens_frames *frames, const struct rtop_symbol *symbol, uint32_t line)
{
  char label[2 * LENS_TEXT_MAX];
  snprintf(label, sizeof label, "%s:%u", symbol->label, line);
  return rtop_symbols_frame(frames->symbols, label, strlen(label), symbol->path, strlen(symbol->path),
                            symbol->namespace_label, strlen(symbol->namespace_label), line, symbol->kind);
}

static uint32_t merged(struct lens_frames *frames, uint32_t frame, const struct rtop_symbol *symbol)
{
  uint32_t found = 0;
  if (symbol->kind == RTOP_SYMBOL_SPECIAL || symbol->kind == RTOP_SYMBOL_GROUP) return frame;
  switch (frames->look->merge) {
  case RTOP_MERGE_CLASS: found = class_frame(frames, symbol); break;
  case RTOP_MERGE_FILE: found = file_frame(frames, symbol); break;
  case RTOP_MERGE_GEM: found = gem_frame(frames, symbol); break;
  case RTOP_MERGE_LABEL: found = made_up(frames, "(no labels)", "", ""); break;
  case RTOP_MERGE_METHOD:
  case RTOP_MERGE_LINE:
  case RTOP_MERGES: break;
  }
  return found ? found : frame; /* there is no room for another frame: this one is shown unmerged */
}

static struct lens_answer answer_of(struct lens_frames *frames, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(frames->symbols, frame);
  enum rtop_merge merge = frames->look->merge;
  struct lens_answer answer = { .known = true, .hidden = hidden(frames, symbol), .frame = frame };
  if (!answer.hidden) answer.frame = merged(frames, frame, symbol);
  answer.whole =
      answer.frame != frame && (merge == RTOP_MERGE_CLASS || merge == RTOP_MERGE_GEM || merge == RTOP_MERGE_LABEL);
  return answer;
}

struct lens_frame lens_frames_get(struct lens_frames *frames, uint32_t frame, uint32_t line)
{
  struct lens_answer answer = { 0 };
  bool room = rtop_reserve(&frames->answers, &frames->capacity, rtop_symbols_frame_count(frames->symbols),
                           sizeof *frames->answers);
  if (room && frame < frames->capacity) answer = frames->answers[frame];
  if (!answer.known) {
    answer = answer_of(frames, frame);
    if (frame < frames->capacity) frames->answers[frame] = answer;
  }
  struct lens_frame shown = { answer.hidden, answer.whole, answer.frame };
  const struct rtop_symbol *symbol = rtop_symbols_get(frames->symbols, frame);
  if (frames->look->merge == RTOP_MERGE_LINE && !shown.hidden && symbol->kind == RTOP_SYMBOL_RUBY && line) {
    uint32_t of_line = line_frame(frames, symbol, line);
    shown.frame = of_line ? of_line : frame;
  }
  return shown;
}

uint32_t lens_frames_tag(struct lens_frames *frames, uint32_t set, const char *key, size_t key_bytes)
{
  const char *text = rtop_symbols_get(frames->symbols, set)->label;
  char name[RTOP_LABEL_KEY_MAX + 1 + RTOP_LABEL_VALUE_MAX + 1];
  struct rtop_label_buffer label;
  for (size_t at = 0; rtop_label_text_next(text, strlen(text), &at, &label);) {
    if (strlen(label.key) != key_bytes || memcmp(label.key, key, key_bytes) != 0) continue;
    snprintf(name, sizeof name, "%s=%s", label.key, label.value);
    return made_up(frames, name, "", "");
  }
  return 0;
}

bool lens_frames_own(struct lens_frames *frames, const char *folder)
{
  char text[LENS_TEXT_MAX];
  size_t bytes = strlen(folder);
  if (bytes < 2 || folder[0] != '/' || bytes + 2 > sizeof text || frames->own_count == LENS_OWN_MAX) return false;
  snprintf(text, sizeof text, "%s%s", folder, folder[bytes - 1] == '/' ? "" : "/");
  for (int i = 0; i < frames->own_count; i++)
    if (strcmp(frames->own[i], text) == 0) return false;
  frames->own[frames->own_count] = strdup(text);
  frames->own_count += frames->own[frames->own_count] != NULL;
  return true;
}

void lens_frames_forget(struct lens_frames *frames)
{
  if (frames->answers) memset(frames->answers, 0, frames->capacity * sizeof *frames->answers);
}

void lens_frames_destroy(struct lens_frames *frames)
{
  rtop_patterns_destroy(&frames->patterns);
  for (int i = 0; i < frames->own_count; i++) free(frames->own[i]);
  free(frames->answers);
}
