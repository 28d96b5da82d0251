# The gem: the sources, built where it is installed. `gem build ext/rperf-top.gemspec` stands in the folder above,
# Bundler (with a git source) in this one, so the paths are of whichever it is.
root = File.expand_path("..", __dir__)
# Where the sources were cloned from, if that is a page, too: "git@forge:owner/name.git" is https://forge/owner/name.
origin = Dir.exist?("#{root}/.git") ? IO.popen(["git", "-C", root, "config", "--get", "remote.origin.url"], err: File::NULL, &:read).to_s : ""
home = origin.strip.delete_suffix(".git").sub(%r{\A(?:ssh://)?git@([^:/]+)[:/]}, 'https://\1/')[%r{\Ahttps://[\w.-]+/[\w./~-]+\z}]
here = File.identical?(Dir.pwd, __dir__) ? "" : "ext/"

Gem::Specification.new do |spec|
  spec.name = "rperf-top"
  spec.version = File.read("#{root}/shm/base/version.h")[/RPERF_TOP_VERSION "(.+)"/, 1]
  spec.summary = "top for Ruby methods: where the time of a running process goes now"
  spec.description = <<~TEXT
    A live profiler for the terminal: which methods the time goes to, who holds the GVL while others wait, what garbage
    collection costs, with time travel to a stall that has just passed. The extension samples inside the process and
    publishes into shared memory; the viewer reads it and never stops the process.
  TEXT
  spec.authors = ["The rperf-top developers"]
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.3.1"
  spec.extensions = ["#{here}extconf.rb"]
  spec.require_paths = ["#{here}lib"] # filled by the build
  spec.bindir = "#{here}exe"
  spec.executables = ["rperf-top"]
  spec.files = Dir.chdir(here.empty? ? __dir__ : root) do
    wanted = here.empty? ? ["**/*"] : ["{ext,shm,tui,man}/**/*", "GNUmakefile", "LICENSE", "README.md"]
    Dir[*wanted].select { |path| File.file?(path) && !path.match?(/\.(o|so|log)\z|Makefile\z(?<!GNUmakefile)/) }
  end
  spec.homepage = home
  spec.metadata = { "rubygems_mfa_required" => "true" }
  spec.metadata.update("source_code_uri" => home, "bug_tracker_uri" => "#{home}/issues",
                       "changelog_uri" => "#{home}/blob/HEAD/.github/CHANGELOG.md") if home
end
