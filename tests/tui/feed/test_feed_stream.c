#include "tests/tui/recording_fixture.h"

#include "shm/base/clock.h"
#include "tui/recording/recording_bytes.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* What stands in a file, as standard input would bring it. */
static int brought(const void *content, size_t bytes)
{
  int fd = memfd_create("stream", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, content, bytes), (ssize_t)bytes);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  return fd;
}

struct streamed {
  struct rtop_profile *profile;
  struct rtop_feed *feeds[8];
  int count;
  struct rtop_stream_look look;
};

static void stream_poll(struct streamed *streamed)
{
  enum rtop_feed_state state;
  struct rtop_feed *next;
  for (int i = 0; i < streamed->count; i++) rtop_feed_poll(streamed->feeds[i], streamed->profile, &state);
  while (streamed->count < 8 && (next = rtop_feed_stream_next(streamed->feeds[0], (uint32_t)streamed->count)))
    streamed->feeds[streamed->count++] = next;
  assert_true(rtop_feed_stream_look(streamed->feeds[0], &streamed->look));
}

/* False: it does not open; error says why. */
static bool stream_open(struct streamed *streamed, int fd, struct rtop_error *error)
{
  *streamed = (struct streamed){ .profile = rtop_profile_create(256 << 20) };
  streamed->feeds[0] = rtop_feed_open_stream(fd, streamed->profile, error);
  streamed->count = streamed->feeds[0] != NULL;
  if (streamed->count) stream_poll(streamed);
  return streamed->count > 0;
}

static void stream_close(struct streamed *streamed)
{
  for (int i = 0; i < streamed->count; i++) rtop_feed_close(&streamed->feeds[i]);
  rtop_profile_destroy(&streamed->profile);
}

static void test_a_file_through_a_pipe(void **state)
{
  (void)state;
  for (uint32_t sources = 1; sources <= 2; sources++) {
    struct streamed streamed;
    struct life life = life_record(recording_path("a.rpt"), 200, sources, 0);
    int fd = open(recording_path("a.rpt"), O_RDONLY | O_CLOEXEC);
    assert_true(stream_open(&streamed, fd, NULL));
    assert_int_equal(streamed.count, sources);
    assert_true(streamed.look.ended);
    assert_false(streamed.look.broken);
    assert_int_equal(streamed.look.damages, 0);
    struct rtop_span all = rtop_profile_bounds(life.profile);
    replay_assert_same(life.profile, streamed.profile, all);
    for (int64_t at = all.start_ns; at < all.end_ns; at += 700 * MS)
      replay_assert_same(life.profile, streamed.profile, fixture_span(at, at + 1000 * MS));
    for (int i = 0; i < streamed.count; i++) {
      assert_int_equal(rtop_feed_info(streamed.feeds[i])->pid, life_info[i].pid);
      assert_string_equal(rtop_feed_info(streamed.feeds[i])->command, life_info[i].command);
    }
    stream_close(&streamed);
    close(fd);
    life_end(&life);
  }
}

struct both {
  struct life life;
  struct rtop_recorder *recorder;
  int ends[2]; /* read, write */
};

static void both_open(struct both *both, bool socket)
{
  struct rtop_error error = { 0 };
  if (socket) assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both->ends), 0);
  else assert_int_equal(pipe2(both->ends, O_CLOEXEC), 0);
  life_start(&both->life, rtop_profile_create(256 << 20));
  both->recorder = rtop_recorder_stream(both->ends[1], both->life.profile, &error);
  if (!both->recorder) fail_msg("%s", error.text);
  struct rtop_feed_info info = life_info[0];
  info.host = "web\033[1m7";
  info.parent = 17;
  assert_true(rtop_recorder_source(both->recorder, 0, &info));
}

static void both_close(struct both *both)
{
  rtop_recorder_close(&both->recorder, NULL);
  close(both->ends[0]);
  close(both->ends[1]);
  life_end(&both->life);
}

