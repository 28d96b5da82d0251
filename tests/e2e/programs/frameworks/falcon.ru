# For falcon: requests that wait, each in a fiber of its own. "/told": how long all of them waited, and how often.
WAITED = { "/slow" => [0.0, 0], "/quick" => [0.0, 0] }

def wait_for(path, seconds)
  from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield seconds
  WAITED[path][0] += Process.clock_gettime(Process::CLOCK_MONOTONIC) - from
  WAITED[path][1] += 1
end

module Slow
  def self.query(seconds) = sleep(seconds)
end

module Quick
  def self.query(seconds) = sleep(seconds)
end

run lambda { |env|
  case env["PATH_INFO"]
  when "/slow" then wait_for("/slow", 0.05) { |seconds| Slow.query(seconds) }
  when "/quick" then wait_for("/quick", 0.01) { |seconds| Quick.query(seconds) }
  end
  [200, { "content-type" => "text/plain" }, [WAITED.values.join(" ")]]
}
