#include "tests/shm/support.h"

#include "shm/base/generated_name.h"
#include <string.h>

static const struct {
  const char *label, *path, *name; /* name: "" for the label as it is */
} known[] = {
  /* Action View: the path from the application's folder, with a sign, of another worker, of an older one */
  { "#<Class>#_app_views_orders_show_html_erb__1234567890123456789_12340", "/srv/shop/app/views/orders/show.html.erb",
    "app/views/orders/show.html.erb" },
  { "#<Class>#_app_views_orders_show_html_erb___234567890123456789_8", "/srv/shop/app/views/orders/show.html.erb",
    "app/views/orders/show.html.erb" },
  { "ActionView::Base#_app_views_a_slim__1_2__34567890123456", "/srv/app/views/a.slim", "app/views/a.slim" },
  { "block in Views#_app_views_layouts__bar_html_haml__77_12", "/x/app/views/layouts/_bar.html.haml",
    "block in app/views/layouts/_bar.html.haml" },
  { "block (2 levels) in Views#_app_views_a_erb__77_12", "/app/views/a.erb", "block (2 levels) in app/views/a.erb" },
  /* digits and capitals of the path became underscores, or not */
  { "V#_app_views_v__Order_html_erb__77_12", "/app/views/v2/Order.html.erb", "app/views/v2/Order.html.erb" },
  { "V#_app_views_v__Order__html_erb__77_12", "/app/views/v2/order1.html.erb", "" },
  { "V#_app_views_v___rder__html_erb__77_12", "/app/views/v2/Order1.html.erb", "app/views/v2/Order1.html.erb" },
  { "V#_app_views_v2_x_erb__77_12", "/app/views/v2/x.erb", "app/views/v2/x.erb" },
  { "V#__g_gems_ui_app_views_x_erb__77_12", "/g/gems/ui/app/views/x.erb", "/g/gems/ui/app/views/x.erb" },
  { "V#_inline_template__123456789012345_4", "inline template", "inline template" },
  /* not the end of the path: only beside a hash */
  { "V#_app_views_x_erb__123456789012345_4", "(eval)", "app_views_x_erb" },
  { "V#_app_views_x_erb__12_4", "(eval)", "" },
  { "V#_iews_x_erb__12_4", "/app/views/x.erb", "" },
  /* Tilt: Slim, Haml, ERB in Sinatra; Roda */
  { "Tilt::CompiledTemplates#__tilt_980", "/srv/views/index.slim", "views/index.slim" },
  { "Object#__tilt_980_12345678", "index.haml", "index.haml" },
  { "Object#__tilt_980", "/index.haml", "index.haml" },
  { "App#_roda_template_locals_1234_index", "/srv/app/views/index.erb", "views/index.erb" },
  /* the program's own */
  { "Shop#total", "/srv/shop.rb", "" },
  { "Shop#_total__1_2", "/srv/shop.rb", "" },
  { "Shop#__tilt_", "/srv/shop.rb", "" },
  { "Shop#_a__12345678901234", "/srv/shop.rb", "" },
  { "Kernel#_x__123456789012345_4", "", "" },
  { "", "/srv/shop.rb", "" },
  { "Shop#", "/srv/shop.rb", "" },
  { "_", "/srv/shop.rb", "" },
};

static void test_generators_that_are_known(void **state)
{
  char name[RTOP_GENERATED_NAME_MAX + 1];
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t bytes =
        rtop_generated_name(known[i].label, strlen(known[i].label), known[i].path, strlen(known[i].path), name);
    name[bytes] = '\0';
    if (strcmp(name, known[i].name) != 0) print_error("%s (%s): %s\n", known[i].label, known[i].path, name);
    assert_string_equal(name, known[i].name);
  }
}

/* As long as they may be, and a byte longer; nothing is written behind the room. */
static void test_long_names(void **state)
{
  static char label[RTOP_GENERATED_NAME_MAX + 2], path[3 * RTOP_GENERATED_NAME_MAX], out[RTOP_GENERATED_NAME_MAX + 1];
  (void)state;
  memset(path, 'a', sizeof path);
  for (size_t bytes = 40; bytes < sizeof label; bytes++) {
    memset(label, 'a', sizeof label);
    memcpy(label, "V#_", 3);
    memcpy(label + bytes - 20, "__123456789012345_44", 20);
    out[sizeof out - 1] = '!';
    size_t made = rtop_generated_name(label, bytes, path, sizeof path, out);
    assert_int_equal(made, bytes > RTOP_GENERATED_NAME_MAX ? 0 : bytes - 23);
    assert_int_equal(out[sizeof out - 1], '!');
  }
  assert_int_equal(rtop_generated_name("V#__tilt_1", 10, path, sizeof path, out), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_generators_that_are_known),
    cmocka_unit_test(test_long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
