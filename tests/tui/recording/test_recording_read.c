#include "tests/tui/recording_fixture.h"

#include "shm/base/ring.h"
#include "tui/recording/recording_format.h"
#include "tui/recording/recording_read.h"
#include <sys/wait.h>
#include <unistd.h>

/* Opens what stands at the path, asks for everything, and says what can be known. */
static size_t read_all(const char *path, struct rtop_span *held)
{
  struct replayed replayed;
  struct rtop_sum sum = { 0 };
  size_t windows = 0;
  *held = (struct rtop_span){ 0, 0 };
  if (replay_open(&replayed, path, NULL)) {
    *held = rtop_profile_bounds(replayed.profile);
    assert_true(rtop_profile_sum(replayed.profile, *held, &sum));
    windows = sum.window_count;
    rtop_sum_destroy(&sum);
  }
  replay_close(&replayed);
  return windows;
}

/* A label that was completed after the cut is still the old one. */
static void complete_label(struct rtop_symbols *symbols)
{
  for (uint32_t frame = 1; frame < rtop_symbols_frame_count(symbols); frame++)
    if (strcmp(rtop_symbols_get(symbols, frame)->label, "sleep") == 0)
      rtop_symbols_relabel(symbols, frame, "Kernel#sleep", 12, "Kernel", 6);
}

/* Cut off at any byte, it opens up to its last whole second, and says the same of what it holds. */
static void test_cut_off_at_every_byte(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 45, 1, 0);
  size_t bytes, windows_before = 45;
  free(recording_load_file(recording_path("a.rpt"), &bytes));
  char path[128];
  strcpy(path, recording_path("a.rpt"));
  assert_in_range(bytes, 1000, 100000);
  for (size_t cut = bytes; cut-- > 0;) {
    struct rtop_span held;
    assert_int_equal(truncate(path, (off_t)cut), 0);
    size_t windows = read_all(path, &held);
    assert_in_range(windows_before - windows, 0, 10); /* a second goes at a time, as a whole */
    if (windows != windows_before && windows > 0) {
      struct replayed replayed;
      assert_true(replay_open(&replayed, path, NULL));
      complete_label(rtop_profile_symbols(replayed.profile));
      replay_assert_same(life.profile, replayed.profile, fixture_span(held.start_ns, held.end_ns - 500 * MS));
      replay_close(&replayed);
    }
    windows_before = windows;
  }
  assert_int_equal(windows_before, 0);
  life_end(&life);
}

/* A bit is wrong somewhere: what is hit is missing or has no names, the rest is as it was; nothing is made
 * up. */
static void test_any_bit_flipped(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 60, 1, 0);
  size_t bytes;
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  char path[128];
  strcpy(path, recording_path("flip.rpt"));
  struct rtop_span all = rtop_profile_bounds(life.profile);
  size_t lost_most = 0;
  for (size_t at = sizeof(struct recording_head); at < bytes; at += 5) {
    struct rtop_span held;
    content[at] ^= (unsigned char)(1u << (at % 8));
    recording_save_file(path, content, bytes);
    size_t windows = read_all(path, &held);
    content[at] ^= (unsigned char)(1u << (at % 8));
    assert_true(windows <= 60 && held.start_ns >= all.start_ns && held.end_ns <= all.end_ns);
    lost_most = 60 - windows > lost_most ? 60 - windows : lost_most;
  }
  assert_in_range(lost_most, 5, 11);
  free(content);
  life_end(&life);
}

static void test_without_its_end(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 100, 2, 0);
  struct rtop_recording *recording = rtop_recording_open(recording_path("a.rpt"), NULL);
  assert_true(rtop_recording_complete(recording));
  size_t chunks = rtop_recording_index(recording)->chunk_count, bytes;
  uint64_t last = rtop_recording_index(recording)->chunks[chunks - 1].position;
  rtop_recording_close(&recording);
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  recording_save_file(recording_path("b.rpt"), content, bytes - 1);
  recording = rtop_recording_open(recording_path("b.rpt"), NULL);
  assert_false(rtop_recording_complete(recording));
  assert_int_equal(rtop_recording_index(recording)->chunk_count, chunks);
  assert_true(rtop_recording_index(recording)->chunks[0].known_count > 0);
  rtop_recording_close(&recording);
  recording_save_file(recording_path("b.rpt"), content, last + 10);
  recording = rtop_recording_open(recording_path("b.rpt"), NULL);
  assert_int_equal(rtop_recording_index(recording)->chunk_count, chunks - 1);
  rtop_recording_close(&recording);
  free(content);
  life_end(&life);
}

static void save_head(const char *path, unsigned char *content, size_t bytes, const struct recording_head *head)
{
  struct recording_head sealed = *head;
  recording_seal(&sealed, sizeof sealed, RECORDING_TAG_HEAD);
  memcpy(content, &sealed, sizeof sealed);
  recording_save_file(path, content, bytes);
}

