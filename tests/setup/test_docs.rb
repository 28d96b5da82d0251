# What a stranger reads first is true: links lead somewhere, rendered pages are those of the manual, one version, and the files for
# containers install what the programs need.
require "digest"
require "minitest/autorun"
require "open3"
require "yaml"

class TestDocs < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  BUILD = ENV["RTOP_BUILD"] || "#{ROOT}/build"
  TEXTS = Dir["#{ROOT}/{README.md,.github/*.md,.docs/*.md,tests/README.md}"].sort

  def read(path) = File.read("#{ROOT}/#{path}")

  # As a forge makes them of headings: "What root does with another user's files".
  def anchors(path)
    text = File.read(path)
    text.scan(/^#+ (.+)$/).map { |(heading)| heading.downcase.gsub(/[^\w\- ]/, "").tr(" ", "-") } + text.scan(/ id="([^"]+)"/).flatten
  end

  def test_links_lead_somewhere
    assert_operator TEXTS.size, :>=, 13
    links = 0
    TEXTS.each do |path|
      text = File.read(path).gsub(/^```.*?^```/m, "")
      (text.scan(/\]\(([^)\s]+)\)/) + text.scan(/(?:href|src|srcset)="([^"]+)"/)).flatten.each do |link|
        next if link.match?(/\A[a-z]+:/)
        links += 1
        file, anchor = link.split("#", 2)
        target = file.empty? ? path : File.expand_path(file, File.dirname(path))
        assert_path_exists target, "#{path}: #{link}"
        assert_includes anchors(target), anchor, "#{path}: #{link}" if anchor
      end
    end
    assert_operator links, :>, 60
  end

  def test_rendered_pages_are_those_of_the_manual
    pages = Dir["#{ROOT}/man/*.[1-9]"].sort
    assert_equal pages.map { |page| "#{File.basename(page)}.md" }, Dir["#{ROOT}/.docs/*.md"].map { |path| File.basename(path) }.sort
    pages.each do |page|
      first, *rest = read(".docs/#{File.basename(page)}.md").lines
      assert_match(/ #{Digest::SHA256.file(page).hexdigest} -->$/, first, "#{page} has changed: make docs")
      assert_operator rest.size, :>, 20
      refute rest.any? { |line| line.strip.empty? }, "a blank line ends the HTML in #{page}"
    end
  end

  def test_the_readme_is_short
    assert_operator read("README.md").lines.size, :<=, 130
  end

  def test_one_version
    version = read("shm/base/version.h")[/"(.+)"/, 1]
    assert_equal version, read(".github/CHANGELOG.md")[/^## (\S+)/, 1]
    assert_includes read("tui/reader/rperf_top_reader.h"), "\"#{version}\": of the library"
  end

  def test_the_issue_forms_are_forms
    forms = Dir["#{ROOT}/.github/ISSUE_TEMPLATE/[^c]*.yml"]
    assert_equal 2, forms.size
    forms.each do |path|
      form = YAML.load_file(path)
      %w[name description body].each { |key| assert form[key], "#{path}: #{key}" }
      form["body"].each { |part| assert part["type"] && part["id"] && part.dig("attributes", "label"), path }
    end
  end

  def dockerfile = read(".containers/Dockerfile").lines.grep_v(/^#/)

  # The packages that a line of the Dockerfile installs.
  def installed(line) = line[/--no-install-recommends ([^&]*)/, 1].split

  def test_the_image_is_built_with_what_building_needs
    build, = dockerfile.grep(/apt-get/)
    needed = read(".setup/packages").scan(/^build +(\S+)/).flatten.map { |names| names.split("|").first }
    optional = needed.grep(/libcurl|libmicrohttpd/)
    assert_equal (needed - optional).sort, installed(build).sort
    assert_operator dockerfile.size, :<=, 12
  end

  # What the programs are linked with, as packages here name it; what the base of an image has is not asked for.
  def test_the_image_has_what_the_programs_need
    skip "this is not Debian" unless system("command -v dpkg-query > /dev/null")
    libraries = %w[rperf-top rperf_top.so].flat_map do |name|
      Open3.capture2("ldd", "#{BUILD}/#{name}").first.scan(%r{^\s+(lib(?:ncurses|lz4|jansson|protobuf)\S*) => (/\S+)})
    end
    packages = libraries.map { |_, path| [path, path.delete_prefix("/usr"), File.realpath(path)].filter_map { |one| Open3.capture2("dpkg-query", "-S", one, err: File::NULL).first[/\A([^:]+):/, 1] }.first }
    skip "libraries that are of no package" if packages.include?(nil)
    assert_equal installed(dockerfile.grep(/apt-get/).last).sort, packages.uniq.sort
  end

  def test_the_image_has_the_variables
    out, status = Open3.capture2({ "RPERF_TOP_LIB" => BUILD }, "#{BUILD}/rperf-top", "--env=docker")
    assert status.success?
    assert_includes dockerfile, out.sub(File.realpath(BUILD), "/usr/local/lib/rperf-top")
  end

  # The pod asks for no right, and each container sees the channels.
  def test_the_pod
    pod = YAML.load(read(".containers/pod.yml"), aliases: true)["spec"]
    assert pod["shareProcessNamespace"]
    assert pod.dig("securityContext", "runAsNonRoot")
    assert_equal %w[app viewer], pod["containers"].map { |container| container["name"] }
    pod["containers"].each do |container|
      context = container["securityContext"]
      assert_equal [false, true, { "drop" => ["ALL"] }], context.values_at("allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities")
      assert_equal [{ "name" => "channels", "mountPath" => "/dev/shm" }], container["volumeMounts"]
    end
    assert_equal({ "medium" => "Memory", "sizeLimit" => "5Mi" }, pod["volumes"].first["emptyDir"])
  end
end
