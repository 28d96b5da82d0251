# A rack application with planted faults (faults.rb), whose requests carry labels as a user's do.
require "rperf_top"
require "rperf_top/rack"
require_relative "faults"

class FaultyApp
  TYPE = { "content-type" => "text/plain" }.freeze

  def initialize
    @labelled = RperfTop::RackMiddleware.new(->(env) { Faults.within(env["faults.name"]); [200, TYPE, ["done"]] })
  end

  def call(env)
    name = env["PATH_INFO"].delete_prefix("/")
    return [200, TYPE, [Faults.told]] if name == "told"
    return [404, TYPE, ["no"]] unless Faults::NAMES.include?(name)
    env["faults.name"] = name
    Faults.around(name) { @labelled.call(env) }
  end
end
