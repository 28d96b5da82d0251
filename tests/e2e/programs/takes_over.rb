# A server in small: requests come through the same layers all the time; after two and a half seconds one of them takes all.
module Sinatra
  class Base
    def call!(work) = work.call
  end
end

def spin(seconds) = (till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
                     nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) > till)

class Shop
  def show = spin(0.004)
  def list = spin(0.004)
end

class Billing
  def reindex = 5.times { |_| step }
  def step = spin(0.8)
end

shop = Shop.new
base = Sinatra::Base.new
finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 2.5
until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
  base.call!(-> { shop.show })
  base.call!(-> { shop.list })
  sleep 0.004
end
base.call!(-> { Billing.new.reindex })
