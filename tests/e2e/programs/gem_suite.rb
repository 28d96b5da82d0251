# Runs the tests of a gem (minitest): gem_suite.rb RESULTS GEMS NAME VERSION. Each test's name and result is a line of
# RESULTS; of minitest also those of its examples, of which some are to fail. They are numbered as threads come to
# them, so their numbers are left out. "ended" is the last line.
results, gems, name, version = ARGV.shift(4)
Gem.paths = { "GEM_PATH" => [gems, *Gem.path].join(":") }
gem "minitest", "5.25.4"
gem name, version
require "minitest"

main = Process.pid
log = File.open(results, "w")
log.sync = true
Minitest::CompositeReporter.prepend(Module.new do
  define_method(:record) do |result|
    log.puts("#{result.class_name.sub(/\AFakeNamedTest\d+/, "FakeNamedTest")}##{result.name.gsub(/0x\h+/, "0x")} #{result.result_code}") if Process.pid == main
    super(result)
  end
end)
Minitest.after_run { log.puts("ended") if Process.pid == main }
Dir.chdir("#{gems}/gems/#{name}-#{version}")
$LOAD_PATH.unshift("lib", "test")
Dir["./test/**/test_*.rb"].sort.each { |file| require file }
ARGV.replace(%w[--seed 1])
Minitest.autorun
