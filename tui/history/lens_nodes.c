/* Pages of answers. */
#include "lens_nodes.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { LENS_PAGE = 256 };

uint32_t *lens_nodes_at(struct lens_nodes *nodes, uint32_t node, size_t *bytes)
{
  size_t page = node / LENS_PAGE, before = nodes->capacity;
  if (!rtop_reserve(&nodes->pages, &nodes->capacity, page + 1, sizeof *nodes->pages)) return NULL;
  *bytes += (nodes->capacity - before) * sizeof *nodes->pages;
  if (!nodes->pages[page]) {
    nodes->pages[page] = calloc(LENS_PAGE, sizeof *nodes->pages[page]);
    if (nodes->pages[page]) *bytes += LENS_PAGE * sizeof *nodes->pages[page];
  }
  return nodes->pages[page] ? &nodes->pages[page][node % LENS_PAGE] : NULL;
}

void lens_nodes_forget(struct lens_nodes *nodes)
{
  for (size_t i = 0; i < nodes->capacity; i++)
    if (nodes->pages[i]) memset(nodes->pages[i], 0, LENS_PAGE * sizeof *nodes->pages[i]);
}

void lens_nodes_destroy(struct lens_nodes *nodes)
{
  for (size_t i = 0; i < nodes->capacity; i++) free(nodes->pages[i]);
  free(nodes->pages);
  *nodes = (struct lens_nodes){ 0 };
}
