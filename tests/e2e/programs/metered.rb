# Configuration of a puma whose workers tell what they have done, as they count it themselves.
#
#   /work   computes a little      /gc   collects garbage      /own   {"pid": …, "minor": …, …}
require "json"

def compute(count) = count.times.sum { |i| i.to_s.size }

def own
  stat = GC.stat
  { pid: Process.pid, minor: stat[:minor_gc_count], major: stat[:major_gc_count], allocated: stat[:total_allocated_objects],
    cpu: Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
end

preload_app! false
workers 2
threads 2, 2
bind "unix://#{ENV.fetch("SOCKET")}"
tag "metered"
quiet
app do |env|
  path = env["PATH_INFO"]
  body = RperfTop.label(endpoint: "GET #{path}") do
    case path
    when "/work" then compute(30_000).to_s
    when "/gc" then GC.start.inspect
    else own.to_json
    end
  end
  [200, { "content-type" => "text/plain" }, [body]]
end
