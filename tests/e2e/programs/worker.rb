# A worker of a server: has a name of its own, and takes another one when told (USR1); Puma and Sidekiq do so.
$0 = "puma: cluster worker #{ARGV[0]}: 42 [shop]"
trap(:USR1) { Process.setproctitle("puma: cluster worker #{ARGV[0]}: 42 [shop] (shutting down)") }
def serve = loop { sleep 0.01 }
Thread.new { serve }
serve
