/* SPDX-License-Identifier: MIT */
/* Opens a recording, and reads its chunks. */
#include "recording_read.h"

#include "recording_read_impl.h"
#include "shm/base/error.h"
#include "shm/window/window.h"
#include "tui/text/source_rights.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  READ_RATIO_MAX = 256, /* more than LZ4 can do */
  READ_PACKED_MORE = 1 << 12,
  READ_NO_GROUP = 65534, /* of a user whom nobody knows here */
};

bool recording_pread(const struct rtop_recording *recording, void *to, size_t bytes, uint64_t position)
{
  char *next = to;
  while (bytes > 0) {
    ssize_t got = pread(recording->fd, next, bytes, (off_t)position);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    position += (uint64_t)got;
    bytes -= (size_t)got;
  }
  return true;
}

static bool read_fail(struct rtop_error *error, enum rtop_error_code code, const char *path, const char *why)
{
  rtop_error_set(error, code, 0, "%s %s", path, why);
  return false;
}

void rtop_recording_refuse(const struct rtop_recording *recording, const char *path, struct rtop_error *error)
{
  char why[128];
  rtop_budget_say(recording->budget.limit, recording->budget.source_bytes, why, sizeof why);
  rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "%s %s", path, why);
}

uid_t rtop_recording_owner(const struct rtop_recording *recording)
{
  return recording->owner;
}

struct rtop_budget *rtop_recording_budget(struct rtop_recording *recording)
{
  return &recording->budget;
}

bool recording_check_head(const struct recording_head *head, const char *path, struct rtop_error *error)
{
  if (memcmp(head->magic, RECORDING_MAGIC, sizeof head->magic) != 0)
    return read_fail(error, RTOP_ERROR_CORRUPT, path, "is no recording of rperf-top");
  if (head->byte_order != RECORDING_BYTE_ORDER)
    return read_fail(error, RTOP_ERROR_VERSION, path, "was made on a machine with another byte order");
  if (head->version_major != RECORDING_VERSION_MAJOR)
    return read_fail(error, RTOP_ERROR_VERSION, path, "is of another version: open it with that rperf-top");
  if (!recording_sealed(head, sizeof *head, RECORDING_TAG_HEAD))
    return read_fail(error, RTOP_ERROR_CORRUPT, path, "is damaged at its very beginning");
  return true;
}

static bool read_head(struct rtop_recording *recording, const char *path, struct rtop_error *error)
{
  struct recording_head *head = &recording->head;
  struct stat status;
  if (fstat(recording->fd, &status) != 0 || !S_ISREG(status.st_mode))
    return read_fail(error, RTOP_ERROR_CORRUPT, path, "is no file");
  recording->bytes = (uint64_t)status.st_size;
  recording->owner = status.st_uid;
  if (recording->bytes < sizeof *head || !recording_pread(recording, head, sizeof *head, 0))
    return read_fail(error, RTOP_ERROR_CORRUPT, path, "is no recording of rperf-top");
  if (!recording_check_head(head, path, error)) return false;
  recording->budget.source_bytes = recording->bytes;
  recording->index.budget = &recording->budget;
  return true;
}

/* Checks the sizes that the file declares against the budget; nothing beyond them is decompressed. */
static bool read_is_modest(struct rtop_recording *recording)
{
  for (size_t i = 0; i < recording->index.chunk_count; i++) {
    const struct recording_chunk_head *head = &recording->index.chunks[i].head;
    if (!rtop_budget_spend(&recording->budget, RTOP_BUDGET_CONTENT,
                           (uint64_t)head->names_raw_bytes + head->windows_raw_bytes))
      return false;
  }
  return !recording->budget.over;
}

static bool read_chunks(struct rtop_recording *recording)
{
  recording->complete = recording_read_ends(recording);
  return (recording->complete || (!recording->budget.over && recording_walk(recording))) && read_is_modest(recording);
}

/* Nothing of it has been read yet. */
bool rtop_recording_become_owner(int fd, const char *path, struct rtop_error *error)
{
  struct source_rights rights;
  struct stat status;
  if (geteuid() != 0 || fstat(fd, &status) != 0 || status.st_uid == 0) return true;
  if (!source_rights_of(&rights, 0, status.st_uid))
    rights = (struct source_rights){ .user = status.st_uid, .group = READ_NO_GROUP };
  if (source_rights_become(&rights)) return true;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0,
                 "%s is not read: the rights of its owner (user %u) cannot be taken here; a copy of your own is read",
                 path, (unsigned)status.st_uid);
  return false;
}

struct rtop_recording *rtop_recording_open(const char *path, struct rtop_error *error)
{
  struct rtop_recording *recording = calloc(1, sizeof *recording);
  if (!recording) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
    return NULL;
  }
  recording->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (recording->fd < 0) rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot open %s: %s", path, strerror(errno));
  else if (rtop_recording_become_owner(recording->fd, path, error) && read_head(recording, path, error)) {
    if (read_chunks(recording)) return recording;
    if (recording->budget.over) rtop_recording_refuse(recording, path, error);
    else rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  }
  rtop_recording_close(&recording);
  return NULL;
}

