# rdoc over so many files of Ruby's own library.
require_relative "../programs/measure"
require "rdoc"
require "tmpdir"

library = RbConfig::CONFIG["rubylibdir"]
skipped = %r{/(?:bundler|rubygems|prism|syntax_suggest|vendor)/}   # more of the same
files = Dir["#{library}/**/*.rb"].sort.grep_v(skipped).first(Integer(ENV.fetch("RDOC_FILES", "150")))
memory = File.writable?("/dev/shm") ? "/dev/shm" : nil   # a disk's file system costs more each time
Dir.mktmpdir("rdoc.", memory) do |folder|
  measure(1, warm_up: 0) { RDoc::RDoc.new.document(["-q", "-f", "ri", "-o", "#{folder}/doc", *files]) }
end
