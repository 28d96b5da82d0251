# GC-heavy: many short-lived objects and a large live heap that major collections walk.
require_relative "measure"

KEPT = Array.new(120_000) { |i| "kept #{i}" }

def churn(count)
  Array.new(count) { |i| [i.to_s, { i => i }] }.size
end

measure(300) { churn(12_000) }