static void test_versions(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  struct rtop_error error = { 0 };
  struct rtop_span held;
  size_t bytes;
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  struct recording_head head, changed;
  memcpy(&head, content, sizeof head);
  char path[128];
  strcpy(path, recording_path("b.rpt"));
  changed = head;
  changed.version_minor += 7;
  save_head(path, content, bytes, &changed);
  assert_int_equal(read_all(path, &held), 20);
  changed.version_major += 1;
  save_head(path, content, bytes, &changed);
  assert_null(rtop_recording_open(path, &error));
  assert_int_equal(error.code, RTOP_ERROR_VERSION);
  assert_non_null(strstr(error.text, "another version"));
  changed = head;
  changed.byte_order = 0x04030201;
  save_head(path, content, bytes, &changed);
  assert_null(rtop_recording_open(path, &error));
  assert_non_null(strstr(error.text, "byte order"));
  free(content);
  life_end(&life);
}

/* What a later minor version adds is passed over: a frame with another tag, a record of another kind. */
static void test_unknown_things_are_skipped(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  struct rtop_span held;
  size_t bytes;
  unsigned char *content = recording_load_file(recording_path("a.rpt"), &bytes);
  struct recording_bytes out = { 0 }, windows = { 0 }, names = { 0 }, record = { 0 };
  struct {
    struct recording_frame frame;
    char text[20];
  } unknown = { .text = "from the future" };
  recording_put(&out, content, bytes);
  recording_seal(&unknown, sizeof unknown, "RPTX");
  recording_put(&out, &unknown, sizeof unknown);
  recording_put(&record, "hello", 5);
  recording_put_record(&windows, (enum recording_record)99, &record);
  record.count = 0;
  recording_put_number(&record, 0);
  recording_put_signed(&record, life.now_ns);
  recording_put_number(&record, 500 * MS);
  recording_put_record(&windows, RECORDING_GAP, &record);
  struct recording_chunk_head head = {
    .number = 99, .window_count = 1, .start_ns = life.now_ns, .end_ns = life.now_ns + 500 * MS, .late_ns = INT64_MAX
  };
  assert_true(recording_put_chunk(&out, &head, &names, &windows));
  recording_save_file(recording_path("b.rpt"), out.data, out.count);
  assert_int_equal(read_all(recording_path("b.rpt"), &held), 20);
  assert_int_equal(held.end_ns, life.now_ns + 500 * MS);
  recording_bytes_destroy(&out);
  recording_bytes_destroy(&windows);
  recording_bytes_destroy(&record);
  free(content);
  life_end(&life);
}

static void test_how_it_ended(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 2, 0);
  struct rtop_recording *recording = rtop_recording_open(recording_path("a.rpt"), NULL);
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  for (size_t i = 0; i < rtop_recording_index(recording)->chunk_count; i++)
    assert_true(rtop_recording_read_names(recording, i, profile));
  assert_int_equal(rtop_recording_source(recording, 0)->end_state, 1);
  assert_int_equal(rtop_recording_source(recording, 1)->end_state, 0);
  assert_null(rtop_recording_source(recording, 2));
  assert_true(rtop_recording_created_real_ns(recording) > INT64_C(1600000000000000000));
  rtop_profile_destroy(&profile);
  rtop_recording_close(&recording);
  life_end(&life);
}

enum { STRANGER = 4711 }; /* a user whom nobody knows */

/* In a process of its own, which has lost what it was afterwards. */
static void assert_reads_as(const char *path, uid_t expected)
{
  uid_t real, effective, saved;
  gid_t group;
  struct rtop_span held;
  pid_t child = fork();
  if (child == 0) {
    bool fine = read_all(path, &held) == 20 && getresuid(&real, &effective, &saved) == 0 && real == expected &&
                effective == expected && saved == expected;
    if (expected == STRANGER)
      fine = fine && getgroups(0, NULL) == 0 && getresgid(&group, &group, &group) == 0 && group != 0 &&
             access("/proc/1/environ", R_OK) != 0 && setuid(0) != 0;
    _exit(fine ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* Root reads another user's recording with that user's rights, wherever it stands, and its own with its own. */
static void test_root_takes_the_rights_of_its_owner(void **state)
{
  (void)state;
  struct life life = life_record(recording_path("a.rpt"), 20, 1, 0);
  assert_reads_as(recording_path("a.rpt"), geteuid());
  bool root = chown(recording_path("a.rpt"), STRANGER, 0) == 0; /* and of all users, not of a namespace with one */
  if (root) assert_reads_as(recording_path("a.rpt"), STRANGER);
  life_end(&life);
  if (!root) skip();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cut_off_at_every_byte),
    cmocka_unit_test(test_any_bit_flipped),
    cmocka_unit_test(test_without_its_end),
    cmocka_unit_test(test_versions),
    cmocka_unit_test(test_unknown_things_are_skipped),
    cmocka_unit_test(test_how_it_ended),
    cmocka_unit_test(test_root_takes_the_rights_of_its_owner),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
