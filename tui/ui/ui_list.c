/* Reads the list of processes. */
#include "ui_list.h"

#include "ui.h"

void ui_list_forget(struct ui *ui)
{
  rperf_top_list_free(ui->list.owner);
  ui->list.owner = NULL;
  ui->list.process_count = ui->list.bare_count = 0;
}

void ui_list_read(struct ui *ui)
{
  struct ui_list *list = &ui->list;
  ui_list_forget(ui);
  list->owner = rperf_top_list_read(NULL);
  size_t count = list->owner ? rperf_top_list_count(list->owner) : 0;
  for (; list->process_count < count && list->process_count < UI_LIST_MAX; list->process_count++)
    list->processes[list->process_count] = rperf_top_list_get(list->owner, list->process_count);
  if (list->process_count == 0) list->bare_count = rtop_bare_read(list->bare);
}
