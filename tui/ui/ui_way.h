/* SPDX-License-Identifier: MIT */
/* The call of the selected method that the user refers to, if known: a stall, a thread or a tree row refers to one
 * call, while the method may have others, also in other threads. Switching views goes to that call. Forgotten when
 * another method is selected.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_WAY_H
#define RTOP_TUI_UI_WAY_H

#include <stdint.h>

struct ui;
struct rtop_symbols;

struct ui_way {
  uint32_t frame;        /* selected frame when the call was stored; 0: unknown */
  uint32_t source, node; /* the call in the process's own ids; 0: unknown */
  uint32_t call, shapes; /* otherwise: the node of ui->tree, valid while the tree's ids are the same */
};

/* Selects the method as which a call is shown; the method may be hidden, or its process shown separately. */
void ui_way_select(struct ui *ui, uint32_t source, uint32_t node);
/* Stores a call that is already shown: a thread's row, or a node of ui->tree (0: unknown). The caller
 * selects the frame. */
void ui_way_shown(struct ui *ui, uint32_t frame, uint32_t node);
void ui_way_call(struct ui *ui, uint32_t call);
void ui_way_drop(struct ui *ui);
void ui_way_keep(const struct ui *ui, struct rtop_symbols *symbols);

/* Returns the node of the call among the symbols' nodes: of several that differ only in lines, the one with most
 * time. 0: unknown. */
uint32_t ui_way_node(const struct ui *ui);
/* Returns the call's node in ui->tree; if there is no call or it is not in this sum, the method's node with most
 * time. 0: none. */
uint32_t ui_way_in_tree(const struct ui *ui, uint32_t frame);

#endif
