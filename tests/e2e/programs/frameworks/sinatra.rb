# A Sinatra application on puma:  sinatra.rb SOCKET
require "sinatra/base"
require "puma"
require "puma/cli"
require "rperf_top/rack"
require "rperf_top/sinatra"
require_relative "work"

class Shop < Sinatra::Base
  use RperfTop::RackMiddleware
  set :host_authorization, permitted_hosts: []
  set :environment, :production
  set :logging, false
  get("/orders/:number") { Work.much && "ok" }
  get("/items") { Work.little && "ok" }
end

File.write("#{ARGV[0]}.rb", %(bind "unix://#{ARGV[0]}"\nthreads 3, 3\napp Shop\n))
Puma::CLI.new(["--quiet", "--config", "#{ARGV[0]}.rb"]).run
