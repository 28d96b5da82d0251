/* SPDX-License-Identifier: MIT */
/* Writes pages of the segment with pwrite, growing it as needed. */
#include "outlet.h"
#include "atomics.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

void outlet_init(struct outlet *outlet, int fd, const void *view)
{
  outlet->fd = fd;
  outlet->view = view;
  outlet->cause = 0;
  outlet->extent_count = 0;
  for (size_t i = 0; i < OUTLET_RUNS; i++) outlet->runs[i].bytes = 0;
}

bool outlet_failed(const struct outlet *outlet)
{
  return outlet && outlet->cause != 0;
}

static uint64_t outlet_offset(const struct outlet *outlet, const void *shared)
{
  return (uint64_t)((const unsigned char *)shared - outlet->view);
}

void outlet_grow(struct outlet *outlet, const struct outlet_extent *extent)
{
  if (outlet->extent_count < OUTLET_EXTENTS) outlet->extents[outlet->extent_count++] = *extent;
}

/* Tells whether the file system has room for `bytes` and still a sixteenth of its space for other programs. */
static bool outlet_leaves_room(const struct outlet *outlet, uint64_t bytes)
{
  struct statvfs space;
  if (fstatvfs(outlet->fd, &space) != 0 || space.f_blocks == 0) return true;
  return (uint64_t)space.f_bavail * space.f_frsize >= bytes + (uint64_t)space.f_blocks * space.f_frsize / 16;
}

/* Allocates blocks up to `needed` and more, in whole steps. A reader that maps the file must never find a hole, which
 * would cost it memory, or cause a SIGBUS on a full file system. */
static bool outlet_extend(struct outlet *outlet, struct outlet_extent *extent, uint64_t needed)
{
  uint64_t wanted = needed + extent->step - 1;
  int cause;
  wanted -= wanted % extent->step;
  if (wanted > extent->bytes) wanted = extent->bytes;
  if (!outlet_leaves_room(outlet, wanted - extent->reserved)) return false;
  do
    cause = posix_fallocate(outlet->fd, (off_t)(extent->offset + extent->reserved), (off_t)(wanted - extent->reserved));
  while (cause == EINTR);
  if (cause == 0) extent->reserved = wanted;
  return cause == 0;
}

bool outlet_reserve(struct outlet *outlet, const void *shared, size_t count)
{
  if (!outlet) return true;
  uint64_t offset = outlet_offset(outlet, shared);
  for (size_t i = 0; i < outlet->extent_count; i++) {
    struct outlet_extent *extent = &outlet->extents[i];
    if (offset < extent->offset || offset - extent->offset >= extent->bytes) continue;
    uint64_t needed = offset - extent->offset + count;
    return needed <= extent->reserved || outlet_extend(outlet, extent, needed);
  }
  return true;
}

/* Writes bytes to the file. After a short write the remainder is written again, which then fails with the reason. */
static void outlet_write(struct outlet *outlet, uint64_t offset, const unsigned char *bytes, size_t count)
{
  while (count > 0 && outlet->cause == 0) {
    ssize_t written = pwrite(outlet->fd, bytes, count, (off_t)offset);
    if (written > 0) {
      bytes += written;
      offset += (uint64_t)written;
      count -= (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      outlet->cause = written == 0 ? EIO : errno;
    }
  }
}

void outlet_store(struct outlet *outlet, void *shared, const void *bytes, size_t count)
{
  if (outlet) outlet_write(outlet, outlet_offset(outlet, shared), bytes, count);
  else rtop_copy_to_shared(shared, bytes, count);
}

static void outlet_flush_run(struct outlet *outlet, struct outlet_run *run)
{
  outlet_write(outlet, run->offset, run->buffer, run->bytes);
  run->bytes = 0;
}

/* Finds the run that these bytes continue, else an empty run, else the first run after flushing it. */
static struct outlet_run *outlet_run_at(struct outlet *outlet, uint64_t offset)
{
  struct outlet_run *empty = NULL;
  for (size_t i = 0; i < OUTLET_RUNS; i++) {
    struct outlet_run *run = &outlet->runs[i];
    if (run->bytes && run->offset + run->bytes == offset) return run;
    if (run->bytes == 0) empty = run;
  }
  if (!empty) {
    empty = &outlet->runs[0];
    outlet_flush_run(outlet, empty);
  }
  empty->offset = offset;
  return empty;
}

void outlet_append(struct outlet *outlet, void *shared, const void *bytes, size_t count)
{
  if (!outlet || count > OUTLET_RUN_BYTES) {
    outlet_store(outlet, shared, bytes, count);
    return;
  }
  uint64_t offset = outlet_offset(outlet, shared);
  struct outlet_run *run = outlet_run_at(outlet, offset);
  if (count > OUTLET_RUN_BYTES - run->bytes) {
    outlet_flush_run(outlet, run);
    run->offset = offset;
  }
  memcpy(run->buffer + run->bytes, bytes, count);
  run->bytes += count;
}

void outlet_flush(struct outlet *outlet)
{
  for (size_t i = 0; outlet && i < OUTLET_RUNS; i++) outlet_flush_run(outlet, &outlet->runs[i]);
}

/* Uses a full barrier for an outlet, since the kernel copies the data of writes. */
void outlet_fence(const struct outlet *outlet)
{
  if (outlet) rtop_fence_full();
  else rtop_fence_release();
}

void outlet_release(struct outlet *outlet, uint64_t *shared, uint64_t value)
{
  if (outlet) {
    rtop_fence_full();
    outlet_write(outlet, outlet_offset(outlet, shared), (const unsigned char *)&value, sizeof value);
  } else {
    rtop_store_release(shared, value);
  }
}

bool outlet_load(struct outlet *outlet, void *bytes, const void *shared, size_t count)
{
  if (!outlet) {
    rtop_copy_from_shared(bytes, shared, count);
    return true;
  }
  outlet_flush(outlet);
  ssize_t got;
  do got = pread(outlet->fd, bytes, count, (off_t)outlet_offset(outlet, shared));
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)count && outlet->cause == 0;
}
