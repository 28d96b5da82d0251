# Orders in a loop, three places in each of them; says at its end how many there were.
class Orders
  COUNT = Hash.new(0)

  def self.run(seconds)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    orders = new
    orders.place(COUNT[:place]) while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
    puts COUNT[:place], COUNT[:check]
  end

  def place(number)
    COUNT[:place] += 1
    3.times { check(number) }
    sleep 0.002
    raise "no" if number % 10 == 9
  rescue RuntimeError
    nil
  end

  def check(number)
    COUNT[:check] += 1
    raise ArgumentError if number.negative?
  end
end

Orders.run((ARGV[0] || 3600).to_f)
