#include "tests/shm/support.h"

#include "shm/base/origin.h"
#include <string.h>

static const struct {
  const char *path;
  enum rtop_origin origin;
  const char *gem;
} paths[] = {
  { "/srv/app/models/user.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "app.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "-e", RTOP_ORIGIN_APPLICATION, "" },
  { "(irb)", RTOP_ORIGIN_APPLICATION, "" },
  { "(eval)", RTOP_ORIGIN_APPLICATION, "" },
  { "", RTOP_ORIGIN_CORE, "" },
  { "<internal:kernel>", RTOP_ORIGIN_CORE, "" },
  { "<internal:", RTOP_ORIGIN_APPLICATION, "" },
  { "/usr/lib/ruby/3.3.0/json/common.rb", RTOP_ORIGIN_STDLIB, "" },
  { "/root/.rbenv/versions/3.3.8/lib/ruby/3.3.0/set.rb", RTOP_ORIGIN_STDLIB, "" },
  { "/opt/ruby/lib64/ruby/3.3.0+0/set.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/usr/lib/x86_64-linux-gnu/ruby/3.3.0/rbconfig.rb", RTOP_ORIGIN_STDLIB, "" },
  { "/usr/lib/ruby/vendor_ruby/rubygems/specification.rb", RTOP_ORIGIN_STDLIB, "" },
  { "/usr/local/lib/ruby/site_ruby/3.3.0/rubygems.rb", RTOP_ORIGIN_STDLIB, "" },
  { "/usr/share/ruby/json.rb", RTOP_ORIGIN_STDLIB, "" },
  { "<internal:/usr/lib/ruby/vendor_ruby/rubygems/core_ext/kernel_require.rb>", RTOP_ORIGIN_STDLIB, "" },
  { "/srv/ruby/3.3.0/app.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/home/a/lib/ruby/app.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/var/lib/gems/3.3.0/gems/rack-3.0.8/lib/rack.rb", RTOP_ORIGIN_GEM, "rack" },
  { "/usr/lib/ruby/gems/3.3.0/gems/rdoc-6.6.3.1/lib/rdoc.rb", RTOP_ORIGIN_GEM, "rdoc" },
  { "/app/vendor/bundle/ruby/3.3.0/gems/net-http2-0.18.5/lib/a.rb", RTOP_ORIGIN_GEM, "net-http2" },
  { "/g/gems/nokogiri-1.16.0-x86_64-linux/lib/n.rb", RTOP_ORIGIN_GEM, "nokogiri" },
  { "/g/gems/sqlite3-1.4.0-universal-darwin-20/lib/n.rb", RTOP_ORIGIN_GEM, "sqlite3" },
  { "/g/gems/rails-7.1.0.rc1/lib/n.rb", RTOP_ORIGIN_GEM, "rails" },
  { "/g/gems/mp3-2-1.0/lib/n.rb", RTOP_ORIGIN_GEM, "mp3-2" },
  { "/g/gems/plain-4/lib/n.rb", RTOP_ORIGIN_GEM, "plain" },
  { "/g/gems/plain/lib/n.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/g/gems/-1.0/lib/n.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/g/gems/rack-3.0.8", RTOP_ORIGIN_APPLICATION, "" },
  { "/g/gems/rack-3..8/x.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/g/bundler/gems/rails-0123456789ab/x.rb", RTOP_ORIGIN_GEM, "rails" },
  { "/g/bundler/gems/solid-queue-abcdef1/x.rb", RTOP_ORIGIN_GEM, "solid-queue" },
  { "/g/other/gems/rails-abcdefabcdef/x.rb", RTOP_ORIGIN_APPLICATION, "" },
  { "/g/gems/bundler-2.5.0/lib/bundler/vendor/gems/thor-1.2.0/x.rb", RTOP_ORIGIN_GEM, "bundler" },
  { "(eval at /g/gems/erb-4.0/lib/erb.rb:12)", RTOP_ORIGIN_GEM, "erb" },
  { "(eval at (eval at /usr/lib/ruby/3.3.0/erb.rb:1):7)", RTOP_ORIGIN_STDLIB, "" },
  { "(eval at /srv/app.rb:9)", RTOP_ORIGIN_APPLICATION, "" },
  { "//gems//gems/", RTOP_ORIGIN_APPLICATION, "" },
  { "/", RTOP_ORIGIN_APPLICATION, "" },
};

static void test_paths(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    struct rtop_gem_name gem;
    size_t bytes = strlen(paths[i].path);
    char *copy = test_malloc(bytes + 1); /* cmocka and the sanitizers see a byte too far */
    memcpy(copy, paths[i].path, bytes + 1);
    enum rtop_origin origin = rtop_origin_of_path(copy, bytes, &gem);
    if (origin != paths[i].origin || gem.bytes != strlen(paths[i].gem) ||
        memcmp(gem.text, paths[i].gem, gem.bytes) != 0)
      fail_msg("%s: %s, gem '%.*s'", paths[i].path, rtop_origin_name(origin), (int)gem.bytes, gem.text);
    assert_int_equal(rtop_origin_of_path(copy, bytes, NULL), origin);
    test_free(copy);
  }
}

static void test_every_cut_of_a_path(void **state)
{
  (void)state;
  static const char path[] = "<internal:/lib/ruby/3.3.0/bundler/gems/a-b-0123456789ab/gems/c-1.0-x-2/d.rb>";
  for (size_t begin = 0; begin < sizeof path; begin++)
    for (size_t bytes = 0; begin + bytes < sizeof path; bytes++) {
      struct rtop_gem_name gem;
      char *copy = test_malloc(bytes ? bytes : 1);
      memcpy(copy, path + begin, bytes);
      enum rtop_origin origin = rtop_origin_of_path(copy, bytes, &gem);
      assert_true((origin == RTOP_ORIGIN_GEM) == (gem.bytes > 0));
      assert_true(gem.bytes == 0 || (gem.text >= copy && gem.text + gem.bytes <= copy + bytes));
      test_free(copy);
    }
}

static void test_names(void **state)
{
  (void)state;
  assert_string_equal(rtop_origin_name(RTOP_ORIGIN_APPLICATION), "application");
  assert_string_equal(rtop_origin_name(RTOP_ORIGIN_GEM), "gem");
  assert_string_equal(rtop_origin_name(RTOP_ORIGIN_STDLIB), "stdlib");
  assert_string_equal(rtop_origin_name(RTOP_ORIGIN_CORE), "core");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_paths),
    cmocka_unit_test(test_every_cut_of_a_path),
    cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
