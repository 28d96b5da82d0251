# I/O storm: two threads throw a byte at each other through pipes; every byte is two GVL releases.
require_relative "measure"

there_read, there_write = IO.pipe
back_read, back_write = IO.pipe

def serve(from, to)
  while (byte = from.read(1))
    to.write(byte)
  end
end

def nested(depth, &block) = depth.zero? ? block.call : nested(depth - 1, &block)

depth = Integer(ENV.fetch("STORM_DEPTH", "0"))
server = Thread.new { nested(depth) { serve(there_read, back_write) } }
nested(depth) do
  measure(60) do
    1_500.times do
      there_write.write("x")
      back_read.read(1)
    end
  end
end
there_write.close
server.join
