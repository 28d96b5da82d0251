/* SPDX-License-Identifier: MIT */
/* What a lens makes of a single frame, whatever its caller. Private to lens.c. */
#ifndef RTOP_TUI_LENS_FRAMES_H
#define RTOP_TUI_LENS_FRAMES_H

#include "lens.h"
#include <stddef.h>

struct rtop_patterns;

enum { LENS_OWN_MAX = 8 };

struct lens_frame {
  bool hidden;
  bool whole;     /* stands for a class or gem, within which lines and calls are not shown */
  uint32_t frame; /* as which it is shown */
};

struct lens_frames {
  struct rtop_symbols *symbols;
  const struct rtop_lens_look *look;
  struct rtop_patterns *patterns; /* of look->exclude; NULL: none. Owned */
  char *own[LENS_OWN_MAX];        /* folders, with a slash at the end */
  int own_count;
  struct lens_answer {
    uint8_t known, hidden, whole;
    uint32_t frame;
  } * answers; /* by frame */
  size_t capacity;
};

/* Returns the frame that is shown for a frame. `line`: the executed line, used where lines are shown separately. */
struct lens_frame lens_frames_get(struct lens_frames *frames, uint32_t frame, uint32_t line);
/* Returns the frame "key=value" for a key of a label set; 0: the set lacks the key, or there is no room. */
uint32_t lens_frames_tag(struct lens_frames *frames, uint32_t set, const char *key, size_t key_bytes);
bool lens_frames_is_mine(const struct lens_frames *frames, const struct rtop_symbol *symbol);
/* Adds a working directory. False when it is known already or useless, or when there is no room. */
bool lens_frames_own(struct lens_frames *frames, const char *folder);
void lens_frames_forget(struct lens_frames *frames);
void lens_frames_destroy(struct lens_frames *frames);

#endif
