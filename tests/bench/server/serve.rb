# The server of the benchmarks: puma as its users run it.  serve.rb SOCKET THREADS WORKERS [APPLICATION]
require "puma"
require "puma/cli"

autoload :ServerApp, "#{__dir__}/app"
autoload :FaultyApp, "#{__dir__}/faulty"

socket, threads, workers, application = ARGV
File.write("#{socket}.rb", <<~RUBY)
  bind "unix://#{socket}"
  threads #{threads}, #{threads}
  workers #{workers}
  silence_single_worker_warning
  persistent_timeout 600
  max_keep_alive 10_000_000
  app #{application || "ServerApp"}.new
RUBY
Puma::CLI.new(["--quiet", "--config", "#{socket}.rb"]).run
