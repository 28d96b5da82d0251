# Benches that stand on the extension's own functions still run: what they need of it they call in its order.
require_relative "../e2e/support"

class TestBench < Minitest::Test
  include E2E

  SOURCE = "#{ROOT}/tests/bench/cost/sampler_bench.c"

  # As its extconf.rb makes it, of the objects that are there.
  def built(folder)
    objects = Dir["#{BUILD}/ext/{ext,shm}/**/*.o"].reject { |path| path.end_with?("/ext/init.o") }
    refute_empty objects
    headers = RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").flat_map { |dir| ["-I", dir] }
    out, status = Open3.capture2e(ENV["CC"].to_s.empty? ? "cc" : ENV["CC"], "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", "-pthread",
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