/* While it is written and read in turn, both know the same but for what is still on its way. */
static void test_live(void **state)
{
  (void)state;
  for (int socket = 0; socket <= 1; socket++) {
    struct both both;
    struct streamed streamed = { 0 };
    both_open(&both, socket);
    for (int i = 0; i < 300; i++) {
      life_step(&both.life, 1);
      if (i % 10 != 9) continue;
      rtop_recorder_tick(both.recorder);
      assert_true(rtop_recorder_send(both.recorder));
      if (streamed.count) stream_poll(&streamed);
      else assert_true(stream_open(&streamed, both.ends[0], NULL));
      struct rtop_span held = rtop_profile_bounds(streamed.profile);
      assert_true(held.end_ns > both.life.now_ns - 2500 * MS);
      assert_false(streamed.look.ended);
    }
    rtop_recorder_finish(both.recorder);
    while (rtop_recorder_queued(both.recorder) > 0) {
      assert_true(rtop_recorder_send(both.recorder));
      stream_poll(&streamed);
    }
    stream_poll(&streamed);
    assert_true(streamed.look.ended);
    assert_false(streamed.look.broken);
    replay_assert_same(both.life.profile, streamed.profile, rtop_profile_bounds(both.life.profile));
    const struct rtop_feed_info *info = rtop_feed_info(streamed.feeds[0]);
    assert_int_equal(info->parent, 17);
    assert_int_equal(info->owner, geteuid() ? geteuid() : 65534); /* source files are not opened as root */
    assert_null(strchr(info->host, '\033'));
    assert_memory_equal(info->host, "web", 3);
    stream_close(&streamed);
    both_close(&both);
  }
}

/* What a stream says of a process comes across: state, losses, how it ended. */
static void test_pulses(void **state)
{
  (void)state;
  struct both both;
  struct streamed streamed;
  struct rtop_feed_end end;
  both_open(&both, false);
  struct rtop_pulse pulse = { .state = RTOP_FEED_STALLED, .tells_losses = true };
  pulse.losses[RTOP_LOSS_NODES] = 12;
  rtop_recorder_pulse(both.recorder, 0, &pulse);
  life_step(&both.life, 1);
  rtop_recorder_tick(both.recorder);
  assert_true(rtop_recorder_send(both.recorder));
  assert_true(stream_open(&streamed, both.ends[0], NULL));
  assert_int_equal(rtop_feed_seen_state(streamed.feeds[0]), RTOP_FEED_STALLED);
  assert_int_equal(rtop_feed_info(streamed.feeds[0])->losses[RTOP_LOSS_NODES], 12);
  assert_false(rtop_feed_end(streamed.feeds[0], &end));
  pulse = (struct rtop_pulse){ .state = RTOP_FEED_DEAD, .cause = "signal", .text = "killed by\a signal 9" };
  rtop_recorder_pulse(both.recorder, 0, &pulse);
  rtop_recorder_finish(both.recorder);
  assert_true(rtop_recorder_send(both.recorder));
  stream_poll(&streamed);
  stream_poll(&streamed);
  assert_int_equal(rtop_feed_seen_state(streamed.feeds[0]), RTOP_FEED_DEAD);
  assert_true(rtop_feed_end(streamed.feeds[0], &end));
  assert_string_equal(end.cause, "signal");
  assert_null(strchr(end.text, '\a'));
  stream_close(&streamed);
  both_close(&both);
}

/* Nobody reads: what waits is bounded, whole windows are left out, and the reader hears how many. */
static void test_a_slow_reader(void **state)
{
  (void)state;
  struct both both;
  struct streamed streamed;
  size_t most = 0;
  both_open(&both, false);
  assert_true(rtop_recorder_send(both.recorder));
  const int steps = 6000;
  for (int i = 0; i < steps; i++) {
    life_step(&both.life, 1);
    rtop_recorder_tick(both.recorder);
    assert_true(rtop_recorder_send(both.recorder));
    if (rtop_recorder_queued(both.recorder) > most) most = rtop_recorder_queued(both.recorder);
  }
  assert_in_range(most, 1 << 20, (1 << 20) + (1 << 17));
  rtop_recorder_finish(both.recorder);
  bool open = false;
  while (rtop_recorder_queued(both.recorder) > 0 || !open) {
    assert_true(rtop_recorder_send(both.recorder));
    if (!open) open = stream_open(&streamed, both.ends[0], NULL);
    else stream_poll(&streamed);
  }
  stream_poll(&streamed);
  assert_true(streamed.look.ended);
  struct rtop_sum sum = { 0 };
  assert_true(rtop_profile_sum(streamed.profile, rtop_profile_bounds(streamed.profile), &sum));
  assert_int_equal(sum.window_count, rtop_recorder_windows(both.recorder));
  assert_in_range(sum.window_count, 500, steps - 500);
  rtop_sum_destroy(&sum);
  stream_close(&streamed);
  both_close(&both);
}

