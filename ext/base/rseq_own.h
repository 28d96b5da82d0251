/* SPDX-License-Identifier: MIT */
/* Gives each native thread an rseq area (rseq(2)) where the C library registers none, as with musl. With glibc, the
 * areas that glibc registers are used.
 *
 * The kernel writes into a thread's area until the very end of the thread, even after musl has unmapped the thread's
 * stack and thread-locals. So the areas are entries of a static table in this library, which is never unmapped (-z
 * nodelete). A thread releases its entry as it ends; entries of a parent's threads are lost in a forked child. A thread
 * has no area when the table is full or when other code registered one.
 *
 * Threads: any thread, for its own area. No lock, no allocation. rseq_own_start() must be called first, once.
 */
#ifndef RTOP_EXT_RSEQ_OWN_H
#define RTOP_EXT_RSEQ_OWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#if !defined(__GLIBC__) && !__has_include(<sys/rseq.h>) && defined(SYS_rseq) && (defined(__x86_64__) || defined(__aarch64__))
#define RTOP_RSEQ_OWN 1

#ifdef __x86_64__
#define RSEQ_SIG 0x53053053
#else
#define RSEQ_SIG 0xd428bc00
#endif

/* The kernel's structure (linux/rseq.h), for systems that lack this header. */
struct rseq {
  uint32_t cpu_id_start, cpu_id;
  uint64_t rseq_cs;
  uint32_t flags;
} __attribute__((aligned(32)));

struct rseq_cs {
  uint32_t version, flags;
  uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

/* Prepares the table. Returns false when no thread can have an area. */
bool rseq_own_start(void);

/* Returns the area of the calling thread; 0 when it has none, or has not claimed one yet. */
uintptr_t rseq_own_area(void);

/* Returns the area of the calling thread, registered at the first call with at most two system calls. */
uintptr_t rseq_own_claim(void);

#endif
#endif
