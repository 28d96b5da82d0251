/* Which node is shown for a node: answers kept in pages, for all processes together or for one of many, whose nodes
 * are few. Private to lens.c. Threads: one. A zeroed struct is empty. */
#ifndef RTOP_TUI_LENS_NODES_H
#define RTOP_TUI_LENS_NODES_H

#include <stddef.h>
#include <stdint.h>

struct lens_nodes {
  uint32_t **pages;
  size_t capacity; /* of pages */
};

/* The answer for a node, 0 at first. NULL: no memory. *bytes grows by what it took. */
uint32_t *lens_nodes_at(struct lens_nodes *nodes, uint32_t node, size_t *bytes);
void lens_nodes_forget(struct lens_nodes *nodes);
void lens_nodes_destroy(struct lens_nodes *nodes);

#endif