/* After such a time the reader goes on with what comes then. */
static void test_a_reader_that_was_slow(void **state)
{
  (void)state;
  struct both both;
  struct streamed streamed;
  both_open(&both, false);
  assert_true(rtop_recorder_send(both.recorder));
  for (int i = 0; i < 6000; i++) life_step(&both.life, 1);
  rtop_recorder_tick(both.recorder);
  uint64_t before = rtop_recorder_windows(both.recorder);
  assert_in_range(before, 500, 5500);
  assert_true(rtop_recorder_send(both.recorder));
  assert_true(stream_open(&streamed, both.ends[0], NULL));
  while (rtop_recorder_queued(both.recorder) > 0) {
    assert_true(rtop_recorder_send(both.recorder));
    stream_poll(&streamed);
  }
  struct rtop_pulse pulse = { .state = RTOP_FEED_LIVE };
  rtop_recorder_pulse(both.recorder, 0, &pulse);
  for (int i = 0; i < 20; i++) life_step(&both.life, 1);
  assert_int_equal(rtop_recorder_windows(both.recorder), before + 20);
  rtop_recorder_finish(both.recorder);
  assert_true(rtop_recorder_send(both.recorder));
  stream_poll(&streamed);
  assert_int_equal(streamed.look.left_out, 6000 - before);
  struct rtop_span last = fixture_span(both.life.now_ns - 1000 * MS, both.life.now_ns);
  replay_assert_same(both.life.profile, streamed.profile, last);
  stream_close(&streamed);
  both_close(&both);
}

/* The reader goes away: that is noticed, also when there is nothing to send. */
static void test_no_reader(void **state)
{
  (void)state;
  struct both both;
  signal(SIGPIPE, SIG_IGN);
  for (int socket = 0; socket <= 1; socket++) {
    both_open(&both, socket);
    assert_true(rtop_recorder_send(both.recorder));
    assert_int_equal(rtop_recorder_queued(both.recorder), 0);
    close(both.ends[0]);
    assert_false(rtop_recorder_send(both.recorder));
    assert_null(rtop_recorder_problem(both.recorder));
    both.ends[0] = dup(both.ends[1]);
    both_close(&both);
  }
}

/* A clock there that is days from ours, and runs off another wall clock, changes nothing: behind is what came late. */
static void test_other_clocks(void **state)
{
  (void)state;
  struct both both;
  struct streamed streamed;
  both_open(&both, false);
  both.life.now_ns = clock_now_ns() + INT64_C(86400000000000) * 3;
  for (int i = 0; i < 10; i++) life_step(&both.life, 1);
  int64_t end_ns = both.life.now_ns;
  rtop_recorder_tick(both.recorder);
  assert_true(rtop_recorder_send(both.recorder));
  assert_true(stream_open(&streamed, both.ends[0], NULL));
  assert_true(streamed.look.behind_ns < 2000 * MS);
  assert_true(llabs(clock_now_ns() + streamed.look.clock_ns - end_ns) < 2000 * MS);
  /* Half a minute of windows is held up and comes at once: till the last of them is here it is behind. */
  int64_t before_ns = streamed.look.behind_ns;
  struct pollfd some = { .fd = both.ends[0], .events = POLLIN };
  while (streamed.look.behind_ns < before_ns + 20 * MS) {
    poll(&some, 1, 5);
    stream_poll(&streamed);
  }
  assert_true(streamed.look.silent_ns >= 10 * MS);
  stream_close(&streamed);
  both_close(&both);
}

