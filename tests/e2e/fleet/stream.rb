# What --stream writes, read at once by another viewer. The way between them is a pipe, as that of ssh is.
require_relative "../support"

module Stream
  include E2E

  COUNTING = <<~RUBY
    def count(n) = n.times { |i| @sum = i }
    Thread.new { loop { sleep 0.01 } }
    Thread.new { loop { sleep 1; RperfTop.mark("deploy") } }
    count(10_000)
    File.write("\#{__FILE__}.counts", "")
    loop { count(10_000); sleep 0.001 }
  RUBY

  def counting(&block)
    Dir.mktmpdir do |folder|
      File.write("#{folder}/counting.rb", COUNTING)
      running("#{folder}/counting.rb") do |pid|
        wait_until("counting") { File.exist?("#{folder}/counting.rb.counts") }
        block.call(pid)
      end
    end
  end

  def pipe_to(*reader, writer:, stop: nil, env: {})
    out, away = IO.pipe
    said = Tempfile.new
    there = spawn({ "TMPDIR" => E2E.logs }.merge(env), VIEWER, "--stream", *writer, out: away, err: said.path)
    away.close
    result = nil
    thread = Thread.new { result = viewer_reading(out, *reader) }
    if stop
      wait_until("the stream") { yield }
      Process.kill(stop, there)
    end
    thread.join
    out.close
    [result, Process.wait2(there).last, said.tap(&:rewind).read]
  ensure
    said&.close!
  end

  def viewer_reading(input, *arguments)
    out, err = Tempfile.new, Tempfile.new
    pid = spawn({ "TMPDIR" => E2E.logs }, VIEWER, "-r", "-", *arguments, in: input, out: out.path, err: err.path)
    status = Process.wait2(pid).last
    E2E::Result.new(out.read, err.read, status)
  ensure
    [out, err].each(&:close!)
  end
end
