# SPDX-License-Identifier: MIT
# What Bundler requires for `gem "rperf-top"`.
require "rperf_top"
require "rperf_top/railtie" if defined?(Rails::Railtie)