static void check_prefix(const struct life *life, const unsigned char *content, size_t bytes, size_t whole)
{
  struct streamed streamed;
  struct rtop_error error = { 0 };
  int fd = brought(content, bytes);
  if (stream_open(&streamed, fd, &error)) {
    assert_true(streamed.look.ended);
    assert_int_equal(streamed.look.broken, bytes < whole);
    struct rtop_span held = rtop_profile_bounds(streamed.profile);
    /* What is late comes later than what it changes. */
    if (held.end_ns > held.start_ns + 500 * MS)
      replay_assert_same(life->profile, streamed.profile, fixture_span(held.start_ns, held.end_ns - 500 * MS));
    assert_int_equal(rtop_feed_problem(streamed.feeds[0]) != NULL, bytes < whole);
  } else {
    assert_true(error.text[0] != '\0' && !strchr(error.text, '\n'));
  }
  stream_close(&streamed);
  close(fd);
}

static void test_cut_at_every_byte(void **state)
{
  (void)state;
  size_t bytes;
  struct life life = life_record(recording_path("a.rpt"), 24, 1, 0);
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  assert_in_range(bytes, 2000, 30000);
  for (size_t cut = 0; cut <= bytes; cut++) check_prefix(&life, content, cut, bytes);
  free(content);
  life_end(&life);
}

/* Any byte is another one: a chunk may be lost, never more than the one it is in and what needs its names. */
static void test_damaged_at_many_bytes(void **state)
{
  (void)state;
  size_t bytes;
  struct life life = life_record(recording_path("a.rpt"), 40, 1, 0);
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  for (size_t at = sizeof(struct recording_head); at < bytes; at += 7) {
    struct streamed streamed;
    content[at] ^= 0x55;
    int fd = brought(content, bytes);
    if (stream_open(&streamed, fd, NULL)) {
      struct rtop_sum sum = { 0 };
      assert_true(streamed.look.ended);
      assert_true(rtop_profile_sum(streamed.profile, rtop_profile_bounds(streamed.profile), &sum));
      assert_in_range(sum.window_count, 20, 40);
      rtop_sum_destroy(&sum);
    }
    stream_close(&streamed);
    close(fd);
    content[at] ^= 0x55;
  }
  free(content);
  life_end(&life);
}

static void check_refused(const void *content, size_t bytes, const char *word)
{
  struct streamed streamed;
  struct rtop_error error = { 0 };
  int fd = brought(content, bytes);
  assert_false(stream_open(&streamed, fd, &error));
  if (!strstr(error.text, word)) fail_msg("'%s' in '%s'", word, error.text);
  stream_close(&streamed);
  close(fd);
}

static void test_no_stream(void **state)
{
  (void)state;
  char text[200000];
  memset(text, 'x', sizeof text);
  check_refused("", 0, "nothing came");
  check_refused("Permission denied (publickey).\n", 31, "is no recording");
  check_refused("abc", 3, "holds no process");
  check_refused(text, sizeof text, "is no recording");
  struct recording_head head = { .byte_order = RECORDING_BYTE_ORDER, .version_major = RECORDING_VERSION_MAJOR + 1 };
  memcpy(head.magic, RECORDING_MAGIC, sizeof head.magic);
  recording_seal(&head, sizeof head, RECORDING_TAG_HEAD);
  check_refused(&head, sizeof head, "another version");
}

static size_t put_head(unsigned char *out)
{
  struct recording_head head = { .byte_order = RECORDING_BYTE_ORDER, .version_major = RECORDING_VERSION_MAJOR };
  memcpy(head.magic, RECORDING_MAGIC, sizeof head.magic);
  recording_seal(&head, sizeof head, RECORDING_TAG_HEAD);
  memcpy(out, &head, sizeof head);
  return sizeof head;
}

