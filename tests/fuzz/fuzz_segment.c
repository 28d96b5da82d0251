/* A whole segment file of whatever bytes, opened and read to the last entry as a viewer would.
 *
 * A mutated file would hardly ever pass its checksums, so the harness builds one: the input is laid over
 * a small segment that a writer made, patch by patch, and half of the inputs have the checksums of
 * geometry and windows put right afterwards. Inputs that start with the magic bytes are taken as files
 * as they are.
 */
#include "shm/base/liveness.h"
#include "shm/base/ring.h"
#include "shm/channel/reader.h"
#include "shm/channel/writer.h"
#include "shm/segment/registry.h"
#include "tui/feed/feed.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { WINDOWS = 5, NAMED_PID = 999999999 };

static char directory[64];
static char dead_path[512], live_path[512];
static const char *path;       /* one of them */
static pid_t holder;           /* holds the lock of the other */
static unsigned char *pattern; /* the file as its writer left it */
static size_t pattern_bytes;
static unsigned char *file;

static void demand(bool condition)
{
  if (!condition) abort();
}

static void clean_up(void)
{
  static const char *const endings[] = { "", ".ctl" };
  for (int i = 0; i < 4; i++) {
    char name[520];
    snprintf(name, sizeof name, "%s%s", i & 1 ? dead_path : live_path, endings[i / 2]);
    unlink(name);
  }
  rmdir(directory);
}

static void publish(struct rtop_ring *ring, uint64_t n)
{
  struct rtop_window window = { .start_mono_ns = (int64_t)n * 100, .end_mono_ns = (int64_t)n * 100 + 100 };
  unsigned char raw[1000], packed[1000], scratch[1000];
  struct rtop_slot slot = {
    .start_mono_ns = window.start_mono_ns, .end_mono_ns = window.end_mono_ns, .node_count = 20, .frame_count = 10
  };
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  for (uint32_t i = 0; i < 10 * n % 17; i++)
    *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = i, .wall_ns = 7 * i, .state = i % 5 };
  *rtop_window_add_mark(&window) = (struct rtop_mark){ .mono_ns = window.start_mono_ns + 5, .name = 8 };
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = 100, .cell = { .node = 3, .wall_ns = 9 } };
  rtop_window_set_counter(&window, RTOP_COUNTER_SAMPLES, n);
  slot.raw_bytes = (uint32_t)rtop_window_encode(&window, raw, sizeof raw, scratch);
  slot.stored_bytes = (uint32_t)rtop_window_compress(raw, slot.raw_bytes, packed, sizeof packed, &slot.codec);
  demand(rtop_ring_publish(ring, &slot, packed) == n);
  rtop_window_destroy(&window);
}

/* Tables by hand and small: 20 nodes, 10 frames, one string, one thread. */
static void fill(struct rtop_segment *segment)
{
  uint64_t count;
  struct rtop_counters *counters = rtop_segment_counters(segment);
  struct rtop_ring ring = { .counters = counters, .instance_id = segment->geometry.instance_id };
  struct rtop_node_entry *nodes = rtop_segment_elements(segment, RTOP_SECTION_NODES, &count);
  unsigned char *strings = rtop_segment_elements(segment, RTOP_SECTION_STRINGS, &count);
  struct rtop_thread_entry *threads = rtop_segment_elements(segment, RTOP_SECTION_THREADS, &count);
  ring.slots = rtop_segment_elements(segment, RTOP_SECTION_DIRECTORY, &ring.slot_count);
  ring.bytes = rtop_segment_elements(segment, RTOP_SECTION_RING, &ring.capacity);
  for (uint32_t i = 1; i < 20; i++) nodes[i] = (struct rtop_node_entry){ .parent = i / 2, .frame = i % 10, .depth = 1 };
  strings[8] = 5;
  memcpy(strings + 16, "hello", 5);
  threads[1] = (struct rtop_thread_entry){ .version = 2, .serial = 1, .name_bytes = 4, .name = "main" };
  counters->string_bytes = 24;
  counters->frame_count = 10;
  counters->node_count = 20;
  for (uint64_t n = 1; n <= WINDOWS; n++) publish(&ring, n);
  struct rtop_counters *tiers = rtop_segment_elements(segment, RTOP_SECTION_TIERS, &count);
  for (uint32_t i = 0; i < RTOP_MERGED_TIERS; i++) {
    struct rtop_ring tier = { .counters = &tiers[i], .instance_id = segment->geometry.instance_id };
    tier.slots = rtop_segment_elements(segment, RTOP_SECTION_DIRECTORY_1S + 2 * i, &tier.slot_count);
    tier.bytes = rtop_segment_elements(segment, RTOP_SECTION_RING_1S + 2 * i, &tier.capacity);
    for (uint64_t n = 1; n <= WINDOWS; n++) publish(&tier, n);
  }
}

