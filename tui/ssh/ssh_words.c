/* SPDX-License-Identifier: MIT */
/* Names of hosts, and words for the shell on the other side. */
#include "ssh.h"

#include <stdio.h>
#include <string.h>

const char *rtop_ssh_host_problem(const char *host)
{
  const char *name = strrchr(host, '@');
  name = name ? name + 1 : host;
  if (!*name) return "is empty";
  if (strlen(host) > RTOP_SSH_HOST_BYTES_MAX) return "is too long";
  if (*host == '-' || *name == '-') return "begins with '-'";
  for (const char *at = host; *at; at++)
    if ((unsigned char)*at <= ' ' || *at == 0x7f) return "has blanks or control characters in it";
  return NULL;
}

static bool word_put(char *command, size_t bytes, const char *text, size_t count)
{
  size_t used = strlen(command);
  if (count >= bytes - used) return false;
  memcpy(command + used, text, count);
  command[used + count] = '\0';
  return true;
}

bool rtop_ssh_add_word(char *command, size_t bytes, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@%";
  if (*command && !word_put(command, bytes, " ", 1)) return false;
  if (*word && strspn(word, plain) == strlen(word)) return word_put(command, bytes, word, strlen(word));
  if (!word_put(command, bytes, "'", 1)) return false;
  for (; *word; word++) {
    bool quote = *word == '\'';
    if (!word_put(command, bytes, quote ? "'\\''" : word, quote ? 4 : 1)) return false;
  }
  return word_put(command, bytes, "'", 1);
}
