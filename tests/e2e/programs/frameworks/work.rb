# What the applications here do: three times as much for one kind of request, or job, as for the other.
module Work
  def self.spin(count)
    i = 0
    i += 1 while i < count
  end

  def self.much = spin(150_000)
  def self.little = spin(50_000)
end
