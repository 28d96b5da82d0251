/* Screens of the views that draw the tree of calls, against golden files. */
#include "tests/tui/screen_fixture.h"

static const struct screen_case cases[] = {
  { .name = "tree-80x24", .rows = 24, .columns = 80, .keys = KEYS('2') },
  { .name = "tree-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('2') },
  { .name = "tree-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('2') },
  { .name = "tree-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('2') },
  { .name = "tree-160x50", .rows = 50, .columns = 160, .keys = KEYS('2', '/', 'i', 'n', 'd', 'e', 'x', '\r') },
  { .name = "tree-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('2') },
  { .name = "tree-40x10", .rows = 10, .columns = 40, .keys = KEYS('2') },
  { .name = "tree-20x5", .rows = 5, .columns = 20, .keys = KEYS('2') },
  { .name = "tree-19x4", .rows = 4, .columns = 19, .keys = KEYS('2') },
  { .name = "tree-callers", .rows = 24, .columns = 80, .keys = KEYS('2', 'i', 'g', '\r') },
  { .name = "tree-filter", .rows = 24, .columns = 80, .keys = KEYS('2', '\\', 'P', 'r', 'i', 'c', 'e', '\r') },
  { .name = "tree-folded", .rows = 24, .columns = 80, .keys = KEYS('/', 'f', 'a', 'c', 't', '\r', '2', 'u') },
  { .name = "tree-closed", .rows = 24, .columns = 80, .keys = KEYS('2', 'v', 'v', 'v', 'g') },
  { .name = "icicle-80x24", .rows = 24, .columns = 80, .keys = KEYS('T', '4') },
  { .name = "icicle-80x24-color",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('4', '/', 'o', 'r', 'd', 'e', 'r', '\r') },
  { .name = "icicle-80x24-mono",
    .rows = 24,
    .columns = 80,
    .mono = true,
    .attributes = true,
    .keys = KEYS('4', '/', 'o', 'r', 'd', 'e', 'r', '\r') },
  { .name = "icicle-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('4') },
  { .name = "icicle-160x50", .rows = 50, .columns = 160, .keys = KEYS('4', '/', 'i', 'n', 'd', 'e', 'x', '\r') },
  { .name = "icicle-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('4') },
  { .name = "icicle-40x10", .rows = 10, .columns = 40, .keys = KEYS('4') },
  { .name = "icicle-20x5", .rows = 5, .columns = 20, .keys = KEYS('4') },
  { .name = "icicle-19x4", .rows = 4, .columns = 19, .keys = KEYS('4') },
  { .name = "icicle-zoomed", .rows = 24, .columns = 80, .keys = KEYS('/', 'i', 'n', 'd', 'e', 'x', '\r', '4', '\r') },
  { .name = "icicle-flipped-same",
    .rows = 24,
    .columns = 80,
    .keys = KEYS('/', 'Q', 'u', 'e', 'u', 'e', '\r', '4', 'i', '=') },
  { .name = "icicle-160x50-flipped-same",
    .rows = 50,
    .columns = 160,
    .keys = KEYS('/', 'Q', 'u', 'e', 'u', 'e', '\r', '4', 'i', '=') },
  { .name = "groups-80x24", .rows = 24, .columns = 80, .keys = KEYS('8', 'g') },
  { .name = "groups-80x24-color", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('8', 'g') },
  { .name = "groups-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true, .keys = KEYS('8', 'g') },
  { .name = "groups-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('8', 'g') },
  { .name = "groups-160x50", .rows = 50, .columns = 160, .keys = KEYS('8', '/', 'i', 'n', 'd', 'e', 'x', '\r') },
  { .name = "groups-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('8', 'E', 'g') },
  { .name = "groups-40x10", .rows = 10, .columns = 40, .keys = KEYS('8', 'g') },
  { .name = "groups-20x5", .rows = 5, .columns = 20, .keys = KEYS('8', 'g') },
  { .name = "groups-19x4", .rows = 4, .columns = 19, .keys = KEYS('8', 'g') },
  { .name = "groups-scrolled", .rows = 16, .columns = 80, .keys = KEYS('8', '*', FN(KEY_NPAGE), 'k', 'k') },
  { .name = "groups-scrolled-160x16", .rows = 16, .columns = 160, .keys = KEYS('8', '*', FN(KEY_NPAGE)) },
  { .name = "groups-samples", .rows = 24, .columns = 80, .keys = KEYS('8', '%', '%') },
  { .name = "icicle-heat", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('4', 'c') },
  { .name = "groups-threshold", .rows = 24, .columns = 80, .keys = KEYS('8', 'V', 'V', 'V', 'V', 'V', 'V', 'g') },
};

int main(void)
{
  enum { COUNT = sizeof cases / sizeof cases[0] };
  struct CMUnitTest tests[COUNT];
  add_cases(tests, cases, COUNT, test_case);
  return _cmocka_run_group_tests("tree screens", tests, COUNT, NULL, NULL);
}
