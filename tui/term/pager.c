/* SPDX-License-Identifier: MIT */
/* Moves a cursor and keeps it visible. */
#include "pager.h"
#include <stdint.h>

bool pager_click(struct pager *pager, int row, size_t count, size_t page)
{
  if (row < 0 || (size_t)row >= page || pager->top + (size_t)row >= count) return false;
  pager->cursor = pager->top + (size_t)row;
  pager->away = false;
  pager->blank = 0;
  return true;
}

static bool pager_sees(const struct pager *pager, size_t page)
{
  return pager->cursor >= pager->top && pager->cursor - pager->top < page;
}

void pager_follow(struct pager *pager, size_t place, size_t page)
{
  bool seen = pager_sees(pager, page);
  pager->cursor = place;
  pager->away = (seen || pager->away) && pager->top == 0 && !pager_sees(pager, page);
}

void pager_fit(struct pager *pager, size_t count, size_t page)
{
  page = page > 0 ? page : 1;
  if (pager->cursor >= count) pager->cursor = count > 0 ? count - 1 : 0;
  pager->away = pager->away && !pager_sees(pager, page);
  if (!pager->away && pager->cursor < pager->top) pager->top = pager->cursor;
  if (!pager->away && pager->cursor >= pager->top + page) pager->top = pager->cursor - page + 1;
  if (pager->top + page > count + pager->blank)
    pager->top = count + pager->blank > page ? count + pager->blank - page : 0;
}

void pager_show(struct pager *pager, size_t count, size_t page, size_t sight)
{
  pager->away = false;
  pager->blank = 0;
  if (!pager_sees(pager, sight)) pager->top = pager->cursor > page / 2 ? pager->cursor - page / 2 : 0;
  pager_fit(pager, count, page);
  if (pager_sees(pager, sight)) return;
  pager->blank = page > sight ? page - sight : 0;
  pager->top += pager->cursor - (pager->top + sight) + 1;
}

static void go_to(struct pager *pager, int64_t place, size_t count)
{
  int64_t last = (int64_t)count - 1;
  pager->cursor = (size_t)(place < 0 || last < 0 ? 0 : place > last ? last : place);
}

bool pager_request(struct pager *pager, enum request request, size_t count, size_t page)
{
  int64_t at = (int64_t)(pager->away ? pager->top : pager->cursor), rows = (int64_t)page;
  switch (request) {
  case REQUEST_UP: go_to(pager, at - 1, count); break;
  case REQUEST_DOWN: go_to(pager, at + 1, count); break;
  case REQUEST_PAGE_UP: go_to(pager, at - rows, count); break;
  case REQUEST_PAGE_DOWN: go_to(pager, at + rows, count); break;
  case REQUEST_HALF_UP: go_to(pager, at - (rows + 1) / 2, count); break;
  case REQUEST_HALF_DOWN: go_to(pager, at + (rows + 1) / 2, count); break;
  case REQUEST_FIRST: go_to(pager, 0, count); break;
  case REQUEST_LAST: go_to(pager, INT64_MAX, count); break;
  default: return false;
  }
  pager->away = false;
  pager->blank = 0;
  pager_fit(pager, count, page);
  return true;
}
