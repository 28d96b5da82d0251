# Names with numbers of one process: a row for all workers, on the screen, in reports and in recordings.
# Waits nearly all of the time
require_relative "../support"
require_relative "../terminal"

class TestTemplates < Minitest::Test
  include E2E

  NAME = "app/views/orders/show.html.erb"

  # With the rows of the template as soon as both workers are in it.
  def workers
    running("#{PROGRAMS}/templates.rb", signal: :TERM, pgroup: true) do |pid|
      E2E.wait_until("two workers in one row") { method_named(look("-p", pid.to_s), NAME)&.fetch("threads") == 2 }
      yield pid
    ensure
      Process.kill(:KILL, -pid)
    end
  end

  def look(*options) = viewer("-b", "-J", "-n", "1", "-F", "0.5", "-m", "wall", *options).objects.last

  def assert_one_row(object)
    assert_equal [NAME], object["methods"].map { |row| row["name"] }.grep(/orders/)
  end

  def test_one_row_for_all_workers
    workers do |pid|
      assert_one_row(look("-p", pid.to_s))
      file = "/dev/shm/templates-#{$$}.rpt"
      assert_equal 0, viewer("-o", file, "-t", "1", "-p", pid.to_s).status.exitstatus
      assert_one_row(viewer("-b", "-J", "-F", "all", "-m", "wall", "-r", file).objects.last)
    ensure
      File.delete(file) rescue nil
    end
  end

  def test_details_have_the_name_of_a_process
    workers do |pid|
      Terminal.open("-m", "wall", "-p", pid.to_s, rows: 40, columns: 160) do |terminal|
        terminal.wait_for(NAME)
        terminal.type("/show.html\r")
        terminal.type("D")
        E2E.wait_until("the name") { terminal.repainted.match?(/generated .*show_html_erb__\d+_\d+/) }
        terminal.type("Q")
      end
    end
  end
end
