/* SPDX-License-Identifier: MIT */
/* The way out of the process: how the writer stores into its segment. Private to shm/.
 *
 * A store into a shared mapping raises SIGBUS as soon as anybody truncates the file, whatever was looked at
 * before. So the writer maps nothing. It has a view: address space as large as the segment, with no memory
 * behind it (a load or a store there by mistake ends every test), and a store to an address in the view is a
 * pwrite at the same distance from the start of the file. What cannot be written is an error, never a
 * signal: the publisher has them all blocked, SIGXFSZ too. After the first failure nothing goes out any
 * more, so that the order of the protocol holds for all that did.
 *
 * NULL for an outlet: the addresses are memory, stored to in relaxed words. So the protocols can be tested on
 * plain arrays, under ThreadSanitizer as well.
 *
 * Threads: the publisher. Blocks in pwrite, pread and posix_fallocate alone; never allocates.
 */
#ifndef RTOP_SHM_OUTLET_H
#define RTOP_SHM_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTLET_RUNS = 3, OUTLET_RUN_BYTES = 8192, OUTLET_EXTENTS = 8 };

/* Bytes that follow each other in the file and go out in one write. */
struct outlet_run {
  uint64_t offset; /* where the first one goes */
  size_t bytes;
  unsigned char buffer[OUTLET_RUN_BYTES];
};

/* A part of the file of which only the beginning has its memory yet. */
struct outlet_extent {
  uint64_t offset, bytes;
  uint64_t reserved; /* of these */
  uint64_t step;     /* by how much it grows */
};

struct outlet {
  int fd;
  const unsigned char *view; /* the address that stands for the start of the file */
  int cause;                 /* errno of the first failure; 0: none so far */
  struct outlet_run runs[OUTLET_RUNS];
  size_t extent_count;
  struct outlet_extent extents[OUTLET_EXTENTS];
};

/* `outlet` is zeroed memory. */
void outlet_init(struct outlet *outlet, int fd, const void *view);
bool outlet_failed(const struct outlet *outlet);

/* From now on this part of the file is reserved in steps. */
void outlet_grow(struct outlet *outlet, const struct outlet_extent *extent);

/* Before bytes are stored where perhaps nothing is reserved yet: reserves them. False: there is no room; nothing
 * may be stored there, and nothing else is the worse for it. */
bool outlet_reserve(struct outlet *outlet, const void *shared, size_t count);

/* Stores now. `shared` is 8-byte aligned, and when it is memory the last partial word is padded with zeros. */
void outlet_store(struct outlet *outlet, void *shared, const void *bytes, size_t count);

/* Stores by the next outlet_flush() at the latest: for tables that grow at their end, each in a run of its
 * own. */
void outlet_append(struct outlet *outlet, void *shared, const void *bytes, size_t count);
void outlet_flush(struct outlet *outlet);

/* What was stored before is there before what is stored after. */
void outlet_fence(const struct outlet *outlet);

/* Stores one word behind everything before it: release. */
void outlet_release(struct outlet *outlet, uint64_t *shared, uint64_t value);

/* Reads back, appended bytes too. False: it cannot be; nothing is promised of *bytes then. */
bool outlet_load(struct outlet *outlet, void *bytes, const void *shared, size_t count);

#endif
