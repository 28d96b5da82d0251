/* Recordings of every version there was: they open for ever, and say what they said. UPDATE_GOLDEN=1 makes
 * those of this version if they are not there, and writes anew what all of them say. */
#include "tests/tui/recording_fixture.h"

#include "shm/base/ring.h"
#include "tui/recording/recording_format.h"
#include <glob.h>

static const char *golden_folder(void)
{
  static char folder[512];
  snprintf(folder, sizeof folder, "%s", __FILE__);
  char *slash = strrchr(folder, '/');
  snprintf(slash ? slash : folder, sizeof folder - (slash ? (size_t)(slash - folder) : 0), "/../recordings");
  return folder;
}

static char *golden_say(const char *path)
{
  struct replayed replayed;
  struct rtop_error error = { 0 };
  struct rtop_profile_mark marks[32];
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!replay_open(&replayed, path, &error)) fail_msg("%s", error.text);
  for (int i = 0; i < replayed.count; i++) {
    const struct rtop_feed_info *info = rtop_feed_info(replayed.feeds[i]);
    fprintf(out, "source %d %d %s ruby %s %u %lld %lld\n", i, (int)info->pid, info->command, info->ruby,
            info->window_ns, (long long)info->clock_offset_ns, (long long)info->started_real_ns);
  }
  struct rtop_span all = rtop_profile_bounds(replayed.profile);
  size_t count = rtop_profile_marks(replayed.profile, all, marks, 32);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "mark %lld %u %s\n", (long long)marks[i].time_ns, marks[i].source, marks[i].name);
  for (int64_t start_ns = all.start_ns; start_ns < all.end_ns; start_ns += 1000 * MS) {
    char *said = replay_print(replayed.profile, fixture_span(start_ns, start_ns + 1000 * MS));
    fprintf(out, "%.*s crc %08x\n", (int)strcspn(said, "\n"), said, rtop_crc32c(0, said, strlen(said)));
    free(said);
  }
  char *said = replay_print(replayed.profile, all);
  fputs(said, out);
  free(said);
  fclose(out);
  replay_close(&replayed);
  return text;
}

/* As it is written to its end, and as it is when the recorder is killed. */
static void golden_make(void)
{
  char path[640], cut[640], two[640];
  size_t bytes;
  snprintf(path, sizeof path, "%s/%u.%u.rpt", golden_folder(), RECORDING_VERSION_MAJOR, RECORDING_VERSION_MINOR);
  snprintf(cut, sizeof cut, "%s/%u.%u-killed.rpt", golden_folder(), RECORDING_VERSION_MAJOR, RECORDING_VERSION_MINOR);
  snprintf(two, sizeof two, "%s/%u.%u-two.rpt", golden_folder(), RECORDING_VERSION_MAJOR, RECORDING_VERSION_MINOR);
  if (access(path, F_OK) == 0) return;
  struct life life = life_record(two, 8, 2, 0);
  life_end(&life);
  life = life_record(path, 42, 1, 0);
  unsigned char *content = recording_load_file(path, &bytes);
  recording_save_file(cut, content, bytes / 2);
  free(content);
  life_end(&life);
}

static void golden_check(const char *path)
{
  char expected_path[1024];
  size_t bytes;
  snprintf(expected_path, sizeof expected_path, "%.*s.txt", (int)(strlen(path) - 4), path);
  char *said = golden_say(path);
  if (getenv("UPDATE_GOLDEN")) {
    recording_save_file(expected_path, said, strlen(said));
  } else {
    char *expected = (char *)recording_load_file(expected_path, &bytes);
    expected[bytes] = '\0';
    assert_string_equal(said, expected);
    free(expected);
  }
  free(said);
}

static void test_they_say_what_they_said(void **state)
{
  (void)state;
  char pattern[640];
  glob_t found = { 0 };
  if (getenv("UPDATE_GOLDEN")) golden_make();
  snprintf(pattern, sizeof pattern, "%s/*.rpt", golden_folder());
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  assert_true(found.gl_pathc >= 3);
  for (size_t i = 0; i < found.gl_pathc; i++) golden_check(found.gl_pathv[i]);
  globfree(&found);
}

/* What is written today still reads the same: a change of the format without a change of its version would
 * show. */
static void test_this_version_has_one(void **state)
{
  (void)state;
  char path[640];
  snprintf(path, sizeof path, "%s/%u.%u.rpt", golden_folder(), RECORDING_VERSION_MAJOR, RECORDING_VERSION_MINOR);
  struct life life = life_record(recording_path("now.rpt"), 42, 1, 0);
  char *before = golden_say(path), *now = golden_say(recording_path("now.rpt"));
  assert_string_equal(before, now);
  free(before);
  free(now);
  life_end(&life);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_they_say_what_they_said),
    cmocka_unit_test(test_this_version_has_one),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
