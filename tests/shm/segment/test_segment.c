#include "tests/shm/support.h"

#include "shm/base/liveness.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rtop_segment created;

static void create(void)
{
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  struct rtop_error error = { 0 };
  if (rtop_segment_create(&created, support_directory(), &sizes, &identity, &error) != 0) fail_msg("%s", error.text);
}

static int tear_down(void **state)
{
  rtop_segment_close(&created, true);
  return support_empty(state);
}

static void test_create_then_open(void **state)
{
  (void)state;
  struct rtop_segment opened;
  struct rtop_error error = { 0 };
  struct stat status;
  create();
  assert_int_equal(support_count_files(), 1);
  assert_int_equal(stat(created.path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0600);
  assert_int_equal(status.st_nlink, 1);
  /* Reserved is what must be there from the beginning. */
  uint64_t reserved = RTOP_SECTIONS_OFFSET;
  for (uint32_t i = 0; i < created.geometry.section_count; i++)
    reserved += rtop_segment_reserved(&created.geometry.sections[i]);
  assert_true((uint64_t)status.st_blocks * 512 >= reserved);
  assert_int_equal(status.st_size, created.geometry.segment_bytes);
  assert_int_equal(rtop_segment_open(&opened, created.path, (uid_t)-1, &error), 0);
  assert_memory_equal(&opened.geometry, &created.geometry, sizeof opened.geometry);
  assert_int_equal(opened.geometry.pid, getpid());
  assert_int_equal(opened.geometry.uid, geteuid());
  assert_string_equal(opened.geometry.ruby_version, "3.3.8");
  assert_string_equal(opened.geometry.command, "ruby app.rb");
  assert_true(opened.geometry.start_ticks > 0 && opened.geometry.created_real_ns > 0);
  assert_int_equal(rtop_segment_counters(&opened)->state, RTOP_WRITER_LIVE);
  assert_true(rtop_segment_intact(&opened));
  rtop_segment_close(&opened, false);
  assert_int_equal(support_count_files(), 1);
}

static void test_name_says_user_and_pid(void **state)
{
  (void)state;
  char expected[128];
  create();
  snprintf(expected, sizeof expected, "%s/rperf-top.%u.%d.", support_directory(), (unsigned)geteuid(), (int)getpid());
  assert_memory_equal(created.path, expected, strlen(expected));
  assert_int_equal(strlen(created.path), strlen(expected) + 16);
}

static void test_sections_are_where_they_were_asked(void **state)
{
  (void)state;
  struct rtop_segment_sizes sizes = support_sizes();
  const uint64_t expected[] = { 0,
                                sizes.string_bytes,
                                sizes.frame_capacity,
                                sizes.node_capacity,
                                sizes.thread_capacity,
                                sizes.directory_slots,
                                sizes.ring_bytes };
  create();
  for (uint32_t kind = 1; kind <= 6; kind++) {
    uint64_t count;
    unsigned char *start = rtop_segment_elements(&created, (enum rtop_section_kind)kind, &count);
    const struct rtop_section *section = rtop_segment_section(&created, (enum rtop_section_kind)kind);
    assert_int_equal(count, expected[kind]);
    assert_ptr_equal(start, (unsigned char *)created.base + section->offset);
    assert_int_equal((uintptr_t)start % RTOP_PAGE_BYTES, 0);
    unsigned char ones[4096];
    memset(ones, 1, sizeof ones);
    for (uint64_t at = 0; at < section->bytes; at += sizeof ones) {
      size_t bytes = section->bytes - at < sizeof ones ? section->bytes - at : sizeof ones;
      assert_int_equal(pwrite(created.fd, ones, bytes, (off_t)(section->offset + at)), bytes);
    }
  }
  uint64_t count = 5;
  assert_null(rtop_segment_elements(&created, (enum rtop_section_kind)7, &count));
  assert_int_equal(count, 0);
}

static void test_long_texts_are_cut(void **state)
{
  (void)state;
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  memset(identity.command, 'c', sizeof identity.command);
  memset(identity.ruby_version, 'r', sizeof identity.ruby_version);
  assert_int_equal(rtop_segment_create(&created, support_directory(), &sizes, &identity, NULL), 0);
  assert_int_equal(strlen(created.geometry.command), sizeof identity.command - 1);
  assert_int_equal(strlen(created.geometry.ruby_version), sizeof identity.ruby_version - 1);
}

static void test_two_segments_differ(void **state)
{
  (void)state;
  struct rtop_segment first;
  create();
  first = created;
  create();
  assert_string_not_equal(first.path, created.path);
  assert_memory_not_equal(first.geometry.instance_id, created.geometry.instance_id, 16);
  rtop_segment_close(&first, true);
}

static void test_impossible_sizes(void **state)
{
  (void)state;
  static const uint64_t wrong[] = { 0, 3000, 5000, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 60 };
  struct rtop_segment_identity identity = support_identity();
  struct rtop_error error;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct rtop_segment_sizes sizes = support_sizes();
    sizes.ring_bytes = wrong[i];
    assert_int_equal(rtop_segment_create(&created, support_directory(), &sizes, &identity, &error), -1);
    assert_int_equal(error.code, RTOP_ERROR_LIMIT);
    assert_int_equal(created.fd, -1);
  }
  assert_int_equal(support_count_files(), 0);
}

