/* SPDX-License-Identifier: MIT */
/* Bounds an expression before it is compiled. */
#include "regexp.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { REGEXP_BYTES_MAX = 4096, REGEXP_SIZE_MAX = 2000, REGEXP_DEPTH_MAX = 50, REGEXP_HEIGHT_MAX = 3 };

/* Size of an expression with its repetitions expanded. Malformed expressions are rejected by regcomp(). */
struct regexp_size {
  uint64_t whole[REGEXP_DEPTH_MAX + 1];           /* size of the group so far, by depth */
  uint64_t last;                                  /* size of the element that a repetition
                                                     would repeat; included in `whole` */
  int heights[REGEXP_DEPTH_MAX + 1], last_height; /* number of nested repetitions around it */
  int depth;
};

static const char *regexp_skip_class(const char *at)
{
  at += *at == '^';
  at += *at == ']';
  for (; *at && *at != ']'; at++)
    if (*at == '[' && at[1] && strchr(":.=", at[1])) {
      const char end[] = { at[1], ']', '\0' };
      const char *close = strstr(at + 2, end);
      at = close ? close + 1 : at;
    }
  return *at ? at + 1 : at;
}

static uint64_t regexp_number(const char **at)
{
  uint64_t number = 0;
  for (; **at >= '0' && **at <= '9'; ++*at)
    number = number < REGEXP_SIZE_MAX ? number * 10 + (uint64_t)(**at - '0') : number;
  return number;
}

/* Parses {3}, {3,} or {3,9}. *times: the largest number of copies. */
static const char *regexp_interval(const char *at, uint64_t *times)
{
  *times = regexp_number(&at);
  if (*at == ',') {
    at++;
    uint64_t most = regexp_number(&at);
    *times = most > *times ? most : *times + 1;
  }
  return *at == '}' ? at + 1 : at;
}

static bool regexp_repeat(struct regexp_size *size, uint64_t times)
{
  size->last += size->last == 0; /* nothing precedes the operator, which is literal, or an error */
  uint64_t more = times > 1 ? size->last * (times - 1) : 0;
  size->last += more;
  size->whole[size->depth] += more;
  size->last_height++;
  if (size->heights[size->depth] < size->last_height) size->heights[size->depth] = size->last_height;
  return size->whole[size->depth] <= REGEXP_SIZE_MAX && size->last_height <= REGEXP_HEIGHT_MAX;
}

static bool regexp_open_group(struct regexp_size *size)
{
  if (size->depth == REGEXP_DEPTH_MAX) return false;
  size->whole[++size->depth] = 1;
  size->heights[size->depth] = size->last_height = 0;
  size->last = 0;
  return true;
}

static void regexp_one(struct regexp_size *size)
{
  size->last = 1;
  size->last_height = 0;
  size->whole[size->depth]++;
}

static bool regexp_close_group(struct regexp_size *size)
{
  if (size->depth == 0) {
    regexp_one(size); /* stands for itself */
    return true;
  }
  size->last_height = size->heights[size->depth];
  size->last = size->whole[size->depth--];
  if (size->heights[size->depth] < size->last_height) size->heights[size->depth] = size->last_height;
  size->whole[size->depth] += size->last;
  return size->whole[size->depth] <= REGEXP_SIZE_MAX;
}

static bool regexp_is_small(const char *at)
{
  struct regexp_size size = { 0 };
  bool small = strlen(at) <= REGEXP_BYTES_MAX;
  while (small && *at) {
    uint64_t times;
    switch (*at++) {
    case '\\':
      at += *at != '\0';
      regexp_one(&size);
      break;
    case '[':
      at = regexp_skip_class(at);
      regexp_one(&size);
      break;
    case '(': small = regexp_open_group(&size); break;
    case ')': small = regexp_close_group(&size); break;
    case '+': small = regexp_repeat(&size, 2); break;
    case '*':
    case '?': small = regexp_repeat(&size, 1); break;
    case '{':
      at = regexp_interval(at, &times);
      small = regexp_repeat(&size, times);
      break;
    default: regexp_one(&size); break;
    }
  }
  return small;
}

int rtop_regexp_compile(regex_t *compiled, const char *expression)
{
  return regexp_is_small(expression) ? regcomp(compiled, expression, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;
}
