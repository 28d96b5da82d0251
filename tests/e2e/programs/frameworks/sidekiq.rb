# Jobs for Sidekiq: `sidekiq -r sidekiq.rb`, with REDIS_URL.
require "sidekiq"
require "rperf_top/sidekiq"
require_relative "work"

class ReportJob
  include Sidekiq::Job
  sidekiq_options queue: "reports"
  def perform = Work.much
end

class MailJob
  include Sidekiq::Job
  sidekiq_options queue: "mails"
  def perform = Work.little
end
