# Loaded before mixture.rb by mixtures.rb, and before a scenario by accuracy.rb: the same with the gem rperf, at BESIDE_HZ, in
# wall mode or in BESIDE_MODE.
require "rperf"

module Beside
  def self.start = Rperf.start(mode: ENV.fetch("BESIDE_MODE", "wall").to_sym, frequency: Integer(ENV.fetch("BESIDE_HZ")))

  # {"Server#request": [wall ns, ns of running]}: it has one clock, so what runs is wall time that has no label of
  # waiting or garbage collection.
  def self.found(names)
    data = Rperf.stop
    sums = names.to_h { |name| [name, [0, 0]] }
    data[:aggregated_samples].each do |frames, weight, _, labels|
      name = frames.map { |_, label| label }.find { |label| sums.key?(label) } or next
      sums[name][0] += weight
      running = (data.dig(:label_sets, labels || 0) || {}).keys.none? { |key| key.to_s.start_with?("%") }
      sums[name][1] += weight if running
    end
    sums
  end
end
