# Has no thread but the main one.
puts 200.times.sum { |i| i.to_s.size }
sleep 0.1
20.times { 1000.times { |i| i.to_s } }
puts "end"
