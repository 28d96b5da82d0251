# One method that sleeps, in one single call.
#   sleeper.rb [SECONDS]
def doze(seconds)
  seconds ? sleep(seconds) : sleep
end

doze(ARGV[0]&.to_f)
