/* SPDX-License-Identifier: MIT */
/* Where profiles go. */
#include "push.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *path, *ending;
} kinds[] = {
  [PUSH_PYROSCOPE] = { "pyroscope", "/ingest", "/ingest" },
  [PUSH_OTLP] = { "otlp", "/v1development/profiles", "/profiles" },
};

bool push_kind_parse(const char *name, enum push_kind *kind)
{
  for (int i = PUSH_PYROSCOPE; i <= PUSH_OTLP; i++)
    if (strcmp(name, kinds[i].name) == 0) {
      *kind = (enum push_kind)i;
      return true;
    }
  return false;
}

/* The part after "://"; NULL for other URLs. */
static const char *url_host(const char *url)
{
  if (strncmp(url, "http://", 7) == 0) return url + 7;
  return strncmp(url, "https://", 8) == 0 ? url + 8 : NULL;
}

static const char *url_path(const char *url)
{
  const char *host = url_host(url);
  return host ? host + strcspn(host, "/") : NULL;
}

enum push_kind push_url_kind(const char *url)
{
  const char *path = url_path(url);
  size_t bytes = path ? strlen(path) : 0;
  for (int i = PUSH_PYROSCOPE; i <= PUSH_OTLP; i++) {
    size_t ending = strlen(kinds[i].ending);
    if (bytes >= ending && strcmp(path + bytes - ending, kinds[i].ending) == 0) return (enum push_kind)i;
  }
  return PUSH_NONE;
}

const char *push_url_problem(const char *url)
{
  const char *host = url_host(url);
  if (!host) return "does not begin with http:// or https://";
  for (const char *at = url; *at; at++)
    if (!isgraph((unsigned char)*at)) return "has a character that no URL has";
  if (strlen(url) > 2048) return "is longer than 2048 characters";
  if (strcspn(host, "/:") == 0) return "has no host";
  if (memchr(host, '@', strcspn(host, "/")))
    return "has a password in it, which others see: give it in a file of headers";
  return strpbrk(host, "?#") ? "has a query or a fragment" : NULL;
}

char *push_url_whole(const char *url, enum push_kind kind)
{
  char *whole = NULL;
  const char *path = url_path(url);
  bool bare = !*path || strcmp(path, "/") == 0;
  if (asprintf(&whole, "%.*s%s", bare ? (int)(path - url) : (int)strlen(url), url, bare ? kinds[kind].path : "") < 0)
    return NULL;
  return whole;
}

bool push_name_is(const char *name)
{
  static const char others[] = "._-/";
  for (const char *at = name; *at; at++)
    if (!(isalnum((unsigned char)*at) && isascii((unsigned char)*at)) && !strchr(others, *at)) return false;
  return *name && strlen(name) <= 128;
}
