# A WEBrick server while a client of four threads asks it a bounded number of times.
require_relative "../programs/measure"
require "rbconfig"
require "webrick"

CLIENT = <<~'RUBY'
  require "net/http"
  port, requests = ARGV.map { |text| Integer(text) }
  threads = Array.new(4) do
    Thread.new do
      (requests / 4).times { |i| Net::HTTP.get_response("127.0.0.1", "/item?id=#{i}", port).code == "200" or abort "failed" }
    end
  end
  threads.each(&:join)
RUBY

def page(id)
  rows = Array.new(200) { |i| "<tr><td>#{i}</td><td>#{(i * 7 + id) % 1000}</td></tr>" }
  "<html><table>#{rows.join}</table></html>"
end

server = WEBrick::HTTPServer.new(Port: 0, BindAddress: "127.0.0.1", AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount_proc("/item") { |request, response| response.body = page(request.query["id"].to_i) }
serving = Thread.new { server.start }
plain = { "RUBYOPT" => nil, "RPERF_TOP" => "0" }
ok = nil
measure(1, warm_up: 0) do
  ok = system(plain, RbConfig.ruby, "-e", CLIENT, server.listeners.first.addr[1].to_s, ENV.fetch("REQUESTS", "2000"))
end
server.shutdown
serving.join
exit(ok)
