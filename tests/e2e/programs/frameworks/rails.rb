# A Rails application in API mode on puma, which has `gem "rperf-top"` in its Gemfile and no word of labels:
#   rails.rb SOCKET
require "rails"
require "action_controller/railtie"
require "active_job/railtie"
require "rperf-top" # what Bundler.require does for `gem "rperf-top"`
require "puma"
require "puma/cli"
require_relative "work"
require_relative "took"

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
    get "/late/:slug", to: "shop#late"
    get "/late/:slug/edit", to: "shop#late", constraints: ->(request) { request.path.include?("-") }
    patch "/forms/:number", to: "shop#late"
    delete "/forms/:number", to: "shop#items"
  end
end

# What an application does before its routes are asked, and after.
class Late
  def initialize(app) = @app = app

  def call(env)
    late = env["PATH_INFO"].match?(%r{/late/|/forms/})
    late && sleep(0.01) && Work.little
    @app.call(env).tap { sleep 0.005 if late }
  end
end
ShopApp.config.middleware.use Late
ShopApp.config.middleware.use Rack::MethodOverride

class MailJob < ActiveJob::Base
  queue_as :mails
  def perform = Work.much
end

class ShopController < ActionController::API
  def order = render(plain: Work.much)
  def items = render(plain: Work.little)
  def late = render(plain: "ok")
  def mails = render(plain: MailJob.perform_later.job_id)
end

ShopApp.initialize!

# All of a request, measured by the server itself.
MEASURED = lambda do |env|
  return [200, { "took" => Took.told }, ["ok"]] if env["PATH_INFO"] == "/took"
  Took.measured(env["PATH_INFO"][/\A\/\w+/]) { ShopApp.call(env) }
end
File.write("#{ARGV[0]}.rb", %(bind "unix://#{ARGV[0]}"\nthreads 3, 3\napp MEASURED\n))
Puma::CLI.new(["--quiet", "--config", "#{ARGV[0]}.rb"]).run
