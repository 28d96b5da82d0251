# The page that `-o x.html` writes, as a real browser shows it.
require_relative "support"
require "cgi"

class TestHtml < Minitest::Test
  include E2E

  BROWSER = %w[chromium chromium-browser google-chrome].find { |name| ENV["PATH"].split(":").any? { |folder| File.executable?("#{folder}/#{name}") } }
  EDGE = 0.3 # seconds: a sample may be late
  NAMES = <<~'RUBY'
    hostile = %q(</script><script>document.title = "owned"</script><img src=x onerror="document.title='owned'">)
    def burn(seconds) = (finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds; nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish)
    eval("def from_nowhere = burn(0.3)", TOPLEVEL_BINDING, hostile)   # its path
    RperfTop.mark("<b>deploy</b>" + hostile)
    from_nowhere
    def in_the_past = burn(1.5)
    def at_present = burn(1.5)
    RperfTop.mark("in_the_past")
    in_the_past
    RperfTop.mark("at_present")
    at_present
    RperfTop.mark("over")
  RUBY

  # One for all tests.
  def self.page
    @page ||= begin
      folder = Dir.mktmpdir
      Minitest.after_run { FileUtils.rm_rf(folder) }
      File.write("#{folder}/names.rb", NAMES)
      result = E2E.viewer("-o", "#{folder}/x.html", "--", RbConfig.ruby, QUICK, "#{folder}/names.rb")
      raise result.err unless result.status.success?
      "#{folder}/x.html"
    end
  end

  # The document once its scripts have run, in a window of that size.
  def shown(address = "", of: self.class.page)
    skip "no browser is here" unless BROWSER
    Dir.mktmpdir do |profile|
      out, err, status = Open3.capture3("timeout", "100", BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=#{profile}",
                                        "--virtual-time-budget=2000", "--window-size=1200,900", "--dump-dom",
                                        "file://#{of}#{address}")
      assert_predicate status, :success?, err
      return out.sub(%r{<script.*</script>}m, "")   # the data and the program
    end
  end

  # [[self ms, %, total ms, %, name, where], ...]
  def methods(page)
    page[%r{<table id="methods">.*?</table>}m][%r{<tbody>(.*)</tbody>}m, 1].scan(%r{<tr>(.*?)</tr>}m).map do |(row)|
      row.scan(%r{<td>(.*?)(?:<span class="where">(.*?)</span>)?</td>}m).flatten.compact.map { |text| CGI.unescapeHTML(text) }
    end
  end

  def total_ms(rows, name) = rows.find { |row| row[4] == name }&.at(2).to_s.delete(",").to_f

  # All calls, counted: a column of their own, first.
  def test_all_calls
    Dir.mktmpdir do |folder|
      File.write("#{folder}/calls.rb", <<~'RUBY')
        def counted = nil
        loop { 7.times { counted } and sleep 0.01 }
      RUBY
      result = viewer("--trace-all=c", "-t", "1", "-o", "#{folder}/x.html", "--", RbConfig.ruby, QUICK, "--disable-yjit", "#{folder}/calls.rb")
      assert_match(/wrote/, result.err)
      page = shown(of: "#{folder}/x.html")
      counts = methods(page).to_h { |row| [row[5], row[0].delete(",").to_i] }
      assert_operator counts["Object#counted"], :>=, 7 * 10
      assert_in_delta counts["Object#counted"], 7 * counts["Kernel#sleep"], 7
      assert_match(/exact: all calls of 1\.\d s, [\d,]+ of them, \d+ ns a call taken off/, page)
    end
  end

  def test_methods_calls_and_names
    page = shown
    rows = methods(page)
    %w[Object#in_the_past Object#at_present].each { |name| assert_operator total_ms(rows, name), :>, 1300 }
    assert_match(%r{</script><script>document\.title = "owned"}, rows.find { |row| row[4] == "Object#from_nowhere" }[5])
    assert_match(%r{<title>\S*ruby .*names\.rb - rperf-top</title>}, page)
    assert_match(/<div id="flames"[^>]*>.*Object#at_present/m, page)
    assert_includes page, "mark &lt;b&gt;deploy&lt;/b&gt;"
    refute_match(/<(img|b)\b/, page)
  end

  # The program marks when it begins with each of two methods, which take 1.5 s and, on a busy machine, more.
  def test_a_span
    data = JSON.parse(File.read(self.class.page)[%r{id="data">(.*?)</script>}m, 1])
    from, middle, over = %w[in_the_past at_present over].map do |name|
      data["stalls"].find { |stall| stall["text"].end_with?("mark #{name}") }["start"] / 1e6
    end
    { "in_the_past" => [from, middle], "at_present" => [middle, over] }.each do |there, (start, finish)|
      start, finish = start + EDGE, finish - EDGE
      rows = methods(shown(format("#%.2f-%.2f", start, finish)))
      assert_operator total_ms(rows, "Object##{there}"), :>, 750 * (finish - start), "of #{finish - start} s"
      (%w[in_the_past at_present] - [there]).each { |other| assert_equal 0, total_ms(rows, "Object##{other}") }
    end
  end

  def test_nothing_is_fetched
    text = File.read(self.class.page)
    refute_match(%r{https?://|\bimport\b|fetch\(|XMLHttp|url\(}, text.sub(%r{<script type="application/json".*?</script>}m, ""))
    assert_includes text, "default-src 'none'"
  end
end