/* A process that lives, as far as locks tell. */
static void hold_live(void)
{
  int ready[2];
  char byte = 0;
  demand(pipe(ready) == 0);
  holder = fork();
  demand(holder >= 0);
  if (holder == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(live_path, sizeof live_path, "%s/rperf-top.%u.%d.0123456789abcdef", directory, (unsigned)geteuid(),
             (int)getpid());
    int fd = open(live_path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && rtop_liveness_hold_writer(fd) == 0 && write(ready[1], &byte, 1) == 1)
      for (;;) pause();
    _exit(1);
  }
  demand(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  close(ready[1]);
  snprintf(live_path, sizeof live_path, "%s/rperf-top.%u.%d.0123456789abcdef", directory, (unsigned)geteuid(),
           (int)holder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  struct rtop_segment_sizes sizes = { 4096, 4, 4096, 16, 32, 8, { { 4096, 4 }, { 4096, 4 } } };
  struct rtop_segment_identity identity = { .window_ns = 100000000, .command = "fuzz" };
  struct rtop_segment segment;
  (void)count;
  (void)arguments;
  snprintf(directory, sizeof directory, "/dev/shm/rtop-fuzz.XXXXXX");
  demand(mkdtemp(directory) != NULL);
  demand(rtop_segment_create(&segment, directory, &sizes, &identity, NULL) == 0);
  /* A writer's view has no memory: here it gets some. */
  demand(mmap(segment.base, segment.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment.fd, 0) ==
         segment.base);
  fill(&segment);
  pattern_bytes = segment.bytes;
  pattern = malloc(pattern_bytes);
  file = malloc(pattern_bytes);
  memcpy(pattern, segment.base, pattern_bytes);
  rtop_segment_close(&segment, true);
  snprintf(dead_path, sizeof dead_path, "%s/rperf-top.%u.%d.0123456789abcdef", directory, (unsigned)geteuid(),
           NAMED_PID);
  setenv("RPERF_TOP_DIR", directory, 1);
  hold_live();
  atexit(clean_up);
  return 0;
}

/* Patches of the form: offset (2 bytes), length (1 byte, at most 16), bytes. */
static void patch(const uint8_t *data, size_t size)
{
  while (size >= 3) {
    size_t offset = ((size_t)data[0] << 8 | data[1]) % pattern_bytes, length = data[2] % 17;
    data += 3;
    size -= 3;
    length = length < size ? length : size;
    length = length < pattern_bytes - offset ? length : pattern_bytes - offset;
    memcpy(file + offset, data, length);
    data += length;
    size -= length;
  }
}

static void sign_windows(const struct rtop_geometry *geometry, const struct rtop_section *directory_section,
                         const struct rtop_section *ring)
{
  for (uint64_t offset = 0; offset + sizeof(struct rtop_slot) <= directory_section->bytes;
       offset += sizeof(struct rtop_slot)) {
    struct rtop_slot slot;
    unsigned char *place = file + directory_section->offset + offset;
    memcpy(&slot, place, sizeof slot);
    uint64_t start = slot.position & (ring->bytes - 1);
    if (slot.stored_bytes > ring->bytes - start) continue;
    slot.crc32c = 0;
    uint32_t crc = rtop_crc32c(rtop_crc32c(0, geometry->instance_id, 16), &slot, sizeof slot);
    slot.crc32c = rtop_crc32c(crc, file + ring->offset + start, slot.stored_bytes);
    memcpy(place, &slot, sizeof slot);
  }
}

static void sign(void)
{
  struct rtop_geometry geometry;
  const struct rtop_section *sections[RTOP_SECTION_RING_10S + 1] = { NULL };
  memcpy(&geometry, file, sizeof geometry);
  geometry.crc32c = rtop_geometry_crc(&geometry);
  memcpy(file, &geometry, sizeof geometry);
  if (rtop_geometry_validate(&geometry, pattern_bytes, NULL) != 0) return;
  for (uint32_t i = 0; i < geometry.section_count; i++)
    if (geometry.sections[i].kind <= RTOP_SECTION_RING_10S) sections[geometry.sections[i].kind] = &geometry.sections[i];
  static const uint32_t directories[] = { RTOP_SECTION_DIRECTORY, RTOP_SECTION_DIRECTORY_1S,
                                          RTOP_SECTION_DIRECTORY_10S };
  for (size_t i = 0; i < RTOP_TIERS; i++)
    if (sections[directories[i]] && sections[directories[i] + 1])
      sign_windows(&geometry, sections[directories[i]], sections[directories[i] + 1]);
}

static void write_file(const void *bytes, size_t count)
{
  int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  demand(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
  close(fd);
}

/* What stands beside it may be anything, too. */
static void write_control(const void *bytes, size_t count)
{
  static unsigned char page[RTOP_PAGE_BYTES];
  char name[520];
  snprintf(name, sizeof name, "%s.ctl", path);
  int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  memcpy(page, bytes, count < sizeof page ? count : sizeof page);
  demand(fd >= 0 && write(fd, page, sizeof page) == (ssize_t)sizeof page);
  close(fd);
}

static void read_tables(const struct rtop_reader *reader)
{
  char text[256];
  struct rtop_frame_entry frame;
  struct rtop_node_entry node;
  struct rtop_thread_entry thread;
  for (uint32_t id = 0; id < 40; id++) {
    if (rtop_reader_node(reader, id, &node)) demand(id == 0 ? node.parent == 0 : node.parent < id);
    if (rtop_reader_frame(reader, id, &frame))
      demand(rtop_reader_string(reader, frame.label, text, sizeof text) < sizeof text);
    if (rtop_reader_thread(reader, id, 1, &thread)) demand(thread.name_bytes <= sizeof thread.name);
    demand(rtop_reader_string(reader, id * 4, text, 8) < 8);
  }
}

static void read_tier(struct rtop_reader *reader, enum rtop_tier tier)
{
  static struct rtop_window window;
  int64_t start, end;
  uint64_t newest = rtop_reader_tier_newest(reader, tier), oldest = rtop_reader_tier_oldest(reader, tier);
  uint64_t found = rtop_reader_tier_find(reader, tier, 250);
  demand(oldest <= newest);
  demand(oldest == 0 || (found >= oldest && found - 1 <= newest));
  for (uint64_t i = 0; i < 8; i++) {
    const uint64_t asked[] = { i, newest - i, oldest + i, newest + 1 };
    for (size_t k = 0; k < sizeof asked / sizeof asked[0]; k++) {
      if (rtop_reader_tier_time(reader, tier, asked[k], &start, &end) == RTOP_OK) demand(start >= 0 && start <= end);
      if (rtop_reader_tier_window(reader, tier, asked[k], &window) == RTOP_OK)
        for (size_t c = 0; c < window.cell_count; c++)
          demand(window.cells[c].thread < window.thread_count && window.cells[c].node < rtop_reader_node_count(reader));
    }
  }
}

static void read_everything(struct rtop_reader *reader)
{
  struct rtop_counters counters;
  demand(rtop_channel_state_name(rtop_reader_state(reader, 0, NULL))[0] != '\0');
  rtop_reader_state(reader, INT64_C(100000000000), NULL);
  rtop_reader_counters(reader, &counters);
  rtop_reader_bound(reader, &counters);
  demand(counters.node_count <= rtop_reader_node_count(reader) || rtop_reader_node_count(reader) == 0);
  demand(strcmp(rtop_reader_path(reader), path) == 0);
  rtop_reader_watch(reader, 1000, NULL);
  demand(rtop_reader_oldest(reader) == rtop_reader_tier_oldest(reader, RTOP_TIER_FINE));
  for (enum rtop_tier tier = RTOP_TIER_FINE; tier < RTOP_TIERS; tier++) read_tier(reader, tier);
  for (int is = 0; is < 8; is++) demand(rtop_channel_state_name((enum rtop_channel_state)is)[0] != '\0');
  read_tables(reader);
}

/* Names are let go, and needed again. */
static void forget_names(struct rtop_feed *feed, struct rtop_profile *profile)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  for (int i = 0; i < 2; i++) {
    rtop_symbols_sweep_begin(symbols);
    rtop_symbols_sweep_end(symbols);
    rtop_feed_forget(feed, profile);
  }
  for (uint32_t id = 1; id < rtop_symbols_node_count(symbols); id++)
    demand(rtop_symbols_get_node(symbols, id)->parent == 0 && !rtop_symbols_holds_node(symbols, id));
}

static void set_head(uint64_t sequence)
{
  const off_t head = RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, head_sequence);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  demand(fd >= 0 && pwrite(fd, &sequence, sizeof sequence, head) == sizeof sequence);
  close(fd);
}

/* Labels are completed and windows come while somebody looks. */
static void rename_frames(const struct rtop_geometry *geometry)
{
  const off_t labels = RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, frame_labels);
  uint64_t completed = 7;
  uint32_t reference = 8;
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  demand(fd >= 0 && pwrite(fd, &completed, sizeof completed, labels) == sizeof completed);
  for (uint32_t i = 0; i < geometry->section_count && i < RTOP_SECTION_MAX; i++)
    for (off_t id = 3; geometry->sections[i].kind == RTOP_SECTION_FRAMES && id < 9; id += 3)
      demand(pwrite(fd, &reference, sizeof reference,
                    (off_t)geometry->sections[i].offset + id * (off_t)sizeof(struct rtop_frame_entry)) > 0);
  close(fd);
  set_head(WINDOWS);
}

