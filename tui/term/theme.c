/* SPDX-License-Identifier: MIT */
/* Colours and attributes of every face. */
#include "theme.h"

struct look {
  short fg, bg; /* -1: the terminal's own */
  attr_t attr;
};

/* Text colours among 256 that are readable on black and on white, since the ground is unknown. */
static const struct look look_256[FACE_COUNT] = {
  [FACE_NORMAL] = { -1, -1, A_NORMAL },
  [FACE_TITLE] = { -1, -1, A_BOLD },
  [FACE_GOOD] = { 28, -1, A_BOLD },
  [FACE_WARN] = { 196, -1, A_BOLD },
  [FACE_FROZEN] = { 31, -1, A_BOLD | A_REVERSE },
  [FACE_LABEL] = { 30, -1, A_NORMAL },
  [FACE_HEADING] = { 29, -1, A_REVERSE },
  [FACE_HEADING_SORT] = { 63, -1, A_REVERSE | A_BOLD },
  [FACE_CURSOR] = { 63, -1, A_REVERSE },
  [FACE_MATCH] = { 130, -1, A_BOLD | A_UNDERLINE },
  [FACE_TAB] = { -1, -1, A_BOLD },
  [FACE_MESSAGE] = { -1, -1, A_REVERSE | A_BOLD },
  [FACE_KEY] = { -1, -1, A_NORMAL },
  [FACE_KEY_LABEL] = { 63, -1, A_REVERSE },
  [FACE_RUN] = { 28, -1, A_NORMAL },
  [FACE_WAIT] = { 166, -1, A_NORMAL },
  [FACE_BLOCKED] = { 32, -1, A_NORMAL },
  [FACE_MARK] = { 133, -1, A_NORMAL },
  [FACE_SWEEP] = { 139, -1, A_NORMAL },
  [FACE_STRIP] = { 28, -1, A_NORMAL },
  [FACE_HOT] = { 130, -1, A_BOLD },
  [FACE_PLACE] = { 30, -1, A_NORMAL },
  [FACE_C] = { 243, -1, A_NORMAL },
  [FACE_LIT] = { -1, -1, A_BOLD },
  [FACE_FILL_RUN] = { 108, 235, A_NORMAL },
  [FACE_FILL_RUN + SHADE_MIDDLE] = { 114, 237, A_NORMAL },
  [FACE_FILL_RUN + SHADE_LARGE] = { 157, 238, A_NORMAL },
  [FACE_FILL_RUN + SHADE_LIT] = { 157, 239, A_BOLD },
  [FACE_FILL_WAIT] = { 179, 235, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_MIDDLE] = { 215, 237, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_LARGE] = { 222, 238, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_LIT] = { 222, 239, A_BOLD },
  [FACE_FILL_BLOCKED] = { 110, 235, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_MIDDLE] = { 117, 237, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_LARGE] = { 153, 238, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_LIT] = { 153, 239, A_BOLD },
  [FACE_FILL_GC] = { 139, 235, A_NORMAL },
  [FACE_FILL_GC + SHADE_MIDDLE] = { 176, 237, A_NORMAL },
  [FACE_FILL_GC + SHADE_LARGE] = { 183, 238, A_NORMAL },
  [FACE_FILL_GC + SHADE_LIT] = { 183, 239, A_BOLD },
  [FACE_BODY_RUN] = { 22, -1, A_NORMAL },
  [FACE_BODY_WAIT] = { 94, -1, A_NORMAL },
  [FACE_BODY_BLOCKED] = { 24, -1, A_NORMAL },
  [FACE_BODY_MEMORY] = { 23, -1, A_NORMAL },
  [FACE_HEAT_0] = { 253, 238, A_NORMAL },
  [FACE_HEAT_1] = { 230, 58, A_NORMAL },
  [FACE_HEAT_2] = { 16, 178, A_NORMAL },
  [FACE_HEAT_3] = { 16, 208, A_NORMAL },
  [FACE_HEAT_4] = { 231, 160, A_NORMAL },
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
  [FACE_MESSAGE] = { -1, -1, A_REVERSE | A_BOLD },
  [FACE_KEY] = { -1, -1, A_NORMAL },
  [FACE_KEY_LABEL] = { COLOR_CYAN, -1, A_REVERSE },
  [FACE_RUN] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_WAIT] = { COLOR_RED, -1, A_NORMAL },
  [FACE_BLOCKED] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_MARK] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_SWEEP] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_STRIP] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_HOT] = { COLOR_RED, -1, A_BOLD },
  [FACE_PLACE] = { -1, -1, A_NORMAL },
  [FACE_C] = { -1, -1, A_NORMAL },
  [FACE_LIT] = { -1, -1, A_BOLD },
  [FACE_FILL_RUN] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_FILL_RUN + SHADE_MIDDLE] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_FILL_RUN + SHADE_LARGE] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_FILL_RUN + SHADE_LIT] = { COLOR_GREEN, -1, A_BOLD },
  [FACE_FILL_WAIT] = { COLOR_RED, -1, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_MIDDLE] = { COLOR_RED, -1, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_LARGE] = { COLOR_RED, -1, A_NORMAL },
  [FACE_FILL_WAIT + SHADE_LIT] = { COLOR_RED, -1, A_BOLD },
  [FACE_FILL_BLOCKED] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_MIDDLE] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_LARGE] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_FILL_BLOCKED + SHADE_LIT] = { COLOR_CYAN, -1, A_BOLD },
  [FACE_FILL_GC] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_FILL_GC + SHADE_MIDDLE] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_FILL_GC + SHADE_LARGE] = { COLOR_MAGENTA, -1, A_NORMAL },
  [FACE_FILL_GC + SHADE_LIT] = { COLOR_MAGENTA, -1, A_BOLD },
  [FACE_BODY_RUN] = { COLOR_GREEN, -1, A_NORMAL },
  [FACE_BODY_WAIT] = { COLOR_RED, -1, A_NORMAL },
  [FACE_BODY_BLOCKED] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_BODY_MEMORY] = { COLOR_CYAN, -1, A_NORMAL },
  [FACE_HEAT_0] = { COLOR_WHITE, COLOR_BLUE, A_NORMAL },
  [FACE_HEAT_1] = { COLOR_BLACK, COLOR_CYAN, A_NORMAL },
  [FACE_HEAT_2] = { COLOR_BLACK, COLOR_GREEN, A_NORMAL },
  [FACE_HEAT_3] = { COLOR_BLACK, COLOR_YELLOW, A_NORMAL },
  [FACE_HEAT_4] = { COLOR_WHITE, COLOR_RED, A_NORMAL },
};

