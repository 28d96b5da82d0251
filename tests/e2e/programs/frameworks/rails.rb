# A Rails application in API mode on puma, which has `gem "rperf-top"` in its Gemfile and no word of labels:
#   rails.rb SOCKET
require "rails"
require "action_controller/railtie"
require "active_job/railtie"
require "rperf-top" # what Bundler.require does for `gem "rperf-top"`
require "puma"
require "puma/cli"
require_relative "work"

class ShopApp < Rails::Application
  config.load_defaults Rails::VERSION::STRING.to_f
  config.api_only = true
  config.eager_load = false
  config.secret_key_base = "none"
  config.hosts.clear
  config.logger = Logger.new(File::NULL)
  config.active_job.queue_adapter = :inline
  routes.append do
    get "/orders/:number", to: "shop#order"
    get "/items", to: "shop#items"
    get "/mails", to: "shop#mails"
  end
end

class MailJob < ActiveJob::Base
  queue_as :mails
  def perform = Work.much
end

class ShopController < ActionController::API
  def order = render(plain: Work.much)
  def items = render(plain: Work.little)
  def mails = render(plain: MailJob.perform_later.job_id)
end

ShopApp.initialize!
File.write("#{ARGV[0]}.rb", %(bind "unix://#{ARGV[0]}"\nthreads 3, 3\napp ShopApp\n))
Puma::CLI.new(["--quiet", "--config", "#{ARGV[0]}.rb"]).run
