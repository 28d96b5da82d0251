/* SPDX-License-Identifier: MIT */
/* Finds stable names of generated methods by a table of patterns. */
#include "generated_name.h"

#include <stdbool.h>
#include <string.h>

enum { HASH_DIGITS = 12 }; /* a number with fewer digits may be part of the name itself */

enum made { END_OF_PATH, FILE };

static const struct generator {
  const char *pattern;
  enum made made;
} generators[] = {
#define GENERATOR(pattern, made) { pattern, made },
#include "generators.def"
};

struct text {
  const char *bytes;
  size_t count;
};

/* Parts of a name that matched a pattern: the text of the first `*`, and the length of the longest number. */
struct found {
  struct text star;
  size_t digits;
};

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static size_t number_bytes(const char *text, size_t count, size_t *digits)
{
  size_t at = count > 0 && text[0] == '_', from = at;
  while (at < count && is_digit(text[at])) at++;
  *digits = at - from;
  return *digits ? at : 0;
}

/* Matches the name against the pattern. The depth of the recursion is the number of stars in the pattern, at most
 * two. */
static bool fits(const char *pattern, struct text name, struct found *found)
{
  size_t at = 0;
  for (; *pattern; pattern++) {
    if (*pattern == '*') {
      for (size_t taken = name.count - at + 1; taken-- > 0;) {
        struct found rest = { .digits = found->digits };
        if (!fits(pattern + 1, (struct text){ name.bytes + at + taken, name.count - at - taken }, &rest)) continue;
        found->star = (struct text){ name.bytes + at, taken };
        found->digits = rest.digits;
        return true;
      }
      return false;
    }
    if (*pattern == '#') {
      size_t digits, bytes = number_bytes(name.bytes + at, name.count - at, &digits);
      if (!bytes) return false;
      if (digits > found->digits) found->digits = digits;
      at += bytes;
    } else if (at < name.count && name.bytes[at] == *pattern) {
      at++;
    } else {
      return false;
    }
  }
  return at == name.count;
}

/* Tells whether the generator would turn this byte of a path into this byte of a name. */
static bool became(char path, char name)
{
  bool letter = (path >= 'a' && path <= 'z') || path == '_';
  return path == name || (name == '_' && !letter);
}

static bool is_end_of_path(struct text made, struct text path)
{
  if (made.count == 0 || made.count > path.count) return false;
  const char *end = path.bytes + path.count - made.count;
  if (end > path.bytes && end[-1] != '/' && end[0] != '/') return false;
  for (size_t i = 0; i < made.count; i++)
    if (!became(end[i], made.bytes[i])) return false;
  return true;
}

/* Returns the end of the path from which the text of the star was made; `signs`: the sign of the next number may be a
 * trailing underscore, which is not part of the path. */
static struct text end_of_path(const struct found *found, struct text path)
{
  struct text star = found->star;
  for (size_t signs = 0; signs < 2 && star.count; signs++, star.count--) {
    if (is_end_of_path(star, path)) return (struct text){ path.bytes + path.count - star.count, star.count };
    if (star.bytes[star.count - 1] != '_') break;
  }
  return found->digits >= HASH_DIGITS ? found->star : (struct text){ NULL, 0 };
}

static struct text file_of(struct text path)
{
  size_t from = path.count, slashes = 0;
  while (from > 0 && slashes < 2) slashes += path.bytes[--from] == '/';
  from += slashes == 2 || (slashes == 1 && path.bytes[0] == '/');
  return (struct text){ path.bytes + from, path.count - from };
}

/* Returns the stable name; an empty text when no known generator made the method. */
static struct text name_of(struct text method, struct text path)
{
  for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
    struct found found = { .digits = 0 };
    if (!fits(generators[i].pattern, method, &found)) continue;
    struct text name = generators[i].made == FILE ? file_of(path) : end_of_path(&found, path);
    if (name.count) return name;
  }
  return (struct text){ NULL, 0 };
}

size_t rtop_generated_name(const char *label, size_t label_bytes, const char *path, size_t path_bytes, char *out)
{
  if (label_bytes > RTOP_GENERATED_NAME_MAX || path_bytes == 0) return 0;
  size_t method = label_bytes, from;
  while (method > 0 && !memchr("#. ", label[method - 1], 3)) method--;
  if (method == label_bytes || label[method] != '_') return 0; /* all generated names begin with an underscore */
  struct text name = name_of((struct text){ label + method, label_bytes - method }, (struct text){ path, path_bytes });
  /* drops the class, but keeps words such as "block in " */
  for (from = method; from > 0 && label[from - 1] != ' ';) from--;
  if (!name.count || from + name.count > RTOP_GENERATED_NAME_MAX) return 0;
  memcpy(out, label, from);
  memcpy(out + from, name.bytes, name.count);
  return from + name.count;
}