/* Changes of a theme: foregrounds in 256 and in 8 colours, backgrounds in 256; 0: unchanged. */
struct change {
  short fg_256, fg_8, bg_256;
};
static const struct change changes[THEME_NAMES][FACE_COUNT] = {
  [THEME_LIGHT] = {
    [FACE_GOOD] = { 22, 0, 0 }, [FACE_WARN] = { 124, 0, 0 }, [FACE_FROZEN] = { 25, COLOR_BLUE, 0 },
    [FACE_LABEL] = { 24, COLOR_BLUE, 0 }, [FACE_HEADING] = { 22, 0, 0 },
    [FACE_HEADING_SORT] = { 25, COLOR_BLUE, 0 }, [FACE_CURSOR] = { 25, COLOR_BLUE, 0 },
    [FACE_MATCH] = { 130, 0, 0 }, [FACE_KEY_LABEL] = { 25, COLOR_BLUE, 0 }, [FACE_RUN] = { 28, 0, 0 },
    [FACE_WAIT] = { 130, 0, 0 }, [FACE_BLOCKED] = { 25, COLOR_BLUE, 0 }, [FACE_MARK] = { 90, 0, 0 },
    [FACE_SWEEP] = { 96, 0, 0 }, [FACE_STRIP] = { 28, 0, 0 }, [FACE_HOT] = { 130, 0, 0 },
    [FACE_PLACE] = { 60, 0, 0 }, [FACE_C] = { 240, 0, 0 },
    [FACE_FILL_RUN] = { 22, 0, 255 },
    [FACE_FILL_RUN + SHADE_MIDDLE] = { 22, 0, 254 },
    [FACE_FILL_RUN + SHADE_LARGE] = { 22, 0, 253 },
    [FACE_FILL_RUN + SHADE_LIT] = { 22, 0, 251 },
    [FACE_FILL_WAIT] = { 94, 0, 255 },
    [FACE_FILL_WAIT + SHADE_MIDDLE] = { 88, 0, 254 },
    [FACE_FILL_WAIT + SHADE_LARGE] = { 88, 0, 253 },
    [FACE_FILL_WAIT + SHADE_LIT] = { 88, 0, 251 },
    [FACE_FILL_BLOCKED] = { 25, COLOR_BLUE, 255 },
    [FACE_FILL_BLOCKED + SHADE_MIDDLE] = { 24, COLOR_BLUE, 254 },
    [FACE_FILL_BLOCKED + SHADE_LARGE] = { 24, COLOR_BLUE, 253 },
    [FACE_FILL_BLOCKED + SHADE_LIT] = { 18, COLOR_BLUE, 251 },
    [FACE_FILL_GC] = { 96, 0, 255 },
    [FACE_FILL_GC + SHADE_MIDDLE] = { 90, 0, 254 },
    [FACE_FILL_GC + SHADE_LARGE] = { 90, 0, 253 },
    [FACE_FILL_GC + SHADE_LIT] = { 90, 0, 251 },
    [FACE_BODY_RUN] = { 157, 0, 0 }, [FACE_BODY_WAIT] = { 223, 0, 0 }, [FACE_BODY_BLOCKED] = { 153, COLOR_BLUE, 0 },
    [FACE_BODY_MEMORY] = { 152, 0, 0 }, [FACE_HEAT_0] = { 235, 0, 254 }, [FACE_HEAT_1] = { 58, 0, 230 },
    [FACE_HEAT_2] = { 52, 0, 222 }, [FACE_HEAT_3] = { 16, 0, 215 }, [FACE_HEAT_4] = { 231, 0, 160 },
  },
  [THEME_BLUE] = {
    [FACE_GOOD] = { 32, COLOR_CYAN, 0 }, [FACE_WARN] = { 172, COLOR_YELLOW, 0 },
    [FACE_HEADING] = { 32, COLOR_BLUE, 0 }, [FACE_MATCH] = { 172, COLOR_YELLOW, 0 },
    [FACE_RUN] = { 32, COLOR_CYAN, 0 }, [FACE_WAIT] = { 172, COLOR_YELLOW, 0 }, [FACE_BLOCKED] = { 103, COLOR_BLUE, 0 },
    [FACE_MARK] = { 187, COLOR_MAGENTA, 0 }, [FACE_SWEEP] = { 143, COLOR_MAGENTA, 0 },
    [FACE_STRIP] = { 32, COLOR_CYAN, 0 }, [FACE_HOT] = { 172, COLOR_YELLOW, 0 },
    [FACE_FILL_RUN] = { 74, COLOR_CYAN, 0 },
    [FACE_FILL_RUN + SHADE_MIDDLE] = { 81, COLOR_CYAN, 0 },
    [FACE_FILL_RUN + SHADE_LARGE] = { 153, COLOR_CYAN, 0 },
    [FACE_FILL_RUN + SHADE_LIT] = { 153, COLOR_CYAN, 0 },
    [FACE_FILL_WAIT] = { 0, COLOR_YELLOW, 0 },
    [FACE_FILL_WAIT + SHADE_MIDDLE] = { 0, COLOR_YELLOW, 0 },
    [FACE_FILL_WAIT + SHADE_LARGE] = { 0, COLOR_YELLOW, 0 },
    [FACE_FILL_WAIT + SHADE_LIT] = { 0, COLOR_YELLOW, 0 },
    [FACE_FILL_BLOCKED] = { 146, COLOR_BLUE, 0 },
    [FACE_FILL_BLOCKED + SHADE_MIDDLE] = { 146, COLOR_BLUE, 0 },
    [FACE_FILL_BLOCKED + SHADE_LARGE] = { 189, COLOR_BLUE, 0 },
    [FACE_FILL_BLOCKED + SHADE_LIT] = { 189, COLOR_BLUE, 0 },
    [FACE_FILL_GC] = { 143, 0, 0 },
    [FACE_FILL_GC + SHADE_MIDDLE] = { 187, 0, 0 },
    [FACE_FILL_GC + SHADE_LARGE] = { 230, 0, 0 },
    [FACE_FILL_GC + SHADE_LIT] = { 230, 0, 0 },
    [FACE_BODY_RUN] = { 24, COLOR_CYAN, 0 }, [FACE_BODY_WAIT] = { 94, COLOR_YELLOW, 0 },
    [FACE_BODY_BLOCKED] = { 60, COLOR_BLUE, 0 }, [FACE_BODY_MEMORY] = { 23, 0, 0 },
  },
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
  [FACE_MESSAGE] = A_REVERSE | A_BOLD,
  [FACE_KEY_LABEL] = A_REVERSE,
  [FACE_HOT] = A_BOLD,
  [FACE_LIT] = A_BOLD,
  [FACE_FILL_RUN + SHADE_LIT] = A_BOLD,
  [FACE_FILL_WAIT + SHADE_LIT] = A_BOLD,
  [FACE_FILL_BLOCKED + SHADE_LIT] = A_BOLD,
  [FACE_FILL_GC + SHADE_LIT] = A_BOLD,
};

