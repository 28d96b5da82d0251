# Configuration of a puma whose workers compute when they are asked.
def answer(count) = count.times.sum { |i| i.to_s.size }

preload_app! false
bind "unix://#{ENV.fetch("SOCKET")}"
threads 2, 2
tag "shop"
quiet
app { |env| [200, { "content-type" => "text/plain" }, [answer(20_000).to_s, " of #{Process.pid}"]] }
