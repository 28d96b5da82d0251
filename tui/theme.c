#include "theme.h"

struct look {
  short fg, bg;                        /* -1: the terminal's own */
  attr_t attr;
};

static const struct look look_256[FACE_COUNT] = {
  [FACE_NORMAL] = { -1, -1, A_NORMAL },
  [FACE_TITLE] = { -1, -1, A_BOLD },
  [FACE_GOOD] = { 34, -1, A_BOLD },
  [FACE_WARN] = { 160, -1, A_BOLD },
  [FACE_FROZEN] = { 32, -1, A_BOLD | A_REVERSE },
  [FACE_LABEL] = { 31, -1, A_NORMAL },
  [FACE_HEADING] = { 29, -1, A_REVERSE },
  [FACE_HEADING_SORT] = { 31, -1, A_REVERSE | A_BOLD },
  [FACE_CURSOR] = { 31, -1, A_REVERSE },
  [FACE_MATCH] = { 166, -1, A_BOLD | A_UNDERLINE },
  [FACE_TAB] = { -1, -1, A_BOLD },
  [FACE_KEY] = { -1, -1, A_NORMAL },
  [FACE_KEY_LABEL] = { 31, -1, A_REVERSE },
  [FACE_RUN] = { 34, -1, A_NORMAL },
  [FACE_WAIT] = { 166, -1, A_NORMAL },
  [FACE_IO] = { 32, -1, A_NORMAL },
  [FACE_MARK] = { 133, -1, A_NORMAL },
  [FACE_SWEEP] = { 139, -1, A_NORMAL },
  [FACE_STRIP] = { 34, -1, A_NORMAL },
  [FACE_HOT] = { 166, -1, A_BOLD },
  [FACE_PLACE] = { 67, -1, A_NORMAL },
  [FACE_C] = { 97, -1, A_NORMAL },
};

static const struct look look_8[FACE_COUNT] = {
  [FACE_NORMAL] = { -1, -1, A_NORMAL },
  [FACE_TITLE] = { -1, -1, A_BOLD },
  [FACE_GOOD] = { COLOR_GREEN, -1, A_BOLD },
  [FACE_WARN] = { COLOR_RED, -1, A_BOLD },
  [FACE_FROZEN] = { COLOR_CYAN, -1, A_BOLD | A_REVERSE },
  [FACE_LABEL] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_HEADING] = { COLOR_GREEN, -1, A_REVERSE },
  [FACE_HEADING_SORT] = { COLOR_CYAN, -1, A_REVERSE },
  [FACE_CURSOR] = { COLOR_CYAN, -1, A_REVERSE },
  [FACE_MATCH] = { COLOR_RED, -1, A_BOLD | A_UNDERLINE },
  [FACE_TAB] = { -1, -1, A_BOLD },
  [FACE_KEY] = { -1, -1, A_NORMAL },
  [FACE_KEY_LABEL] = { COLOR_CYAN, -1, A_REVERSE },
  [FACE_RUN] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_WAIT] = { COLOR_RED, -1, A_NORMAL },
  [FACE_IO] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_MARK] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_SWEEP] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_STRIP] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_HOT] = { COLOR_RED, -1, A_BOLD },
  [FACE_PLACE] = { -1, -1, A_NORMAL },
  [FACE_C] = { COLOR_MAGENTA, -1, A_NORMAL },
};

static const attr_t look_mono[FACE_COUNT] = {
  [FACE_TITLE] = A_BOLD,
  [FACE_GOOD] = A_BOLD,
  [FACE_WARN] = A_BOLD | A_REVERSE,
  [FACE_FROZEN] = A_BOLD | A_REVERSE,
  [FACE_HEADING] = A_REVERSE,
  [FACE_HEADING_SORT] = A_REVERSE | A_BOLD,
  [FACE_CURSOR] = A_REVERSE,
  [FACE_MATCH] = A_BOLD | A_UNDERLINE,
  [FACE_TAB] = A_BOLD,
  [FACE_KEY_LABEL] = A_REVERSE,
  [FACE_HOT] = A_BOLD,
};

static enum theme_palette palette_now = THEME_MONO;

enum theme_palette theme_choose(int wanted, const char *no_color, int terminal_colors, int terminal_pairs)
{
  bool never = wanted < 0 || (wanted == 0 && no_color != NULL && no_color[0] != '\0');
  if (never || terminal_colors < 8 || terminal_pairs <= FACE_COUNT) {
    return THEME_MONO;
  }
  return terminal_colors >= 256 ? THEME_256 : THEME_8;
}

static const struct look *looks(void)
{
  return palette_now == THEME_256 ? look_256 : look_8;
}

void theme_init(enum theme_palette palette)
{
  palette_now = palette;
  if (palette == THEME_MONO) {
    return;
  }
  start_color();
  /* Without default colours -1 is not allowed: then white on black is all that is safe to assume. */
  bool own = use_default_colors() == OK;
  for (int face = 1; face < FACE_COUNT; face++) {
    const struct look *look = &looks()[face];
    init_pair((short)face, look->fg < 0 && !own ? COLOR_WHITE : look->fg, own ? look->bg : COLOR_BLACK);
  }
}

enum theme_palette theme_palette(void)
{
  return palette_now;
}

attr_t theme_attr(enum face face)
{
  if (palette_now == THEME_MONO) {
    return look_mono[face];
  }
  const struct look *look = &looks()[face];
  if (look->fg < 0 && look->bg < 0) {
    return look->attr;
  }
  return look->attr | (attr_t)COLOR_PAIR((int)face);
}

static int rgb_of(short color)
{
  static const int basic[8] = { 0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a,
                                0xd3d7cf };
  static const int level[6] = { 0, 95, 135, 175, 215, 255 };
  if (color < 0) {
    return -1;
  }
  if (color < 8) {
    return basic[color];
  }
  if (color < 16 || color > 231) {
    return 0x808080;
  }
  int cube = color - 16;
  return level[cube / 36] << 16 | level[cube / 6 % 6] << 8 | level[cube % 6];
}

void theme_rgb(short pair, int *foreground, int *background)
{
  *foreground = *background = -1;
  if (palette_now != THEME_MONO && pair > 0 && pair < FACE_COUNT) {
    *foreground = rgb_of(looks()[pair].fg);
    *background = rgb_of(looks()[pair].bg);
  }
}
