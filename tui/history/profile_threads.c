/* SPDX-License-Identifier: MIT */
/* The threads that a profile knows, by serial. */
#include "profile_threads.h"

#include "profile_state.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum { PROFILE_NAME_MAX = 128, PROFILE_NAMES_MAX = 1 << 16 };

struct profile_name {
  bool lost; /* memory ran out */
  UT_hash_handle hh;
  char text[];
};

const char *profile_name(struct profile_threads *threads, const char *bytes, size_t count)
{
  char text[PROFILE_NAME_MAX + 1];
  struct profile_name *name = NULL;
  size_t length = rtop_text_sanitize(text, sizeof text, bytes, count);
  if (length == 0) return "";
  HASH_FIND(hh, threads->names, text, length, name);
  if (name) return name->text;
  if (HASH_COUNT(threads->names) >= PROFILE_NAMES_MAX) return "(too many names)";
  name = calloc(1, sizeof *name + length + 1);
  if (!name) return "";
  memcpy(name->text, text, length + 1);
  HASH_ADD_KEYPTR(hh, threads->names, name->text, length, name);
  if (!name->lost) return name->text;
  free(name);
  return "";
}

static bool thread_id(struct profile_threads *threads, uint32_t *id)
{
  if (threads->free_count) {
    *id = threads->free_ids[--threads->free_count];
    return true;
  }
  if (threads->count == threads->capacity) {
    uint32_t capacity = threads->capacity ? threads->capacity * 2 : 64;
    struct profile_thread **all = realloc(threads->all, capacity * sizeof *all);
    if (!all) return false;
    threads->all = all;
    threads->capacity = capacity;
  }
  *id = threads->count++;
  threads->all[*id] = NULL;
  return true;
}

struct profile_thread *profile_thread_make(struct profile_threads *threads, const struct profile_thread_key *key)
{
  struct profile_thread *thread = NULL;
  HASH_FIND(hh, threads->by_key, key, sizeof *key, thread);
  if (thread) return thread;
  thread = calloc(1, sizeof *thread);
  if (!thread || !thread_id(threads, &thread->id)) {
    free(thread);
    return NULL;
  }
  memcpy(&thread->key, key, sizeof *key);
  thread->name = "";
  threads->all[thread->id] = thread;
  HASH_ADD(hh, threads->by_key, key, sizeof thread->key, thread);
  if (!thread->lost) return thread;
  profile_thread_free(threads, thread->id);
  return NULL;
}

void profile_thread_free(struct profile_threads *threads, uint32_t id)
{
  struct profile_thread *thread = threads->all[id];
  if (!thread->lost && threads->by_key) HASH_DEL(threads->by_key, thread);
  free(thread);
  threads->all[id] = NULL;
  if (threads->free_count == threads->free_capacity) {
    uint32_t capacity = threads->free_capacity ? threads->free_capacity * 2 : 64;
    uint32_t *ids = realloc(threads->free_ids, capacity * sizeof *ids);
    if (!ids) return; /* without memory the id is never reused, which is harmless */
    threads->free_ids = ids;
    threads->free_capacity = capacity;
  }
  threads->free_ids[threads->free_count++] = id;
}

void profile_threads_destroy(struct profile_threads *threads)
{
  struct profile_name *name, *next;
  HASH_CLEAR(hh, threads->by_key);
  for (uint32_t i = 0; i < threads->count; i++) free(threads->all[i]);
  name = threads->names;
  HASH_CLEAR(hh, threads->names);
  for (; name; name = next) {
    next = name->hh.next;
    free(name);
  }
  free(threads->all);
  free(threads->free_ids);
}

uint32_t rtop_profile_thread(struct rtop_profile *profile, uint32_t source, const struct rtop_source_thread *from)
{
  struct profile_thread_key key;
  memset(&key, 0, sizeof key); /* padding is hashed too */
  key.serial = from->serial;
  key.source = source;
  key.kind = PROFILE_THREAD_REAL;
  struct profile_thread *thread = profile_thread_make(&profile->threads, &key);
  if (!thread) return RTOP_THREAD_NONE;
  if (!from->name) return thread->id;
  thread->native_id = from->native_id;
  thread->is_main = from->is_main;
  bool same = strlen(thread->name) == from->name_bytes && memcmp(thread->name, from->name, from->name_bytes) == 0;
  if (!same) thread->name = profile_name(&profile->threads, from->name, from->name_bytes);
  return thread->id;
}

bool rtop_profile_thread_about(const struct rtop_profile *profile, uint32_t source, uint64_t serial,
                               struct rtop_source_thread *about)
{
  struct profile_thread_key key;
  struct profile_thread *thread = NULL;
  memset(&key, 0, sizeof key);
  key.serial = serial;
  key.source = source;
  key.kind = PROFILE_THREAD_REAL;
  HASH_FIND(hh, profile->threads.by_key, &key, sizeof key, thread);
  if (!thread) return false;
  *about = (struct rtop_source_thread){
    .serial = serial,
    .name = thread->name,
    .name_bytes = strlen(thread->name),
    .native_id = thread->native_id,
    .is_main = thread->is_main,
  };
  return true;
}
