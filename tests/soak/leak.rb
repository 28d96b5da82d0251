# What a soak must notice, loaded into its server by soak.rb --leak: 100 kB a second, or a descriptor a second.
kept = []
Thread.new do
  loop do
    sleep 1
    kept << (ENV["SOAK_LEAK"] == "memory" ? Random.bytes(100_000) : IO.pipe.first.dup)
  end
end