static enum theme_palette palette_now = THEME_MONO;
static enum theme_name name_now = THEME_DEFAULT;

enum theme_palette theme_choose(int wanted, const char *no_color, int terminal_colors, int terminal_pairs)
{
  bool never = wanted < 0 || (wanted == 0 && no_color != NULL && no_color[0] != '\0');
  if (never || terminal_colors < 8 || terminal_pairs <= FACE_COUNT) return THEME_MONO;
  return terminal_colors >= 256 ? THEME_256 : THEME_8;
}

static struct look look_of(enum face face)
{
  struct look look = palette_now == THEME_256 ? look_256[face] : look_8[face];
  short fg = palette_now == THEME_256 ? changes[name_now][face].fg_256 : changes[name_now][face].fg_8;
  look.fg = fg > 0 ? fg : look.fg;
  if (palette_now == THEME_256 && changes[name_now][face].bg_256 > 0) look.bg = changes[name_now][face].bg_256;
  return look;
}

static void define_pairs(void)
{
  /* Without default colours -1 is not allowed; only white on black is safe then. */
  bool own = use_default_colors() == OK;
  for (int face = 1; face < FACE_COUNT; face++) {
    struct look look = look_of((enum face)face);
    init_pair((short)face, look.fg < 0 && !own ? COLOR_WHITE : look.fg, own ? look.bg : COLOR_BLACK);
  }
}

