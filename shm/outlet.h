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
 * Threads: the publisher. Blocks in pwrite and pread alone; never allocates.
 */
#ifndef RTOP_SHM_OUTLET_H
#define RTOP_SHM_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTLET_RUNS = 3, OUTLET_RUN_BYTES = 8192 };

/* Bytes that follow each other in the file and go out in one write. */
struct outlet_run {
  uint64_t offset;                     /* where the first one goes */
  size_t bytes;
  unsigned char buffer[OUTLET_RUN_BYTES];
};

struct outlet {
  int fd;
  const unsigned char *view;           /* the address that stands for the start of the file */
  int cause;                           /* errno of the first failure; 0: none so far */
  struct outlet_run runs[OUTLET_RUNS];
};

/* `outlet` is zeroed memory. */
void outlet_init(struct outlet *outlet, int fd, const void *view);
bool outlet_failed(const struct outlet *outlet);

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
