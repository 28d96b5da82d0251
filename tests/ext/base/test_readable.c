/* Memory that can be read, and such that cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ext/base/readable.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_words(void **state)
{
  (void)state;
  uint64_t word = 0;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  sigset_t before, after;
  char *pages = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
  errno = 4711;
  assert_true(readable_word(&word));
  word = UINT64_MAX; /* a mask of all signals: nothing is blocked by it */
  assert_true(readable_word(&word));
  assert_true(readable_word(pages) && readable_word(pages + page - sizeof word));
  assert_false(readable_word(pages + page - sizeof word + 1));
  assert_false(readable_word(pages + page));
  assert_int_equal(errno, 4711);
  assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &after), 0);
  for (int number = 1; number < 32; number++)
    assert_int_equal(sigismember(&before, number), sigismember(&after, number));
  munmap(pages, 2 * page);
  assert_false(readable_word(pages));
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
