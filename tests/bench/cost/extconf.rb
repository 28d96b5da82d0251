# All sources of the extension but the one that starts it.
require "mkmf"
root = File.expand_path("../../..", __dir__)
sources = Dir["#{root}/{ext,shm}/**/*.c"].map { |path| path.delete_prefix("#{root}/") }.sort
sources.reject! { |path| path == "ext/init.c" || path.match?(%r{\Ashm/\w+/(reader|sigbus)}) }
abort "liblz4 is missing" unless have_library("lz4", "LZ4_compress_default")
$INCFLAGS << " -I#{root}"
$CFLAGS << " -std=c11 -D_GNU_SOURCE -fvisibility=hidden -g -pthread"
$objs = ["sampler_bench.o", *sources.map { |path| path.sub(/\.c\z/, ".o") }]
$VPATH << root
folders = sources.map { |path| File.dirname(path) }.uniq
folders.each { |folder| FileUtils.mkdir_p(folder) }
create_makefile("sampler_bench") do |lines|
  lines << "$(OBJS): #{Dir["#{root}/{ext,shm}/**/*.h"].sort.join(" ")}\n"
end
