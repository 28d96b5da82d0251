/* SPDX-License-Identifier: MIT */
/* Names of thread states (states.def). An unknown state is "?" and ' '.
 *
 * Threads: any. Nothing allocates.
 */
#ifndef RTOP_TUI_STATES_H
#define RTOP_TUI_STATES_H

#include "tui/history/profile.h"

/* Further descriptions of threads on the screen. */
enum thread_word {
#define THREAD_STATE(id, word, help) THREAD_##id,
#include "states.def"
  THREAD_WORDS
};

const char *state_word(enum rtop_state state); /* "run", on the screen */
char state_sign(enum rtop_state state);        /* '|' */
const char *state_key(enum rtop_state state);  /* "running", in JSON and pprof */
/* Returns a phrase such as "waiting for the GVL", for exports that people read. */
const char *state_name(enum rtop_state state);
const char *state_does(enum rtop_state state); /* "waits for the GVL", of a thread */
const char *state_help(enum rtop_state state);

const char *thread_word(enum thread_word word); /* "quiet" */
const char *thread_word_help(enum thread_word word);

#endif
