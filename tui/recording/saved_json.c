/* SPDX-License-Identifier: MIT */
/* Reads JSON with jansson, whose memory is charged to the file's budget. */
#include "saved_json.h"

#include "shm/base/error.h"
#include "tui/text/budget.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

struct saved_text {
  int fd;
  uint64_t left;
};

/* jansson's functions know of no context. */
static struct rtop_budget *saved_budget;

static void *saved_malloc(size_t bytes)
{
  void *memory = malloc(bytes);
  if (!memory || rtop_budget_spend(saved_budget, RTOP_BUDGET_MEMORY, malloc_usable_size(memory) + sizeof(size_t)))
    return memory;
  free(memory);
  return NULL;
}

/* realloc() frees the smaller block through this function as well. */
static void saved_free(void *memory)
{
  if (memory) saved_budget->spent[RTOP_BUDGET_MEMORY] -= malloc_usable_size(memory) + sizeof(size_t);
  free(memory);
}

static size_t saved_more(void *buffer, size_t room, void *context)
{
  struct saved_text *text = context;
  ssize_t got;
  if (room > text->left) room = (size_t)text->left;
  do got = read(text->fd, buffer, room);
  while (got < 0 && errno == EINTR);
  if (got < 0) return (size_t)-1;
  text->left -= (uint64_t)got;
  return (size_t)got;
}

json_t *rtop_saved_json(int fd, uint64_t bytes, const char *path, struct rtop_error *error)
{
  struct saved_text text = { fd, bytes };
  struct rtop_budget budget = { .source_bytes = bytes };
  json_malloc_t usual_malloc;
  json_free_t usual_free;
  json_error_t problem;
  char why[128];
  saved_budget = &budget;
  json_get_alloc_funcs(&usual_malloc, &usual_free);
  json_set_alloc_funcs(saved_malloc, saved_free);
  json_t *saved = json_load_callback(saved_more, &text, JSON_REJECT_DUPLICATES, &problem);
  json_set_alloc_funcs(usual_malloc, usual_free);
  saved_budget = NULL;
  if (saved) return saved;
  rtop_budget_say(budget.limit, bytes, why, sizeof why);
  if (budget.over) rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "%s %s", path, why);
  else rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s is damaged near line %d", path, problem.line);
  return NULL;
}
