# SPDX-License-Identifier: MIT
# What `require "rperf_top"` finds first: loads the extension, or says in one sentence why it cannot.
#
# A program that requires it gets a LoadError. When it came by RUBYOPT or -r, the program never asked
# for it: one warning, and RperfTop does nothing. Runs on any Ruby, so the syntax is that of Ruby 2.0.
module RperfTop
  module Shim # :nodoc:
    BUILT_FOR = "@RUBY_SERIES@" # the build writes the series here, "3.3"
    BUILT_WITH = "@RUBY_PATH@" # and the program here, "/usr/bin/ruby3.3"; the viewer reads this line, too

    # The reason why the extension cannot be loaded here, or nil.
    def self.obstacle
      engine = defined?(RUBY_ENGINE) ? RUBY_ENGINE : "ruby"
      return "it needs CRuby 3.3.1 or newer, this is #{engine}" unless engine == "ruby"
      unless (RUBY_VERSION.split(".").map { |part| part.to_i } <=> [3, 3, 1]) >= 0
        return "it needs Ruby 3.3.1 or newer, this is #{RUBY_VERSION}#{where_to}"
      end
      series = RUBY_VERSION[/\A\d+\.\d+/]
      return if BUILT_FOR[0] == "@" || BUILT_FOR == series
      "it was built for Ruby #{BUILT_FOR}, this is #{RUBY_VERSION}: build it again with RUBY=#{ruby}"
    end

    def self.load
      reason = obstacle
      return reason if reason
      require_relative "rperf_top.so"
      nil
    rescue SystemExit, SignalException # somebody ends the program
      raise
    rescue Exception => error # whatever else it is: the program runs without it
      detail = error.message.sub(/ - [^ ]*\/rperf_top\.so\z/, "")
      "its native part does not load (#{detail}): build it again with RUBY=#{ruby}"
    end

    # A Ruby that will do is there: that is worth knowing where the one in PATH is too old.
    def self.where_to
      BUILT_WITH[0] == "/" && File.executable?(BUILT_WITH) ? "; #{BUILT_WITH} will do" : ""
    end

    def self.ruby
      require "rbconfig"
      RbConfig.ruby
    end

    # True when a line of the program, or of a library, asks. -r and RUBYOPT come from the interpreter
    # itself: then nothing but `require` stands on the stack.
    def self.asked_for?(stack)
      own = /\A<internal:|:in [`'](?:Kernel#)?(?:require|gem_original_require)'/
      stack.any? { |line| line !~ own }
    end

    # What a program may call, without effect.
    def self.stand_in
      [:start, :stop, :mark, :snapshot, :load].each do |name|
        RperfTop.define_singleton_method(name) { |*| nil }
      end
      RperfTop.define_singleton_method(:labels) { {} }
      RperfTop.define_singleton_method(:running?) { false }
      [:label, :label_ahead, :profile].each do |name|
        RperfTop.define_singleton_method(name) { |*, &block| block && block.call }
      end
    end
  end
end

module RperfTop
  autoload :Profile, File.expand_path("rperf_top/profile", File.dirname(__FILE__))

  class << self
    # RperfTop.profile(hz: 1000) { ... }: where the time of the block goes, of all threads, as a Profile.
    def profile(**options, &block)
      raise ArgumentError, "RperfTop.profile needs a block" unless block
      Profile.take(**options, &block)
    end

    # With a path, the channel as a file for rperf-top -r. Without, what the profile holds so far that was opened last;
    # with clear it begins afresh.
    def snapshot(path = nil, clear: false)
      return Profile.snapshot(clear: clear) if path.nil?
      raise ArgumentError, "clear: is of profiles, not of the channel" if clear
      save_channel(path)
    end

    # What Profile#save has saved.
    def load(path)
      Profile.load(path)
    end
  end
end

if (reason = RperfTop::Shim.load)
  if RperfTop::Shim.asked_for?(caller)
    Object.send(:remove_const, :RperfTop)
    raise LoadError, "rperf_top cannot be used: #{reason}"
  end
  $stderr.puts "rperf_top: #{reason}; the program runs without it"
  RperfTop::Shim.stand_in
end
