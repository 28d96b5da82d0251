# Loaded before a program by cost.rb: a native thread that wakes up a thousand times a second and does
# nothing else, the floor of every profiler with a timer.
require "sampler_bench"
SamplerBench.wake_for_ever
