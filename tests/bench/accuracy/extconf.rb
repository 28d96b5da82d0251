require "mkmf"
$CFLAGS << " -std=c11 -D_GNU_SOURCE -fvisibility=hidden"
create_makefile("known_cost")
