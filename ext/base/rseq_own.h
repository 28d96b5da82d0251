/* SPDX-License-Identifier: MIT */
/* An rseq area (rseq(2)) for each native thread, where the C library registers none: musl. glibc's are used as they are.
 *
 * The kernel writes into the area of a thread whenever it was off its core, to the very end of the thread, whose stack and
 * thread-locals musl unmaps before that. So areas are places of a table of the library's own, which stays mapped (-z nodelete).
 * A thread gives its place back when it ends; of one that cannot (the threads of the parent, in a child) it is lost. A thread for
 * which none is left, or which somebody else has registered, has no area.
 *
 * Threads: any, each for itself. No lock, no allocation. rseq_own_start() once, before.
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

/* As the kernel has them (linux/rseq.h, which small systems lack). */
struct rseq {
  uint32_t cpu_id_start, cpu_id;
  uint64_t rseq_cs;
  uint32_t flags;
} __attribute__((aligned(32)));

struct rseq_cs {
  uint32_t version, flags;
  uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

/* False: no thread can have one. */
bool rseq_own_start(void);

/* That of the calling thread; 0 when it has none, or none yet. */
uintptr_t rseq_own_area(void);

/* The same, and the first time registers one: two system calls at most. */
uintptr_t rseq_own_claim(void);

#endif
#endif
