/* SPDX-License-Identifier: MIT */
/* Adds figures of work up by process and key. */
#include "doctor_work.h"

#include "shm/base/label_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 8 }; /* limit of keys per process; work with further keys is not counted */

struct work_kind {
  char key[RTOP_LABEL_KEY_MAX + 1];
  struct work_figures figures;
};

struct work_process {
  struct work_kind *kinds[KEYS_MAX];
};

struct doctor_work {
  struct work_process of[RTOP_SOURCES_MAX];
  struct work_numbers numbers;
};

struct work_walk {
  struct doctor_work *work;
  const struct rtop_symbols *symbols;
  struct work_figures *figures; /* figures of the label of adjacent numbers */
  uint32_t source, node, label;
  bool failed;
};

struct doctor_work *doctor_work_create(void)
{
  return calloc(1, sizeof(struct doctor_work));
}

static void forget(struct doctor_work *work)
{
  for (size_t i = 0; i < RTOP_SOURCES_MAX; i++)
    for (size_t at = 0; at < KEYS_MAX; at++) {
      free(work->of[i].kinds[at]);
      work->of[i].kinds[at] = NULL;
    }
  work_numbers_clear(&work->numbers);
}

void doctor_work_destroy(struct doctor_work **work)
{
  if (!*work) return;
  forget(*work);
  work_numbers_destroy(&(*work)->numbers);
  free(*work);
  *work = NULL;
}

/* Returns the figures of a kind of work. NULL: the process has too many kinds, or memory ran out. */
static struct work_figures *kind_of(struct work_walk *walk, uint32_t source, const char *key)
{
  struct work_kind **kinds = walk->work->of[source].kinds;
  size_t at = 0;
  while (at < KEYS_MAX && kinds[at] && strcmp(kinds[at]->key, key) != 0) at++;
  if (at == KEYS_MAX) return NULL;
  if (!kinds[at]) {
    kinds[at] = calloc(1, sizeof *kinds[at]);
    if (!kinds[at]) {
      walk->failed = true;
      return NULL;
    }
    snprintf(kinds[at]->key, sizeof kinds[at]->key, "%s", key);
  }
  return &kinds[at]->figures;
}

static struct work_figures *figures_of(struct work_walk *walk, uint32_t source, uint32_t node, uint32_t label)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(walk->symbols, rtop_symbols_get_node(walk->symbols, node)->frame);
  struct rtop_label_buffer text;
  size_t at = 0;
  if (source >= RTOP_SOURCES_MAX || !rtop_symbol_is_labels(symbol)) return NULL;
  for (uint32_t place = 0; rtop_label_text_next(symbol->label, strlen(symbol->label), &at, &text); place++)
    if (place == label) return kind_of(walk, source, text.key);
  return NULL;
}

static void take(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct work_walk *walk = context;
  uint32_t label = rtop_work_key_label(number->key);
  if (!work_is(number->what) || walk->failed) return;
  if (source != walk->source || number->node != walk->node || label != walk->label) {
    walk->figures = figures_of(walk, source, number->node, label);
    walk->source = source;
    walk->node = number->node;
    walk->label = label;
  }
  if (walk->figures && !work_numbers_add(&walk->work->numbers, walk->figures, source, number)) walk->failed = true;
}

bool doctor_work_update(struct doctor_work *work, struct rtop_profile *profile, struct rtop_span span)
{
  struct work_walk walk = { .work = work, .symbols = rtop_profile_symbols(profile), .node = UINT32_MAX };
  forget(work);
  rtop_profile_each_exact(profile, span, take, &walk);
  work_numbers_finish(&work->numbers);
  return !walk.failed;
}

const struct work_figures *doctor_work_of(const struct doctor_work *work, uint32_t source)
{
  const struct work_figures *most = NULL;
  for (size_t i = 0; source < RTOP_SOURCES_MAX && i < KEYS_MAX && work->of[source].kinds[i]; i++) {
    const struct work_figures *figures = &work->of[source].kinds[i]->figures;
    if (!most || figures->of[RTOP_WORK_WHOLE].sum_ns > most->of[RTOP_WORK_WHOLE].sum_ns) most = figures;
  }
  return most;
}
