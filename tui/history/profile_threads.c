/* The threads that a profile knows, by serial. */
#include "profile_impl.h"

#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum { PROFILE_NAME_MAX = 128, PROFILE_NAMES_MAX = 1 << 16 };

const char *profile_name(struct rtop_profile *profile, const char *bytes, size_t count)
{
  char text[PROFILE_NAME_MAX + 1];
  struct profile_name *name = NULL;
  size_t length = rtop_text_sanitize(text, sizeof text, bytes, count);
  if (length == 0) return "";
  HASH_FIND(hh, profile->names, text, length, name);
  if (name) return name->text;
  if (HASH_COUNT(profile->names) >= PROFILE_NAMES_MAX) return "(too many names)";
  name = calloc(1, sizeof *name + length + 1);
  if (!name) return "";
  memcpy(name->text, text, length + 1);
  HASH_ADD_KEYPTR(hh, profile->names, name->text, length, name);
  return name->text;
}

static bool profile_thread_id(struct rtop_profile *profile, uint32_t *id)
{
  if (profile->free_count) {
    *id = profile->free_ids[--profile->free_count];
    return true;
  }
  if (profile->thread_count == profile->thread_capacity) {
    uint32_t capacity = profile->thread_capacity ? profile->thread_capacity * 2 : 64;
    struct profile_thread **threads = realloc(profile->threads, capacity * sizeof *threads);
    if (!threads) return false;
    profile->threads = threads;
    profile->thread_capacity = capacity;
  }
  *id = profile->thread_count++;
  profile->threads[*id] = NULL;
  return true;
}

struct profile_thread *profile_thread_make(struct rtop_profile *profile, const struct profile_thread_key *key)
{
  struct profile_thread *thread = NULL;
  HASH_FIND(hh, profile->threads_by_key, key, sizeof *key, thread);
  if (thread) return thread;
  thread = calloc(1, sizeof *thread);
  if (!thread || !profile_thread_id(profile, &thread->id)) {
    free(thread);
    return NULL;
  }
  memcpy(&thread->key, key, sizeof *key);
  thread->name = "";
  profile->threads[thread->id] = thread;
  HASH_ADD(hh, profile->threads_by_key, key, sizeof thread->key, thread);
  return thread;
}

uint32_t rtop_profile_thread(struct rtop_profile *profile, uint32_t source, const struct rtop_source_thread *from)
{
  struct profile_thread_key key;
  memset(&key, 0, sizeof key); /* padding is hashed too */
  key.serial = from->serial;
  key.source = source;
  key.kind = PROFILE_THREAD_REAL;
  struct profile_thread *thread = profile_thread_make(profile, &key);
  if (!thread) return RTOP_THREAD_NONE;
  if (!from->name) return thread->id;
  thread->native_id = from->native_id;
  thread->is_main = from->is_main;
  thread->name = profile_name(profile, from->name, from->name_bytes);
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
  HASH_FIND(hh, profile->threads_by_key, &key, sizeof key, thread);
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

void profile_thread_free(struct rtop_profile *profile, uint32_t id)
{
  struct profile_thread *thread = profile->threads[id];
  HASH_DEL(profile->threads_by_key, thread);
  free(thread);
  profile->threads[id] = NULL;
  if (profile->free_count == profile->free_capacity) {
    uint32_t capacity = profile->free_capacity ? profile->free_capacity * 2 : 64;
    uint32_t *ids = realloc(profile->free_ids, capacity * sizeof *ids);
    if (!ids) return; /* the id is not used again: no harm */
    profile->free_ids = ids;
    profile->free_capacity = capacity;
  }
  profile->free_ids[profile->free_count++] = id;
}

void profile_thread_drop_window(struct rtop_profile *profile, uint32_t id)
{
  struct profile_thread *thread = profile_thread_at(profile, id);
  if (!thread || --thread->windows > 0) return;
  if (thread->carried) profile->carried_gone++;
  else profile_thread_free(profile, id);
}

void profile_threads_destroy(struct rtop_profile *profile)
{
  struct profile_name *name, *next;
  HASH_CLEAR(hh, profile->threads_by_key);
  for (uint32_t i = 0; i < profile->thread_count; i++) free(profile->threads[i]);
  name = profile->names;
  HASH_CLEAR(hh, profile->names);
  for (; name; name = next) {
    next = name->hh.next;
    free(name);
  }
  free(profile->threads);
  free(profile->free_ids);
}
