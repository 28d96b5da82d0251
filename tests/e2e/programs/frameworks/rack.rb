# A Rack application on puma:  rack.rb SOCKET
require "puma"
require "puma/cli"
require "rperf_top/rack"
require_relative "work"
require_relative "took"

APP = lambda do |env|
  case env["PATH_INFO"]
  when %r{\A/slow/\d+\z} then Took.measured("slow") { sleep 0.02; Work.little }
  when "/quick" then Took.measured("quick") { sleep 0.005; Work.little }
  when "/took" then return [200, { "took" => Took.told }, ["ok"]]
  when %r{\A/orders/\d+\z} then Work.much
  when "/items" then Work.little
  else return [404, {}, ["no"]]
  end
  [200, {}, ["ok"]]
end
LABELLED = RperfTop::RackMiddleware.new(APP)

File.write("#{ARGV[0]}.rb", %(bind "unix://#{ARGV[0]}"\nthreads 3, 3\napp LABELLED\n))
Puma::CLI.new(["--quiet", "--config", "#{ARGV[0]}.rb"]).run
