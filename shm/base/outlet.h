/* SPDX-License-Identifier: MIT */
/* Outlet: how the writer stores into its segment without a mapping. Private to shm/.
 *
 * A store into a shared mapping raises SIGBUS after the file was truncated. So the writer has only a view, which is
 * inaccessible address space of the segment's size, and a store to an address in the view becomes a pwrite at the same
 * offset in the file. A failed write is an error, never a signal: the publisher blocks all signals, also SIGXFSZ. After
 * the first failure nothing more is written, so the order of the protocol holds for everything that was written before.
 *
 * If an outlet is NULL, addresses are real memory and are stored to in relaxed words; so the protocols can be tested on
 * plain arrays, also under ThreadSanitizer.
 *
 * Threads: the publisher. Blocks only in pwrite, pread and posix_fallocate; never allocates.
 */
#ifndef RTOP_SHM_OUTLET_H
#define RTOP_SHM_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTLET_RUNS = 3, OUTLET_RUN_BYTES = 8192, OUTLET_EXTENTS = 8 };

/* Adjacent bytes of the file that are written together. */
struct outlet_run {
  uint64_t offset; /* offset of the first byte in the file */
  size_t bytes;
  unsigned char buffer[OUTLET_RUN_BYTES];
};

/* A part of the file whose blocks are allocated in steps, from its beginning. */
struct outlet_extent {
  uint64_t offset, bytes;
  uint64_t reserved; /* number of these bytes that are allocated */
  uint64_t step;     /* number of bytes allocated in one step */
};

struct outlet {
  int fd;
  const unsigned char *view; /* address in the view that stands for the start of the file */
  int cause;                 /* errno of the first failure; 0 while there is none */
  struct outlet_run runs[OUTLET_RUNS];
  size_t extent_count;
  struct outlet_extent extents[OUTLET_EXTENTS];
};

/* Initialises an outlet; `outlet` is zeroed memory. */
void outlet_init(struct outlet *outlet, int fd, const void *view);
bool outlet_failed(const struct outlet *outlet);

/* Registers a part of the file that is to be allocated in steps from now on. */
void outlet_grow(struct outlet *outlet, const struct outlet_extent *extent);

/* Allocates the blocks for bytes that are about to be stored. Returns false when there is no room: nothing may be
 * stored there, and all other parts of the segment are unaffected. */
bool outlet_reserve(struct outlet *outlet, const void *shared, size_t count);

/* Stores at once. `shared` must be 8-byte aligned; in real memory the last partial word is padded with zeros. */
void outlet_store(struct outlet *outlet, void *shared, const void *bytes, size_t count);

/* Stores the bytes at the next outlet_flush() or earlier. For tables that grow at their end; each table gets a run of
 * its own. */
void outlet_append(struct outlet *outlet, void *shared, const void *bytes, size_t count);
void outlet_flush(struct outlet *outlet);

/* Orders all earlier stores before all later ones. */
void outlet_fence(const struct outlet *outlet);

/* Stores one word after all earlier stores (release). */
void outlet_release(struct outlet *outlet, uint64_t *shared, uint64_t value);

/* Reads back bytes that were stored or appended. Returns false when that fails; *bytes is then undefined. */
bool outlet_load(struct outlet *outlet, void *bytes, const void *shared, size_t count);

#endif
