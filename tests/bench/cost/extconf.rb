# The extension's sources but its hooks, its publisher and its Ruby side.
require "mkmf"
root = File.expand_path("../../..", __dir__)
sources = %w[accounting calltree cells frame_names frames sampler threads].map { |name| "ext/#{name}.c" }
$INCFLAGS << " -I#{root}"
$CFLAGS << " -std=c11 -D_GNU_SOURCE -fvisibility=hidden -g"
$objs = ["sampler_bench.o", *sources.map { |path| path.sub(/\.c\z/, ".o") }]
$VPATH << root
FileUtils.mkdir_p("ext")
create_makefile("sampler_bench") { |lines| lines << "$(OBJS): #{Dir["#{root}/{ext,shm}/*.h"].sort.join(" ")}\n" }