static void test_path_too_long(void **state)
{
  (void)state;
  char directory[600];
  struct rtop_segment_sizes sizes = support_sizes();
  struct rtop_segment_identity identity = support_identity();
  struct rtop_error error;
  memset(directory, 'd', sizeof directory - 1);
  directory[sizeof directory - 1] = '\0';
  assert_int_equal(rtop_segment_create(&created, directory, &sizes, &identity, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_LIMIT);
  assert_int_equal(rtop_segment_open(&created, directory, (uid_t)-1, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_LIMIT);
}

static void test_lock_is_held_before_the_name_is_there(void **state)
{
  (void)state;
  create();
  /* Another process sees it. */
  pid_t child = fork();
  if (child == 0) {
    pid_t pid;
    int fd = open(created.path, O_RDONLY);
    _exit(rtop_liveness_writer_alive(fd, &pid) && pid == getppid() ? 0 : 1);
  }
  struct support_child joined = { .pid = child, .from = -1, .to = -1 };
  assert_int_equal(support_join(&joined), 0);
}

static void test_intact(void **state)
{
  (void)state;
  create();
  assert_true(rtop_segment_intact(&created));
  assert_int_equal(ftruncate(created.fd, (off_t)created.bytes - 1), 0);
  assert_false(rtop_segment_intact(&created));
  assert_int_equal(ftruncate(created.fd, (off_t)created.bytes + 1), 0);
  assert_false(rtop_segment_intact(&created));
  assert_int_equal(ftruncate(created.fd, (off_t)created.bytes), 0);
  assert_true(rtop_segment_intact(&created));
  unlink(created.path);
  assert_false(rtop_segment_intact(&created));
}

static void test_close_unlinks_only_its_own(void **state)
{
  (void)state;
  create();
  unlink(created.path);
  close(open(created.path, O_CREAT | O_RDWR, 0600));
  rtop_segment_close(&created, true);
  assert_int_equal(support_count_files(), 1);
}

/* A file of these bytes under a segment's name. */
static enum rtop_error_code open_bytes(const void *bytes, size_t count, uint64_t file_bytes, char *text)
{
  struct rtop_segment segment;
  struct rtop_error error = { 0 };
  const char *path = support_path("bytes");
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  assert_int_equal(write(fd, bytes, count), count);
  assert_int_equal(ftruncate(fd, (off_t)file_bytes), 0);
  close(fd);
  if (rtop_segment_open(&segment, path, (uid_t)-1, &error) == 0) rtop_segment_close(&segment, false);
  if (text) strcpy(text, error.text);
  return error.code;
}

static void test_foreign_files(void **state)
{
  (void)state;
  char text[320];
  struct rtop_geometry geometry;
  create();
  geometry = created.geometry;
  uint64_t whole = geometry.segment_bytes;
  assert_int_equal(open_bytes(&geometry, sizeof geometry, whole, NULL), RTOP_ERROR_NONE);
  assert_int_equal(open_bytes("", 0, 0, text), RTOP_ERROR_CORRUPT);
  assert_non_null(strstr(text, "cut off"));
  assert_int_equal(open_bytes("hello", 5, 5, NULL), RTOP_ERROR_CORRUPT);
  assert_int_equal(open_bytes("hello world", 11, 11, text), RTOP_ERROR_CORRUPT);
  assert_non_null(strstr(text, "not an rperf-top segment"));
  for (size_t cut = 0; cut < sizeof geometry; cut += 13)
    assert_int_equal(open_bytes(&geometry, cut, cut, NULL), RTOP_ERROR_CORRUPT);
  assert_int_equal(open_bytes(&geometry, sizeof geometry, whole - 4096, text), RTOP_ERROR_CORRUPT);
  assert_non_null(strstr(text, "truncated"));
  geometry.version_major = 2;
  assert_int_equal(open_bytes(&geometry, 16, 16, text), RTOP_ERROR_VERSION);
  assert_non_null(strstr(text, "update the viewer"));
  assert_int_equal(open_bytes(&geometry, sizeof geometry, whole, NULL), RTOP_ERROR_VERSION);
}

#define SEGMENT_TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
  created.fd = -1;
  const struct CMUnitTest tests[] = {
    SEGMENT_TEST(test_create_then_open),
    SEGMENT_TEST(test_name_says_user_and_pid),
    SEGMENT_TEST(test_sections_are_where_they_were_asked),
    SEGMENT_TEST(test_long_texts_are_cut),
    SEGMENT_TEST(test_two_segments_differ),
    SEGMENT_TEST(test_impossible_sizes),
    SEGMENT_TEST(test_path_too_long),
    SEGMENT_TEST(test_lock_is_held_before_the_name_is_there),
    SEGMENT_TEST(test_intact),
    SEGMENT_TEST(test_close_unlinks_only_its_own),
    SEGMENT_TEST(test_foreign_files),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
