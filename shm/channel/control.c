/* SPDX-License-Identifier: MIT */
/* Writes and reads the control file. */
#include "control.h"
#include "shm/base/clock.h"
#include "shm/base/format.h"
#include "shm/base/liveness.h"
#include "shm/base/ring.h"
#include "shm/segment/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  CONTROL_READ_TRIES = 3,
  CONTROL_WAKE_TRIES = 8,
  CONTROL_NAP_NS = 100 * 1000 * 1000,
};

static uint32_t control_crc(uint32_t rate_hz)
{
  return rtop_crc32c(rtop_crc32c(0, RTOP_CONTROL_MAGIC, 8), &rate_hz, sizeof rate_hz);
}

static void *control_futex_word(const struct rtop_control *control)
{
  return (unsigned char *)control->page + offsetof(struct rtop_control_page, futex);
}

static int control_set_path(struct rtop_control *control, const char *segment_path, struct rtop_error *error)
{
  control->fd = -1;
  control->page = NULL;
  control->traces = 0;
  int length = snprintf(control->path, sizeof control->path, "%s.ctl", segment_path);
  if (length < 0 || (size_t)length >= sizeof control->path)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, ENAMETOOLONG, "the path %.96s... is too long", segment_path);
  return 0;
}

static int control_map(struct rtop_control *control, struct rtop_error *error)
{
  void *page = mmap(NULL, RTOP_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, control->fd, 0);
  if (page == MAP_FAILED)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot map %.160s: %s", control->path, strerror(errno));
  control->page = page;
  madvise(page, RTOP_PAGE_BYTES, MADV_DONTFORK);
  return 0;
}

static int control_fill(struct rtop_control *control, struct rtop_error *error)
{
  struct rtop_control_page page = { .crc32c = control_crc(0) };
  memcpy(page.magic, RTOP_CONTROL_MAGIC, sizeof page.magic);
  if (fchmod(control->fd, 0600) != 0)
    return rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot set the mode of %.160s: %s", control->path,
                          strerror(errno));
  if (segment_file_size(control->fd, RTOP_PAGE_BYTES, error) != 0 ||
      segment_file_reserve(control->fd, 0, RTOP_PAGE_BYTES, error) != 0)
    return -1;
  if (segment_file_write(control->fd, &page, sizeof page, 0, error) != 0) return -1;
  return control_map(control, error);
}

static bool control_remember(struct rtop_control *control)
{
  struct stat status;
  if (fstat(control->fd, &status) != 0) return false;
  control->device = status.st_dev;
  control->inode = status.st_ino;
  return true;
}

/* Removes a control file that could not be examined, since no other process can know its name. Returns -1. */
static int control_drop_new(struct rtop_control *control, struct rtop_error *error)
{
  rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot look at %.160s: %s", control->path, strerror(errno));
  unlink(control->path);
  close(control->fd);
  control->fd = -1;
  return -1;
}

