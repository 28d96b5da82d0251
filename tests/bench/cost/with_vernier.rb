# Loaded before a program by cost.rb.
require "vernier"
Vernier.start_profile(mode: :wall, interval: 1000)
at_exit { Vernier.stop_profile }   # it aborts otherwise
