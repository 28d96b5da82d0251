/* SPDX-License-Identifier: MIT */
/* Drops the oldest part of a recording: a new file gets the names that the kept part needs, then a copy of the kept
 * part. Positions in indexes are relative, so they stay valid. */
#include "recording_impl.h"

#include "tui/text/reserve.h"
#include "tui/text/temporary.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct drop {
  struct rtop_recorder *recorder;
  size_t first; /* the first group that stays */
  int fd;
  char *temporary;
  uint64_t bytes; /* of the new file */
  struct recorder_group base;
};

/* Chooses the first group to keep: as many of the newest groups as fit into this many bytes, but at least
   one is dropped. */
static size_t drop_first(const struct rtop_recorder *recorder, uint64_t wanted_bytes)
{
  size_t first = recorder->group_count;
  while (first > 1 && recorder->bytes - recorder->groups[first - 1].start <= wanted_bytes) first--;
  return first;
}

static bool drop_copy_head(struct drop *drop)
{
  struct recording_head head;
  drop->bytes = sizeof head;
  return recording_file_copy(drop->recorder->fd, 0, drop->fd, 0, sizeof head);
}

/* A chunk of names, and its index. */
static bool drop_write_base(struct drop *drop, uint32_t first_chunk)
{
  struct rtop_recorder *recorder = drop->recorder;
  struct recording_index index = { 0 };
  struct recording_bytes names = { 0 }, out = { 0 }, none = { 0 };
  struct recording_chunk *chunk = recording_index_add_chunk(&index);
  bool fine = chunk && recording_names_base(&recorder->names, first_chunk, &names);
  if (fine) {
    *chunk = (struct recording_chunk){ .position = drop->bytes, .head = { .number = first_chunk - 1 } };
    chunk->head.late_ns = INT64_MAX;
    fine = recording_put_chunk(&out, &chunk->head, &names, &none);
  }
  uint64_t at = drop->bytes + out.count;
  fine = fine && recording_index_encode(&index, at, &out);
  drop->base = (struct recorder_group){
    .start = drop->bytes,
    .index = at,
    .end = drop->bytes + out.count,
    .first_chunk = first_chunk - 1,
  };
  errno = fine ? 0 : ENOMEM;
  fine = fine && recording_file_write(drop->fd, out.data, out.count, drop->bytes);
  drop->bytes += out.count;
  recording_index_destroy(&index);
  recording_bytes_destroy(&names);
  recording_bytes_destroy(&out);
  return fine;
}

static bool drop_copy_groups(struct drop *drop)
{
  struct rtop_recorder *recorder = drop->recorder;
  uint64_t start = drop->first < recorder->group_count ? recorder->groups[drop->first].start : recorder->bytes;
  if (!recording_file_copy(recorder->fd, start, drop->fd, drop->bytes, recorder->bytes - start)) return false;
  uint64_t back = start - drop->bytes; /* the subtraction may wrap around, since names need
                                          room, too; the addition of the result wraps back */
  size_t kept = recorder->group_count - drop->first;
  if (!rtop_reserve(&recorder->groups, &recorder->group_capacity, recorder->group_count + 1,
                    sizeof *recorder->groups)) {
    errno = ENOMEM;
    return false;
  }
  memmove(recorder->groups + 1, recorder->groups + drop->first, kept * sizeof *recorder->groups);
  recorder->groups[0] = drop->base;
  recorder->group_count = kept + 1;
  for (size_t i = 1; i <= kept; i++) {
    recorder->groups[i].start -= back;
    recorder->groups[i].index -= back;
    recorder->groups[i].end -= back;
  }
  drop->bytes += recorder->bytes - start;
  return true;
}

static bool drop_take_place(struct drop *drop)
{
  struct rtop_recorder *recorder = drop->recorder;
  if (!recorder->temporary && !rtop_temporary_keep(drop->fd, &drop->temporary, recorder->path)) return false;
  if (recorder->temporary) { /* The old file is still temporary; the new one will be put in place later. */
    rtop_temporary_drop(&recorder->temporary);
    recorder->temporary = drop->temporary;
    drop->temporary = NULL;
  }
  close(recorder->fd);
  recorder->fd = drop->fd;
  recorder->bytes = recorder->group_start = drop->bytes;
  return true;
}

static void drop_until(struct rtop_recorder *recorder, uint64_t wanted_bytes)
{
  struct drop drop = { .recorder = recorder, .first = drop_first(recorder, wanted_bytes) };
  uint32_t first_chunk = recorder->names.chunk;
  if (drop.first < recorder->group_count) first_chunk = recorder->groups[drop.first].first_chunk;
  else if (recorder->chunk.number) first_chunk = recorder->chunk.number;
  drop.fd = rtop_temporary_create(recorder->path, &drop.temporary);
  if (drop.fd >= 0 && drop_copy_head(&drop) && drop_write_base(&drop, first_chunk) && drop_copy_groups(&drop) &&
      drop_take_place(&drop))
    return;
  int problem = errno;
  if (drop.fd >= 0) close(drop.fd);
  rtop_temporary_drop(&drop.temporary);
  recorder_fail(recorder, problem);
}

void recorder_drop_oldest(struct rtop_recorder *recorder, uint64_t more)
{
  uint64_t bytes_max = recorder->bytes_max;
  recorder_write_index(recorder);
  /* Keeps a quarter free, so that the next drop is far away; drops more if names take too much. */
  for (uint64_t quarters = 3; quarters > 0 && recorder->group_count > 0 && !recorder_failed(recorder); quarters--) {
    drop_until(recorder, bytes_max / 4 * quarters > more ? bytes_max / 4 * quarters - more : 0);
    if (recorder->bytes + more <= bytes_max / 8 * 7) return;
  }
}
