# Benches that stand on the extension's own functions still run: what they need of it they call in its order.
require_relative "support"
require "shellwords"

class BenchTest < Minitest::Test
  include Support

  ROOT = File.expand_path("../..", __dir__)
  SOURCE = "#{ROOT}/tests/bench/cost/sampler_bench.c"

  # As its extconf.rb makes it, of the objects that are there.
  def built(folder)
    sources = Dir["{ext,shm}/**/*.c", base: ROOT] - ["ext/init.c"]
    objects = sources.map { |path| "#{BUILD}/ext/#{path.sub(/c\z/, "o")}" }.select { |path| File.file?(path) }
    assert_operator objects.size, :>, 50
    headers = RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").flat_map { |dir| ["-I", dir] }
    out, status = Open3.capture2e(*Shellwords.split(ENV["CC"].to_s.empty? ? "cc" : ENV["CC"]), "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-pthread",
                                  "-I", ROOT, *headers, "-o", "#{folder}/sampler_bench.so", SOURCE, *objects, "-llz4", "-lm")
    assert status.success?, out
  end

  def test_each_action_of_the_sampler_bench_runs
    actions = File.read(SOURCE)[/actions\[\] = \{(.*?)\n\};/m, 1].scan(/\{ "(\w+)"/).flatten
    assert_operator actions.size, :>, 10
    Dir.mktmpdir do |folder|
      built(folder)
      code = "require 'sampler_bench'; ARGV.each { |name| SamplerBench.repeat(name, 200); puts name if SamplerBench.hot(name, 2) > 0 }"
      out, status = Open3.capture2e({ "RUBYOPT" => nil, "RUBYLIB" => nil }, RbConfig.ruby, "-I", folder, "-e", code, *actions)
      assert status.success?, out
      assert_equal actions, out.split
    end
  end
end