/* The way that the viewer takes: into a history, with all names, till nothing more comes. */
static void feed_it(bool renames, bool skips, bool forgets)
{
  static struct rtop_sum sum;
  enum rtop_feed_state state;
  struct rtop_error error = { 0 };
  if (!rtop_feed_is_segment(path)) return;
  if (renames) set_head(WINDOWS - 2);
  struct rtop_feed *feed = rtop_feed_open_segment(path, 0, &error);
  demand(feed || error.text[0] != '\0');
  if (!feed) return;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  if (skips) rtop_feed_skip_past(feed, renames ? INT64_C(300000000) : 0);
  for (int polls = 0; polls < 8; polls++) {
    struct rtop_feed_end end;
    rtop_feed_poll(feed, profile, &state);
    rtop_feed_end(feed, &end);
    if (polls == 0 && forgets) forget_names(feed, profile);
    if (polls == 0 && renames) rename_frames((const struct rtop_geometry *)(const void *)pattern);
    demand(rtop_feed_wait_ms(feed) > 0 && rtop_feed_info(feed) != NULL);
  }
  demand(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
}

/* As a stranger's among others: listed, looked for, swept. */
static void find_it(bool is_old)
{
  static struct rtop_registry_entry entries[8];
  struct rtop_error error = { 0 };
  size_t count = rtop_registry_list(entries, 8);
  demand(count <= 8);
  demand(rtop_registry_list(entries, 1) <= 1 && rtop_registry_list(entries, 8) == count);
  for (size_t i = 0; i < count; i++) {
    struct rtop_ending ending;
    struct rtop_counters said = { .state = entries[i].ended ? RTOP_WRITER_ENDED : RTOP_WRITER_LIVE,
                                  .ending = entries[i].geometry.created_real_ns & 0x3ff };
    char text[64];
    rtop_registry_ending(entries[i].pid, &entries[i].geometry, &said, 300, &ending);
    rtop_ending_text(&ending, text, sizeof text);
  }
  demand(rtop_registry_find(NAMED_PID, entries, &error) == 0 || error.text[0] != '\0');
  demand(rtop_registry_find(getpid(), entries, &error) != 0);
  demand(rtop_registry_find(holder, entries, &error) == 0 || error.text[0] != '\0');
  struct rtop_feed *feed = rtop_feed_open_process(is_old ? holder : NAMED_PID, 0, 0, &error);
  demand(feed || error.text[0] != '\0');
  rtop_feed_close(&feed);
  const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  if (is_old) utimensat(AT_FDCWD, path, old, 0);
  rtop_registry_sweep(directory, 1 << 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct rtop_error error = { 0 };
  if (size < 1) return 0;
  path = data[size - 1] & 1 ? live_path : dead_path;
  if (size >= 8 && memcmp(data, RTOP_MAGIC, 8) == 0) {
    write_file(data, size);
  } else {
    memcpy(file, pattern, pattern_bytes);
    patch(data + 1, size - 1);
    if (data[0] & 1) sign();
    write_file(file, data[0] & 2 ? pattern_bytes : pattern_bytes - (data[0] >> 2) * 64u);
  }
  if (data[size - 1] & 1) write_control(data, size);
  struct rtop_reader *reader = rtop_reader_open(path, (uid_t)-1, &error);
  demand(reader ? error.code == RTOP_ERROR_NONE : error.text[0] != '\0');
  if (reader) read_everything(reader);
  rtop_reader_close(&reader);
  feed_it(data[size - 1] & 2, data[size - 1] & 4, data[size - 1] & 16);
  find_it(data[size - 1] & 8);
  return 0;
}
