/* SPDX-License-Identifier: MIT */
/* Open and closed nodes, by key. */
#include "tree_choices.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <uthash.h>

enum { TREE_NEAR_KEYS = 1 << 20 };

struct tree_choice {
  uint64_t key;
  bool open;
  UT_hash_handle hh;
};

int rtop_tree_choice(const struct rtop_tree_choices *choices, uint64_t key)
{
  struct tree_choice *choice;
  if (key < TREE_NEAR_KEYS) return key < choices->near_capacity ? choices->near[key] : RTOP_TREE_UNDECIDED;
  HASH_FIND(hh, choices->table, &key, sizeof key, choice);
  return !choice ? RTOP_TREE_UNDECIDED : choice->open ? RTOP_TREE_OPEN : RTOP_TREE_CLOSED;
}

void rtop_tree_choose(struct rtop_tree_choices *choices, uint64_t key, bool open)
{
  struct tree_choice *choice;
  if (key < TREE_NEAR_KEYS) {
    if (rtop_reserve(&choices->near, &choices->near_capacity, (size_t)key + 1, sizeof *choices->near))
      choices->near[key] = open ? RTOP_TREE_OPEN : RTOP_TREE_CLOSED;
    return;
  }
  HASH_FIND(hh, choices->table, &key, sizeof key, choice);
  if (!choice) {
    choice = calloc(1, sizeof *choice);
    if (!choice) return;
    choice->key = key;
    HASH_ADD(hh, choices->table, key, sizeof choice->key, choice);
  }
  choice->open = open;
}

void rtop_tree_choices_clear(struct rtop_tree_choices *choices)
{
  struct tree_choice *choice = choices->table, *next;
  free(choices->near);
  choices->near = NULL;
  choices->near_capacity = 0;
  HASH_CLEAR(hh, choices->table);
  for (; choice; choice = next) {
    next = choice->hh.next;
    free(choice);
  }
}