void theme_init(enum theme_palette palette)
{
  palette_now = palette;
  if (palette != THEME_MONO) {
    start_color();
    define_pairs();
  }
}

void theme_use(enum theme_name name)
{
  name_now = name;
  if (palette_now != THEME_MONO) define_pairs();
}

enum theme_name theme_used(void)
{
  return name_now;
}

enum theme_palette theme_palette(void)
{
  return palette_now;
}

attr_t theme_attr(enum face face)
{
  if (palette_now == THEME_MONO || name_now == THEME_NONE) return look_mono[face];
  struct look look = look_of(face);
  if (look.fg < 0 && look.bg < 0) return look.attr;
  return look.attr | (attr_t)COLOR_PAIR((int)face);
}

static int rgb_of(short color)
{
  static const int basic[8] = { 0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf };
  static const int level[6] = { 0, 95, 135, 175, 215, 255 };
  if (color < 0) return -1;
  if (color < 8) return basic[color];
  if (color < 16) return 0x808080;
  if (color > 231) return (8 + 10 * (color - 232)) * 0x010101;
  int cube = color - 16;
  return level[cube / 36] << 16 | level[cube / 6 % 6] << 8 | level[cube % 6];
}

void theme_rgb(short pair, int *foreground, int *background)
{
  *foreground = *background = -1;
  if (palette_now != THEME_MONO && pair > 0 && pair < FACE_COUNT) {
    *foreground = rgb_of(look_of((enum face)pair).fg);
    *background = rgb_of(look_of((enum face)pair).bg);
  }
}
