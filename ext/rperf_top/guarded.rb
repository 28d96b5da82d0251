# SPDX-License-Identifier: MIT
# What middlewares say of the work that they pass on.
require "rperf_top"

module RperfTop
  module Guarded # :nodoc:
    # The labels that the block tells, as plain strings; none when it cannot tell any. Labels are not worth an exception
    # that the application would not have had, so nothing of what it handed us is used after this.
    def self.labels
      yield.transform_values { |value| value.nil? ? nil : "#{value}" }
    rescue StandardError
      {}
    end
  end
end
