# The server of the benchmarks: puma as its users run it.  serve.rb SOCKET THREADS WORKERS
# When it ends in order each of its processes writes what it measured to SOCKET.PID.json.
require "puma"
require "puma/cli"
require_relative "app"

socket, threads, workers = ARGV
SERVER_APP = ServerApp.new
at_exit { File.write("#{socket}.#{Process.pid}.json", SERVER_APP.told) }
File.write("#{socket}.rb", <<~RUBY)
  bind "unix://#{socket}"
  threads #{threads}, #{threads}
  workers #{workers}
  silence_single_worker_warning
  persistent_timeout 600
  max_keep_alive 10_000_000
  app SERVER_APP
RUBY
Puma::CLI.new(["--quiet", "--config", "#{socket}.rb"]).run
