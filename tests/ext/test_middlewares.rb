# Middlewares beside an application that hands them anything: it gets what it would have had without them. With the real
# gems: tests/e2e/test_frameworks.rb.
ENV["RPERF_TOP"] = "0"
require_relative "support"
$LOAD_PATH.unshift(Support::BUILD)
require "rperf_top/rack"

# As much of the frameworks as their middlewares need here.
module Sidekiq
  def self.configure_server = nil
end
module Sinatra
  class Base
    def initialize(env) = @env = env
    def call = route_eval { RperfTop.labels }

    private

    attr_reader :env

    def route_eval = yield
  end
end
require "rperf_top/active_job"
require "rperf_top/sidekiq"
require "rperf_top/sinatra"

class MiddlewaresTest < Minitest::Test
  # Nothing may be asked of it.
  class Strange < BasicObject; end

  # A caller's object that does not want to be text.
  class Mute
    def to_s = raise(ArgumentError, "no text")
  end

  # Sinatra's file, loaded above, says that routes are told.
  def setup = RperfTop::Request.told_by_frameworks = false

  def serve(env, status: 200, response: nil, rack: nil)
    seen = nil
    rack ||= RperfTop::RackMiddleware.new(->(_env) { seen = RperfTop.labels[:endpoint]; response || [status, {}, []] })
    @response = rack.call(env)
    seen
  end

  def test_method_and_path_are_any_bytes_or_nil
    { ["GET", "/orders/17"] => "GET /orders/:id",
      ["G\xFFT", "/a\xFF/7"] => "? /a?/:id",
      ["G\xFFT".b, "/a\xFF/7".b] => "? /a?/:id",
      [nil, nil] => "? /",
      ["GET", "/é".encode("UTF-16LE")] => nil, # read as bytes, it matters only that it does no harm
      [:GET, "/items"] => "GET /items",
      ["get", "/"] => "? /" }.each do |(method, path), wanted|
      seen = serve({ "REQUEST_METHOD" => method, "PATH_INFO" => path })
      assert_equal wanted, seen if wanted
      assert seen.valid_encoding?
    end
    assert_equal "GET /mounted\u00e9/x?", serve({ "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "/mounted\u00e9", "PATH_INFO" => "/x\xC3".b })
    assert_equal "GET /x", serve({ "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => nil, "PATH_INFO" => "/x" })
  end

  def test_what_the_application_hands_us_raises_nothing
    strange = Strange.new
    env = { "REQUEST_METHOD" => "GET", "PATH_INFO" => "/x" }
    [strange, Mute.new].each do |odd|
      assert_nil serve({ "REQUEST_METHOD" => odd, "PATH_INFO" => "/x" })
      assert_nil serve({ "REQUEST_METHOD" => "GET", "PATH_INFO" => odd })
      assert_equal "GET /x", serve(env, status: odd), "a status that nothing may be asked of"
    end
    [nil, "200", 200.0, Object.new, [], :ok].each do |status|
      assert_equal "GET /x", serve(env, status: status)
    end
    assert_equal "GET /x", serve(env, response: strange)
    assert_equal strange.__id__, @response.__id__
    assert_equal "GET /x", serve(env, response: [])
  end

  def test_errors_and_throws_of_the_application_pass
    failing = RperfTop::RackMiddleware.new(->(_env) { raise NoMethodError, "the application's" })
    error = assert_raises(NoMethodError) { serve({ "REQUEST_METHOD" => "GET", "PATH_INFO" => "/x" }, rack: failing) }
    assert_equal "the application's", error.message
    throwing = RperfTop::RackMiddleware.new(->(_env) { throw :async, :thrown })
    assert_equal(:thrown, catch(:async) { serve({ "PATH_INFO" => "/x" }, rack: throwing) })
    assert_empty RperfTop.labels
  end

  def labels_of(env, key = nil, told: nil, &block)
    app = lambda do |inner|
      told ? RperfTop::Request.tell(inner, { endpoint: told }) { @labels = RperfTop.labels } : @labels = RperfTop.labels
      [200, {}, []]
    end
    rack = RperfTop::RackMiddleware.new(app, **(key ? { label_key: key } : {}), &block)
    2.times { rack.call(env.dup) } # of the second one the first has told
    assert_empty RperfTop.labels
    @labels
  end

  def request(more = {}) = { "REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders/17" }.merge(more)

  def test_another_key
    assert_equal({ route: "GET /orders/:id" }, labels_of(request, :route))
    assert_equal({ route: "GET /orders/:id" }, labels_of(request, "route"))
    RperfTop::Request.told_by_frameworks = true
    assert_equal({ route: "GET /orders/:number" }, labels_of(request, :route, told: "GET /orders/:number"))
  end

  def test_a_block_says_the_label
    [false, true].each do |told_by_frameworks|
      RperfTop::Request.told_by_frameworks = told_by_frameworks
      assert_equal({ endpoint: "17" }, labels_of(request, told: "GET /told") { |env| env["PATH_INFO"][/\d+/] })
      assert_equal({ tenant: "7", endpoint: "a" }, labels_of(request, :tenant, told: "a") { 7 })
      assert_equal({ tenant: "b" }, labels_of(request, :tenant) { "b" })
      [-> {}, -> { false }, -> { raise "mine" }, -> { Mute.new }].each do |unknown|
        assert_equal({ endpoint: "GET /orders/:id" }, labels_of(request) { unknown.call })
      end
    end
  end

  # Around each other: keys stand side by side, and of one key what is said is right, wherever it is said.
  def test_several_of_them
    [false, true].each do |told_by_frameworks|
      RperfTop::Request.told_by_frameworks = told_by_frameworks
      seen = nil
      app = ->(_env) { seen = RperfTop.labels; [200, {}, []] }
      tenant = RperfTop::RackMiddleware.new(app, label_key: :tenant) { "t" }
      both = RperfTop::RackMiddleware.new(tenant)
      2.times { both.call(request) }
      assert_equal({ endpoint: "GET /orders/:id", tenant: "t" }, seen)
      said = RperfTop::RackMiddleware.new(app) { "said" }
      RperfTop::RackMiddleware.new(said).call(request)
      assert_equal({ endpoint: "said" }, seen)
      RperfTop::RackMiddleware.new(RperfTop::RackMiddleware.new(app)) { "said" }.call(request)
      assert_equal({ endpoint: "said" }, seen)
      assert_empty RperfTop.labels
    end
  end

  # The endpoint as the n-th of many: is there room for its name?
  def shown(endpoint, path) = endpoint.shown(endpoint.name("GET", path))

  def fill(endpoint, status)
    200.times do |number|
      name = endpoint.name("GET", "/n#{number}x")
      endpoint.shown(name)
      endpoint.answered(name, status)
    end
  end

  def test_only_success_makes_an_endpoint
    [404, 500, 301, 302, 304, 199, 300, nil, Mute.new].each do |status|
      endpoint = RperfTop::Endpoint.new
      fill(endpoint, status)
      assert_equal "GET (new)", shown(endpoint, "/n150x"), status.inspect
      assert_equal "GET /n50x", shown(endpoint, "/n50x")
      endpoint.answered(endpoint.name("GET", "/n150x"), 204)
      assert_equal "GET /n150x", shown(endpoint, "/n150x")
    end
    [200, 204, 299, "200"].each do |status|
      endpoint = RperfTop::Endpoint.new
      fill(endpoint, status)
      assert_equal "GET /n150x", shown(endpoint, "/n150x"), status.inspect
    end
  end

  # New endpoints that are answered leave their room to the next ones.
  def test_an_answered_name_is_new_no_more
    endpoint = RperfTop::Endpoint.new
    fill(endpoint, 200)
    100.times { |number| assert_equal "GET /s#{number}x", shown(endpoint, "/s#{number}x"), "room for a hundred" }
    assert_equal "GET (new)", shown(endpoint, "/s100x")
  end

  def test_the_tables_are_bounded
    endpoint = RperfTop::Endpoint.new
    1000.times { |number| endpoint.answered(endpoint.name("GET", "/k#{number}x"), 200) }
    200.times { |number| shown(endpoint, "/s#{number}x") }
    assert_equal "GET /k499x", shown(endpoint, "/k499x")
    assert_equal "GET (new)", shown(endpoint, "/k500x")
  end

  def test_the_name_is_made_once_for_a_request
    calls = 0
    counting = Module.new { define_method(:name) { |*arguments| calls += 1; super(*arguments) } }
    endpoint = RperfTop::Endpoint.new
    endpoint.singleton_class.prepend(counting)
    rack = RperfTop::RackMiddleware.new(->(_env) { [200, {}, []] })
    rack.instance_variable_set(:@endpoint, endpoint)
    serve({ "REQUEST_METHOD" => "GET", "PATH_INFO" => "/x" }, rack: rack)
    assert_equal 1, calls
  end

  # A framework that tells of the request what `tell` says; which labels there are before, then and after.
  def told(verb, path, tell: nil, status: 200, rack: @told_rack ||= RperfTop::RackMiddleware.new(->(env) { @app.call(env) }))
    seen = []
    @app = lambda do |env|
      seen << RperfTop.labels[:endpoint]
      RperfTop::Request.tell(env, { endpoint: tell }) { seen << RperfTop.labels[:endpoint] } if tell
      seen << RperfTop.labels[:endpoint]
      [status, {}, []]
    end
    RperfTop::Request.told_by_frameworks = true
    rack.call({ "REQUEST_METHOD" => verb, "PATH_INFO" => path }.freeze.dup)
    assert_empty RperfTop.labels
    seen
  end

  def test_a_route_that_is_told
    assert_equal [nil, "GET /a/:b", "GET /a/:b"], told("GET", "/a/1", tell: "GET /a/:b")
    assert_equal ["GET /a/:b"] * 3, told("GET", "/a/2", tell: "GET /a/:b"), "learned"
    assert_equal ["GET /a/:b"] * 2, told("GET", "/a/2"), "it ended before"
    assert_equal ["GET /a/:b", "GET /a/:c", "GET /a/:c"], told("GET", "/a/2", tell: "GET /a/:c")
    assert_equal [nil, "GET /a/:b", "GET /a/:b"], told("GET", "/a/2", tell: "GET /a/:b"), "one of two"
    assert_equal [nil, nil], told("GET", "/static")
    assert_equal ["GET /static"] * 2, told("GET", "/static"), "nobody tells"
    assert_equal ["GET /static", "GET /s", "GET /s"], told("GET", "/static", tell: "GET /s")
    assert_equal ["GET /s"] * 3, told("GET", "/static", tell: "GET /s")
  end

  def test_the_first_who_tells_a_route_is_right
    inner = nil
    rack = RperfTop::RackMiddleware.new(lambda { |env|
      RperfTop::Request.tell(env, { endpoint: "GET /first" }) { nil }
      RperfTop::Request.tell(env, { endpoint: "GET /error" }) { inner = RperfTop.labels }
      Thread.new { RperfTop::Request.tell(env, { endpoint: "GET /live" }) { inner[:live] = RperfTop.labels } }.join
    })
    told("GET", "/x", rack: rack)
    assert_equal({ endpoint: "GET /first", live: {} }, inner)
    live = after = nil
    rack = RperfTop::RackMiddleware.new(lambda { |env|
      Thread.new { RperfTop::Request.tell(env, { endpoint: "GET /live" }) { live = RperfTop.labels }; after = RperfTop.labels }.join
    })
    told("GET", "/y", rack: RperfTop::RackMiddleware.new(rack))
    assert_equal [{ endpoint: "GET /live" }, {}], [live, after]
  end

  def test_names_that_nobody_tells_are_bounded
    300.times { |number| told("GET", "/n#{number}x", status: 404) }
    assert_equal ["GET /n50x"] * 2, told("GET", "/n50x", status: 404)
    assert_equal [nil, nil], told("GET", "/n250x", status: 404)
    600.times { |number| told("GET", "/k#{number}x", tell: "GET /:k") }
    assert_equal [nil, "GET /:k", "GET /:k"], told("GET", "/k599x", tell: "GET /:k")
  end

  def test_jobs
    middleware = RperfTop::SidekiqMiddleware.new
    labels = ->(job, queue) { middleware.call(nil, job, queue) { RperfTop.labels } }
    assert_equal({ job: "Mail", queue: "mails" }, labels.({ "class" => "Mail" }, "mails"))
    assert_equal({ job: "Inner", queue: "q" }, labels.({ "class" => "Wrapper", "wrapped" => "Inner" }, "q"))
    assert_equal({}, labels.({ "class" => Mute.new }, "mails"))
    assert_equal({}, labels.(nil, "mails"))
    base = Class.new { class << self; attr_reader :around; def around_perform(&block) = @around = block; end }
    RperfTop::ActiveJobLabels.included(base)
    job = Struct.new(:queue_name)
    assert_equal({ queue: "q" }, base.around.call(job.new("q"), -> { RperfTop.labels }), "a class without a name")
    assert_equal({}, base.around.call(job.new(Mute.new), -> { RperfTop.labels }))
  end

  def test_sinatra
    assert_equal({ endpoint: "GET /a/:b" }, Sinatra::Base.new({ "sinatra.route" => "GET /a/:b" }).call)
    assert_equal({}, Sinatra::Base.new({}).call)
    assert_equal({}, Sinatra::Base.new({ "sinatra.route" => Mute.new }).call)
  end

  class Controller
    attr_reader :request

    def initialize(request) = @request = request
    def action_name = "show"
    def call = process_action

    private

    def process_action = RperfTop.labels
  end

  def controller(**said)
    require "rperf_top/action_controller"
    Controller.prepend(RperfTop::ActionLabels)
    request = Object.new
    said.each { |name, value| request.define_singleton_method(name) { value.is_a?(Exception) ? raise(value) : value } }
    Controller.new(request).call
  end

  def test_actions
    by_name = { endpoint: "MiddlewaresTest::Controller#show" }
    assert_equal({ endpoint: "GET /orders/:id" }, controller(route_uri_pattern: "/orders/:id(.:format)", request_method: "GET"))
    assert_equal by_name, controller(request_method: "GET")
    assert_equal by_name, controller(route_uri_pattern: nil, request_method: "GET")
    unknown = StandardError.new("BREW, accepted HTTP methods are OPTIONS, GET")
    assert_equal by_name, controller(route_uri_pattern: "/pots", request_method: unknown)
    assert_equal by_name, controller(route_uri_pattern: unknown, request_method: "GET")
  end
end
