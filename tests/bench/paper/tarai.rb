# The paper's worst case: nothing but calls, the whole so many times.
require_relative "../programs/measure"

def tarai(x, y, z) = x <= y ? y : tarai(tarai(x - 1, y, z), tarai(y - 1, z, x), tarai(z - 1, x, y))

measure(Integer(ENV.fetch("TARAI", "6"))) { tarai(12, 6, 0) }