/* Lengths that promise gigabytes: what is held is what came, and what comes behind them is found. */
static void test_no_input(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_error error = { 0 };
  assert_null(rtop_feed_open_stream(-1, profile, &error));
  assert_string_equal(error.text, "standard input is closed");
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) {
    assert_null(rtop_feed_open_stream(terminal, profile, &error));
    assert_non_null(strstr(error.text, "is a terminal"));
    close(terminal);
  }
  rtop_profile_destroy(&profile);
}

static void test_oversize_lengths(void **state)
{
  (void)state;
  size_t bytes, used;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes), *all = malloc(bytes + 1000);
  struct recording_chunk_head huge[] = {
    { .names_bytes = UINT32_MAX, .names_raw_bytes = UINT32_MAX },
    { .names_bytes = 100, .names_raw_bytes = UINT32_MAX },
    { .names_bytes = UINT32_MAX, .names_raw_bytes = 100 },
    { .windows_bytes = 1 << 30, .windows_raw_bytes = RECORDING_RAW_BYTES_MAX },
    { .windows_bytes = 10, .windows_raw_bytes = RECORDING_RAW_BYTES_MAX },
    { .start_ns = 5, .end_ns = 4 },
  };
  for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
    struct streamed streamed;
    struct rtop_error error = { 0 };
    used = put_head(all);
    recording_seal(&huge[i], sizeof huge[i], RECORDING_TAG_CHUNK);
    memcpy(all + used, &huge[i], sizeof huge[i]);
    used += sizeof huge[i];
    memcpy(all + used, content + sizeof(struct recording_head), bytes - sizeof(struct recording_head));
    used += bytes - sizeof(struct recording_head);
    int fd = brought(all, used);
    if (!stream_open(&streamed, fd, &error)) fail_msg("%zu: %s", i, error.text);
    assert_true(streamed.look.ended);
    assert_false(streamed.look.broken);
    assert_int_equal(streamed.look.damages, 1);
    replay_assert_same(life.profile, streamed.profile, rtop_profile_bounds(life.profile));
    stream_close(&streamed);
    close(fd);
  }
  free(all);
  free(content);
  life_end(&life);
}

/* Chunks that unpack to far more than what came are refused with words. */
static void test_a_bomb(void **state)
{
  (void)state;
  struct recording_bytes out = { 0 }, names = { 0 }, windows = { 0 };
  unsigned char head[64], *zeros = calloc(1, 16 << 20);
  struct streamed streamed;
  put_head(head);
  size_t bytes;
  struct life life = life_record(recording_path("a.rpt"), 5, 1, 0);
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  struct recording_chunk_head first;
  memcpy(&first, content + sizeof head, sizeof first);
  size_t first_bytes = sizeof first + first.names_bytes + first.windows_bytes;
  recording_put(&out, content, sizeof head + first_bytes);
  recording_put(&windows, zeros, 16 << 20);
  for (int i = 0; i < 20; i++) {
    struct recording_chunk_head chunk = { .number = 2 };
    recording_put_chunk(&out, &chunk, &names, &windows);
  }
  int fd = brought(out.data, out.count);
  assert_true(stream_open(&streamed, fd, NULL));
  assert_true(streamed.look.ended);
  assert_true(streamed.look.broken);
  stream_poll(&streamed);
  assert_non_null(rtop_feed_problem(streamed.feeds[0]));
  assert_non_null(strstr(rtop_feed_problem(streamed.feeds[0]), "unpacks to more than"));
  stream_close(&streamed);
  close(fd);
  recording_bytes_destroy(&out);
  recording_bytes_destroy(&windows);
  free(zeros);
  free(content);
  life_end(&life);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_through_a_pipe),
    cmocka_unit_test(test_live),
    cmocka_unit_test(test_pulses),
    cmocka_unit_test(test_a_slow_reader),
    cmocka_unit_test(test_a_reader_that_was_slow),
    cmocka_unit_test(test_no_reader),
    cmocka_unit_test(test_other_clocks),
    cmocka_unit_test(test_cut_at_every_byte),
    cmocka_unit_test(test_damaged_at_many_bytes),
    cmocka_unit_test(test_no_stream),
    cmocka_unit_test(test_no_input),
    cmocka_unit_test(test_oversize_lengths),
    cmocka_unit_test(test_a_bomb),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
