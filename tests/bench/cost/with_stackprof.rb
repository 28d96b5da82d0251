# Loaded before a program by cost.rb.
require "stackprof"
StackProf.start(mode: ENV.fetch("STACKPROF").to_sym, interval: 1000)
