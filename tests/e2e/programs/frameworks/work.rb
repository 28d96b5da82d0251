# What the applications here do: three times as much CPU time for one kind of request, or job, as for the other, however
# fast Ruby is.
module Work
  def self.clock = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :float_millisecond)

  def self.spin(milliseconds)
    finish = clock + milliseconds
    1000.times { nil } while clock < finish
  end

  def self.much = spin(6.0)
  def self.little = spin(2.0)
end
