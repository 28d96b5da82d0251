# SPDX-License-Identifier: MIT
# Writes the Makefile of the extension, for the Ruby that runs this file.
#
# The sources below ext/ and the writing half of shm/ become one shared object that exports Init_rperf_top and
# needs liblz4 and what is of libc only. Environment: CC, CPPFLAGS, CFLAGS and LDFLAGS are added, WERROR=1 turns
# warnings of the project's code into errors.
require "etc"
require "mkmf"

unless (RUBY_VERSION.split(".").map(&:to_i) <=> [3, 3, 1]) >= 0 && RUBY_ENGINE == "ruby"
  abort "rperf_top needs CRuby 3.3.1 or newer, this is #{RUBY_ENGINE} #{RUBY_VERSION}"
end

root = File.expand_path("..", __dir__)
sources = Dir["#{root}/{ext,shm}/**/*.c"].map { |path| path.delete_prefix("#{root}/") }.sort
sources.reject! { |path| path.match?(%r{\A(shm/\w+/(reader|sigbus)|ext/inject/)}) }
abort "there are no sources in #{root}/ext" unless sources.any? { |path| path.start_with?("ext/") }

given = %w[CC CPPFLAGS CFLAGS LDFLAGS].to_h { |name| [name, ENV.fetch(name, "").strip] }
RbConfig::MAKEFILE_CONFIG["CC"] = given["CC"] unless given["CC"].empty?

unless have_header("lz4.h") && have_library("lz4", "LZ4_compress_default")
  abort "liblz4 is missing (Debian: liblz4-dev)"
end

# What Ruby's headers say of the insides of objects; what a later one does not have is done without (ext/base/vm_object.h).
%w[T_IMEMO T_ICLASS RUBY_T_MASK RUBY_FL_USHIFT].each { |name| have_const(name, "ruby.h") }
%w[RTYPEDDATA_P RTYPEDDATA_TYPE RTYPEDDATA_GET_DATA RBASIC_CLASS].each { |name| have_func(name, "ruby.h") }
have_type("struct RTypedData", "ruby.h")

# Judge the project's code, not Ruby's headers.
$warnflags = "-Wall -Wextra -Wshadow -Wconversion -Wno-unused-parameter"
$warnflags += " -Werror" if ENV["WERROR"] == "1"
$INCFLAGS = $INCFLAGS.gsub(/-I(?=\$\((?:arch_)?hdrdir\))/, "-isystem ") + " -I#{root}"

$CPPFLAGS << " -D_GNU_SOURCE " << given["CPPFLAGS"]
$CFLAGS << " -std=c11 -fvisibility=hidden -ffunction-sections -fdata-sections -pthread "
# The first use of a thread-local in a hook must not allocate. glibc does, unless it is told initial-exec; musl never does, and
# does not load a library with initial-exec later than the program.
$CFLAGS << " -ftls-model=initial-exec " if have_macro("__GLIBC__", "stdlib.h")
$CFLAGS << given["CFLAGS"]
# The hooks run where the caches are cold: compiled as one their code takes a tenth less of the application's time. The objects
# contain machine code, too, in which the tests look up what hooks call.
unless given["CFLAGS"].include?("-fsanitize")
  one = ["-flto=auto -ffat-lto-objects", "-flto"].find { |flags| try_link("int main(void) { return 0; }", flags) }.to_s
  $CFLAGS << " #{one} "
  $DLDFLAGS << " #{one} "
end
# nodelete: the VM and the kernel keep addresses in it (hooks, atfork handlers, ext/base/cpu_clock.h).
$DLDFLAGS << " -Wl,--gc-sections -Wl,-z,now -Wl,-z,nodelete -Wl,--as-needed -pthread " << given["LDFLAGS"]

# Ruby's own functions come from the process that loads the extension, be its libruby shared or not.
$LIBRUBYARG = $LIBRUBYARG_SHARED = $LIBRUBYARG_STATIC = ""
$LIBPATH.clear
$DEFLIBPATH.clear if $DEFLIBPATH

# Objects stand in a folder per source folder: two files may have the same name.
$objs = sources.map { |path| path.sub(/\.c\z/, ".o") }
$VPATH << root
folders = sources.map { |path| File.dirname(path) }.uniq
folders.each { |folder| FileUtils.mkdir_p(folder) }
$distcleandirs = folders.sort_by { |folder| -folder.size } | %w[ext shm]

# What `gem install` and Bundler make beyond the extension: the shim that loads it, for this Ruby, and the viewer
# and the library for other programs where what they need is there; all in one folder, where the viewer looks for the
# extension. Without those libraries (slim images) a file says what to install, for whoever calls the viewer.
gem_rules = <<~MAKE
  all: rperf_top_inject.so
  rperf_top_inject.so: #{__dir__}/inject/inject.c
  \t$(Q) $(LDSHARED) $(INCFLAGS) $(CPPFLAGS) $(CFLAGS) $(CCDLFLAGS) -o $@ #{__dir__}/inject/inject.c
  all: viewer.made
  viewer.made:
  \t@rm -f rperf-top rperf-top.missing librperf_top.so.0
  \t@if ! sh #{__dir__}/viewer_needs > rperf-top.missing; then cat rperf-top.missing; \\
  \telif env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL -u DESTDIR -u RUBY $(MAKE) $(VIEWER_JOBS) -C #{root} BUILD=$(CURDIR)/viewer viewer lib; \\
  \tthen mv viewer/rperf-top viewer/librperf_top.so.0 . && rm -f rperf-top.missing; \\
  \telse echo 'the viewer did not compile: gem_make.out, where this gem is installed, says why' > rperf-top.missing; fi
  \t@rm -rf viewer
  \t@touch $@
  install-so: install-viewer
  install-viewer: viewer.made rperf_top_inject.so
  \t$(Q) $(MAKEDIRS) $(RUBYARCHDIR)
  \t$(Q) sed 's/@RUBY_SERIES@/#{RUBY_VERSION[/\A\d+\.\d+/]}/; s|@RUBY_PATH@|#{RbConfig.ruby[%r{\A[-\w./+@~ ]+\z}]}|' #{__dir__}/rperf_top.rb > $(RUBYARCHDIR)/rperf_top.rb
  \t$(Q) $(MAKEDIRS) $(RUBYARCHDIR)/rperf_top
  \t$(Q) cp #{__dir__}/rperf-top.rb $(RUBYARCHDIR) && cp #{__dir__}/rperf_top/*.rb $(RUBYARCHDIR)/rperf_top
  \t$(Q) cp rperf_top_inject.so #{__dir__}/inject/inject.py $(RUBYARCHDIR)
  \t$(Q) for file in rperf-top rperf-top.missing librperf_top.so.0; do if [ -e $$file ]; then $(INSTALL_PROG) $$file $(RUBYARCHDIR); fi; done
  clean: clean-viewer
  clean-viewer:
  \t-$(Q)rm -rf viewer viewer.made rperf-top rperf-top.missing librperf_top.so.0
  VIEWER_JOBS = -j#{Etc.nprocessors}
  .PHONY: install-viewer clean-viewer
MAKE

create_makefile("rperf_top") do |lines|
  lines << "$(OBJS): #{Dir["#{root}/{ext,shm}/**/*.{h,def}"].sort.join(" ")}\n" << gem_rules
end
