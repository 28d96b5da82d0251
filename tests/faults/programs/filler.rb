# Fills the shared memory while it runs, makes methods that want names meanwhile, and empties it again.
def work(n) = n.times.sum { |i| i.to_s.size }

sleep 0.15
3.times do |turn|
  file = File.open("/dev/shm/filler", "w")
  file.sync = true
  begin
    loop { file.write("x" * 65_536) }
  rescue Errno::ENOSPC
    nil
  end
  300.times { |i| eval("def made_#{turn}_#{i}_#{"long" * 20}(n) = n.times.sum { |x| work(1); x }") }
  300.times { |i| send("made_#{turn}_#{i}_#{"long" * 20}", 20) }
  sleep 0.15
  puts work(500)
  file.close
  File.unlink("/dev/shm/filler")
  sleep 0.12
end