void rtop_recording_close(struct rtop_recording **handle)
{
  struct rtop_recording *recording = *handle;
  *handle = NULL;
  if (!recording) return;
  if (recording->fd >= 0) close(recording->fd);
  recording_index_destroy(&recording->index);
  recording_names_free(recording);
  recording_bytes_destroy(&recording->packed);
  recording_bytes_destroy(&recording->raw);
  free(recording);
}

const struct recording_index *rtop_recording_index(const struct rtop_recording *recording)
{
  return &recording->index;
}

int64_t rtop_recording_created_real_ns(const struct rtop_recording *recording)
{
  return recording->head.created_real_ns;
}

bool rtop_recording_complete(const struct rtop_recording *recording)
{
  return recording->complete;
}

bool recording_sizes_right(uint32_t bytes, uint32_t raw_bytes)
{
  return raw_bytes <= RECORDING_RAW_BYTES_MAX && raw_bytes / READ_RATIO_MAX <= bytes &&
         bytes <= READ_PACKED_MORE + (uint64_t)raw_bytes + raw_bytes / 64;
}

bool recording_take_frame(struct rtop_recording *recording, const void *packed, uint32_t bytes, uint32_t raw_bytes)
{
  recording->raw.count = 0;
  recording->raw.failed = false;
  recording->rows = (struct varint_reader){ 0 };
  if (raw_bytes > RECORDING_RAW_BYTES_MAX || raw_bytes / READ_RATIO_MAX > bytes) return false;
  unsigned char *raw = recording_bytes_room(&recording->raw, raw_bytes);
  if (!raw || !recording_unpack(packed, bytes, raw, raw_bytes)) return false;
  recording->rows = (struct varint_reader){ .next = raw, .end = raw + raw_bytes };
  return true;
}

bool recording_read_frame(struct rtop_recording *recording, uint64_t position, uint32_t bytes, uint32_t raw_bytes)
{
  recording->packed.count = 0;
  recording->packed.failed = false;
  recording->rows = (struct varint_reader){ 0 };
  if (bytes > recording->bytes || position > recording->bytes - bytes) return false;
  unsigned char *packed = recording_bytes_room(&recording->packed, bytes);
  return packed && recording_pread(recording, packed, bytes, position) &&
         recording_take_frame(recording, packed, bytes, raw_bytes);
}

bool recording_read_record(struct varint_reader *rows, uint64_t *kind, struct varint_reader *content)
{
  if (varint_left(rows) == 0) return false;
  *kind = varint_get(rows);
  uint64_t bytes = varint_get(rows);
  if (rows->bad || bytes > varint_left(rows)) {
    rows->next = rows->end;
    return false;
  }
  *content = (struct varint_reader){ .next = rows->next, .end = rows->next + bytes };
  rows->next += bytes;
  return true;
}

bool rtop_recording_load(struct rtop_recording *recording, size_t at)
{
  recording->rows = (struct varint_reader){ 0 };
  if (at >= recording->index.chunk_count) return false;
  const struct recording_chunk *chunk = &recording->index.chunks[at];
  if (chunk->head.windows_bytes == 0) return true;
  return recording_read_frame(recording, chunk->position + sizeof chunk->head + chunk->head.names_bytes,
                              chunk->head.windows_bytes, chunk->head.windows_raw_bytes);
}

static bool read_stretch(struct varint_reader *content, uint32_t *source, struct rtop_window *window)
{
  uint64_t number = varint_get(content);
  int64_t start_ns = recording_get_signed(content);
  uint64_t length = varint_get(content);
  *source = (uint32_t)number;
  window->start_mono_ns = start_ns;
  return !content->bad && number < RECORDING_SOURCES_MAX && start_ns >= 0 && length > 0 && length <= INT64_MAX &&
         !__builtin_add_overflow(start_ns, (int64_t)length, &window->end_mono_ns);
}

enum rtop_recording_row rtop_recording_next(struct rtop_recording *recording, uint32_t *source,
                                            struct rtop_window *window)
{
  uint64_t kind;
  struct varint_reader content;
  const struct rtop_window_limits limits = { .node_count = RECORDING_NODES_MAX, .thread_slots = 1 };
  while (recording_read_record(&recording->rows, &kind, &content)) {
    rtop_window_reset(window);
    if ((kind != RECORDING_WINDOW && kind != RECORDING_GAP) || !read_stretch(&content, source, window)) continue;
    if (kind == RECORDING_GAP) return RTOP_RECORDING_GAP;
    if (rtop_window_decode(window, content.next, varint_left(&content), &limits)) return RTOP_RECORDING_WINDOW;
  }
  return RTOP_RECORDING_END;
}