int rtop_control_create(struct rtop_control *control, const char *segment_path, struct rtop_error *error)
{
  if (control_set_path(control, segment_path, error) != 0) return -1;
  control->fd = open(control->path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
  if (control->fd < 0)
    return rtop_error_set(error, errno == ENOSPC || errno == EDQUOT ? RTOP_ERROR_NO_SPACE : RTOP_ERROR_SYSTEM, errno,
                          "cannot make %.160s: %s; set RPERF_TOP_DIR to another directory", control->path,
                          strerror(errno));
  control->fd = segment_file_lift(control->fd);
  if (!control_remember(control)) return control_drop_new(control, error);
  if (control_fill(control, error) == 0) return 0;
  rtop_control_close(control, true);
  return -1;
}

int rtop_control_open(struct rtop_control *control, const char *segment_path, uid_t expected_uid,
                      struct rtop_error *error)
{
  struct stat status;
  if (control_set_path(control, segment_path, error) != 0) return -1;
  control->fd = segment_file_open(control->path, expected_uid, O_RDWR, &status, error);
  if (control->fd < 0) return -1;
  control_remember(control);
  if (status.st_size < RTOP_PAGE_BYTES)
    rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%.160s is cut off", control->path);
  else if (control_map(control, error) == 0) return 0;
  rtop_control_close(control, false);
  return -1;
}

void rtop_control_close(struct rtop_control *control, bool unlink_name)
{
  struct stat by_name;
  if (unlink_name && control->fd >= 0 && lstat(control->path, &by_name) == 0 && by_name.st_dev == control->device &&
      by_name.st_ino == control->inode)
    unlink(control->path);
  if (control->page) munmap(control->page, RTOP_PAGE_BYTES);
  segment_file_close(control->fd, control->device, control->inode);
  control->page = NULL;
  control->fd = -1;
}

int rtop_control_request(struct rtop_control *control, const struct rtop_request *request)
{
  struct rtop_control_page page = { .rate_hz = request->rate_hz, .crc32c = control_crc(request->rate_hz) };
  const size_t offset = offsetof(struct rtop_control_page, rate_hz);
  const size_t bytes = sizeof page - offset;
  if (control->fd < 0 || !segment_file_size_allowed(RTOP_PAGE_BYTES)) return -1;
  if (pwrite(control->fd, (unsigned char *)&page + offset, bytes, (off_t)offset) != (ssize_t)bytes) return -1;
  rtop_control_wake(control);
  return 0;
}

static bool control_page_right(const struct rtop_control_page *page)
{
  return memcmp(page->magic, RTOP_CONTROL_MAGIC, sizeof page->magic) == 0 && page->crc32c == control_crc(page->rate_hz);
}

static uint32_t control_bound_rate(uint32_t rate_hz)
{
  return rate_hz > RTOP_RATE_HZ_MAX ? RTOP_RATE_HZ_MAX : rate_hz;
}

/* Reads the futex word before the request: a request that arrives between the two changes the word, so the next wait
 * returns at once. A half-written request fails its CRC and is read again. */
void rtop_control_read(const struct rtop_control *control, struct rtop_request *request, uint32_t *futex_value)
{
  const off_t futex_offset = offsetof(struct rtop_control_page, futex);
  *request = (struct rtop_request){ 0 };
  *futex_value = 0;
  if (control->fd < 0 ||
      pread(control->fd, futex_value, sizeof *futex_value, futex_offset) != (ssize_t)sizeof *futex_value)
    return;
  for (int try = 0; try < CONTROL_READ_TRIES; try++) {
    struct rtop_control_page page;
    if (pread(control->fd, &page, sizeof page, 0) != (ssize_t)sizeof page) return;
    if (control_page_right(&page)) {
      request->rate_hz = control_bound_rate(page.rate_hz);
      return;
    }
  }
}

uint32_t rtop_trace_key(const char *name, size_t bytes)
{
  return rtop_crc32c(0, name, bytes);
}

static uint32_t trace_crc(const struct rtop_trace_slot *slot)
{
  const size_t from = offsetof(struct rtop_trace_slot, seconds);
  return rtop_crc32c(0, (const unsigned char *)slot + from, sizeof *slot - from);
}

static bool trace_write(const struct rtop_control *control, int place, struct rtop_trace_slot *slot)
{
  off_t offset = RTOP_TRACE_OFFSET + (off_t)place * (off_t)sizeof *slot;
  slot->crc32c = trace_crc(slot);
  if (!segment_file_size_allowed(RTOP_PAGE_BYTES) ||
      pwrite(control->fd, slot, sizeof *slot, offset) != (ssize_t)sizeof *slot)
    return false;
  rtop_control_wake(control);
  return true;
}

int rtop_control_trace(struct rtop_control *control, const char *name, uint32_t seconds, uint32_t slower_us)
{
  struct rtop_trace_slot slot = { .seconds = seconds, .bytes = (uint32_t)strlen(name), .slower_us = slower_us };
  if (control->fd < 0 || slot.bytes == 0 || slot.bytes > sizeof slot.name) return -1;
  memcpy(slot.name, name, slot.bytes);
  for (int place = 0; place < RTOP_TRACE_SLOTS; place++) {
    if (control->traces >> place & 1 || rtop_liveness_hold_trace(control->fd, place) != 0) continue;
    if (!trace_write(control, place, &slot)) break;
    control->traces |= 1u << place;
    return place;
  }
  return -1;
}

/* Withdraws a request. The lock is released last, since a slot without a lock may become another viewer's at once. */
void rtop_control_untrace(struct rtop_control *control, int slot)
{
  struct rtop_trace_slot nothing = { 0 };
  if (control->fd < 0 || slot < 0 || slot >= RTOP_TRACE_SLOTS || !(control->traces >> slot & 1)) return;
  trace_write(control, slot, &nothing);
  rtop_liveness_drop_trace(control->fd, slot);
  control->traces &= ~(1u << slot);
}

static bool trace_bound(const struct rtop_trace_slot *slot, struct rtop_trace_wish *wish)
{
  if (slot->bytes == 0 || slot->bytes > sizeof slot->name || slot->crc32c != trace_crc(slot)) return false;
  bool limited = slot->seconds > 0 && slot->seconds < RTOP_TRACE_SECONDS_MAX;
  *wish = (struct rtop_trace_wish){ .seconds = limited ? slot->seconds : RTOP_TRACE_SECONDS_MAX,
                                    .bytes = slot->bytes,
                                    .slower_us = slot->slower_us };
  memcpy(wish->name, slot->name, slot->bytes);
  return memchr(wish->name, '\0', slot->bytes) == NULL;
}

/* Reads the requests. A half-written request fails its CRC and is read again the next time. */
uint32_t rtop_control_traces(const struct rtop_control *control, struct rtop_trace_wish wishes[RTOP_TRACE_SLOTS])
{
  struct rtop_trace_slot slots[RTOP_TRACE_SLOTS];
  uint32_t wanted = 0;
  if (control->fd < 0 || pread(control->fd, slots, sizeof slots, RTOP_TRACE_OFFSET) != (ssize_t)sizeof slots) return 0;
  for (int place = 0; place < RTOP_TRACE_SLOTS; place++)
    if (trace_bound(&slots[place], &wishes[place]) && rtop_liveness_traces(control->fd, place)) wanted |= 1u << place;
  return wanted;
}

static struct timespec control_timespec(int64_t ns)
{
  return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

/* Sleeps for a short time when there is no futex, so that a caller's loop does not spin. */
static bool control_nap(int64_t timeout_ns)
{
  bool whole = timeout_ns >= 0 && timeout_ns <= CONTROL_NAP_NS;
  struct timespec nap = control_timespec(whole ? timeout_ns : CONTROL_NAP_NS);
  nanosleep(&nap, NULL);
  return !whole;
}

bool rtop_control_wait(const struct rtop_control *control, uint32_t futex_value, int64_t timeout_ns)
{
  if (!control->page) return control_nap(timeout_ns);
  int64_t now_ns = clock_now_ns();
  int64_t end_ns = timeout_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + timeout_ns;
  struct timespec deadline = control_timespec(end_ns);
  if (syscall(SYS_futex, control_futex_word(control), FUTEX_WAIT_BITSET, futex_value, timeout_ns < 0 ? NULL : &deadline,
              NULL, FUTEX_BITSET_MATCH_ANY) == 0 ||
      errno == EINTR || errno == EAGAIN)
    return true;
  return errno != ETIMEDOUT && control_nap(timeout_ns);
}

/* A C library may have the system call's number although the kernel headers are older and lack the other
 * definitions. */
#if defined SYS_futex_waitv && defined FUTEX_32
bool rtop_control_wait_either(const struct rtop_control *control, uint32_t futex_value, const void *word,
                              uint32_t expected, int64_t deadline_ns)
{
  if (!control->page || prctl(PR_GET_SECCOMP) != 0) return false;
  /* layout of struct __kernel_timespec */
  const int64_t deadline[2] = { deadline_ns / 1000000000, deadline_ns % 1000000000 };
  const struct futex_waitv waits[2] = {
    { .uaddr = (uintptr_t)word, .val = expected, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG },
    { .uaddr = (uintptr_t)control_futex_word(control), .val = futex_value, .flags = FUTEX_32 },
  };
  return syscall(SYS_futex_waitv, waits, 2, 0, deadline, CLOCK_MONOTONIC) >= 0 || errno == EAGAIN || errno == EINTR ||
         errno == ETIMEDOUT;
}
#else
bool rtop_control_wait_either(const struct rtop_control *control, uint32_t futex_value, const void *word,
                              uint32_t expected, int64_t deadline_ns)
{
  (void)control, (void)futex_value, (void)word, (void)expected, (void)deadline_ns;
  return false;
}
#endif

/* Restores the page if the file was truncated: the kernel finds a sleeper by the file's page, and cannot wake it up
 * while the page is missing. */
static bool control_mend(const struct rtop_control *control)
{
  struct stat status;
  return fstat(control->fd, &status) == 0 && status.st_dev == control->device && status.st_ino == control->inode &&
         status.st_size < RTOP_PAGE_BYTES && segment_file_size_allowed(RTOP_PAGE_BYTES) &&
         ftruncate(control->fd, RTOP_PAGE_BYTES) == 0;
}

/* Changes the word and wakes up the sleeper in two steps, where a seccomp filter forbids the combined operation. */
static void control_wake_in_steps(const struct rtop_control *control, void *word)
{
  const off_t offset = offsetof(struct rtop_control_page, futex);
  uint32_t value;
  if (!segment_file_size_allowed(RTOP_PAGE_BYTES) ||
      pread(control->fd, &value, sizeof value, offset) != (ssize_t)sizeof value)
    return;
  value++;
  if (pwrite(control->fd, &value, sizeof value, offset) == (ssize_t)sizeof value)
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Makes the kernel add to the word and wake up the sleeper in one step. So there is no store of ours that could fault
 * in a truncated file, and no write that could exceed a file size limit. */
void rtop_control_wake(const struct rtop_control *control)
{
  if (!control->page) return;
  void *word = control_futex_word(control);
  for (int try = 0; try < CONTROL_WAKE_TRIES; try++) {
    if (syscall(SYS_futex, word, FUTEX_WAKE_OP, INT_MAX, (void *)0, word,
                FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0)) >= 0)
      return;
    if (errno != EFAULT) {
      control_wake_in_steps(control, word);
      return;
    }
    if (!control_mend(control)) return;
  }
}
