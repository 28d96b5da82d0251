# Loaded before a program by server/cost.rb.
require "rperf"
Rperf.start(mode: :wall, frequency: 1000)
