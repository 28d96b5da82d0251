# For programs of tests (support.rb loads it where they have Ractors): what a Ractor's block returned, as Ruby 4.0 calls it.
Ractor.alias_method :value, :take unless Ractor.method_defined?(:value)
