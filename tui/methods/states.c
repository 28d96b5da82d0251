/* SPDX-License-Identifier: MIT */
/* Reads the table of states. */
#include "states.h"

static const struct {
  char sign;
  const char *word, *key, *name, *does, *help;
} states[] = {
#define STATE(id, word, sign, key, name, face, does, help) [RTOP_STATE_##id] = { sign, word, key, name, does, help },
#include "states.def"
};
_Static_assert(sizeof states / sizeof states[0] == RTOP_STATES, "every state has a row");

static const struct {
  const char *word, *help;
} words[THREAD_WORDS] = {
#define THREAD_STATE(id, word, help) [THREAD_##id] = { word, help },
#include "states.def"
};

const char *state_word(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].word : "?";
}

char state_sign(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].sign : ' ';
}

const char *state_key(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].key : "?";
}

const char *state_name(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].name : "?";
}

const char *state_does(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].does : "?";
}

const char *state_help(enum rtop_state state)
{
  return state < RTOP_STATES ? states[state].help : "?";
}

const char *thread_word(enum thread_word word)
{
  return word < THREAD_WORDS ? words[word].word : "?";
}

const char *thread_word_help(enum thread_word word)
{
  return word < THREAD_WORDS ? words[word].help : "?";
}
