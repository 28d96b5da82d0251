# A server for profiles that decodes what it gets, and the viewer as it sends to it.
require_relative "../support"
require "socket"
require "stringio"
require "tempfile"
require "uri"
require "zlib"

# Protocol buffers, as far as the tests read them: [[field, value], …]; bytes are strings.
module Wire
  module_function

  def varint(bytes, at)
    value = shift = 0
    loop do
      byte = bytes.getbyte(at) or raise "cut off"
      value |= (byte & 127) << shift
      shift += 7
      at += 1
      return [value, at] if byte < 128
    end
  end

  def fields(bytes)
    at, all = 0, []
    while at < bytes.bytesize
      key, at = varint(bytes, at)
      case key & 7
      when 0 then value, at = varint(bytes, at)
      when 1 then value, at = bytes.byteslice(at, 8).unpack1("Q<"), at + 8
      when 2
        length, at = varint(bytes, at)
        raise "cut off" if at + length > bytes.bytesize
        value, at = bytes.byteslice(at, length), at + length
      else raise "no wire type: #{key & 7}"
      end
      all << [key >> 3, value]
    end
    all
  end

  def list(fields, number) = fields.filter_map { |field, value| value if field == number }
  def one(fields, number) = list(fields, number).last
  def packed(fields, number) = list(fields, number).flat_map { |value| value.is_a?(Integer) ? [value] : varints(value) }

  def varints(bytes)
    at, all = 0, []
    while at < bytes.bytesize
      value, at = varint(bytes, at)
      all << value
    end
    all
  end
end

# What was sent of a process: samples are [values by kind, stack (leaf first), labels].
Pushed = Struct.new(:pid, :service, :from, :seconds, :samples) do
  def sum(kind, label: nil, leaf: nil, within: nil)
    samples.sum do |values, stack, labels|
      next 0 if label && !label.all? { |key, value| labels[key] == value }
      next 0 if leaf && stack.first != leaf
      next 0 if within && !stack.include?(within)
      values.fetch(kind, 0)
    end / (kind == "wall" || kind == "cpu" ? 1e9 : 1)
  end
end

module Decode
  module_function

  def pprof(bytes, pid, service)
    all = Wire.fields(Zlib.gunzip(bytes))
    strings = Wire.list(all, 6).map { |text| text.dup.force_encoding("UTF-8") }
    kinds = Wire.list(all, 1).map { |type| strings[Wire.one(Wire.fields(type), 1)] }
    functions = Wire.list(all, 5).to_h { |text| Wire.fields(text).then { |fields| [Wire.one(fields, 1), strings[Wire.one(fields, 2).to_i]] } }
    locations = Wire.list(all, 4).to_h do |text|
      fields = Wire.fields(text)
      [Wire.one(fields, 1), functions.fetch(Wire.one(Wire.fields(Wire.one(fields, 4)), 1))]
    end
    samples = Wire.list(all, 2).map do |text|
      fields = Wire.fields(text)
      labels = Wire.list(fields, 3).to_h do |label|
        Wire.fields(label).then { |pair| [strings[Wire.one(pair, 1)], Wire.one(pair, 2).to_i.positive? ? strings[Wire.one(pair, 2)] : Wire.one(pair, 3).to_i] }
      end
      [kinds.zip(Wire.packed(fields, 2)).to_h, Wire.packed(fields, 1).map { |id| locations.fetch(id) }, labels]
    end
    Pushed.new(pid, service, Wire.one(all, 9) / 1e9, Wire.one(all, 10) / 1e9, samples)
  end

  def value(bytes) = Wire.fields(bytes).then { |fields| Wire.one(fields, 1)&.dup&.force_encoding("UTF-8") || Wire.one(fields, 3) }

  # The rules of the format, too: the first of each table is empty, and nothing points outside.
  def otlp(bytes)
    request = Wire.fields(Zlib.gunzip(bytes))
    tables = Wire.fields(Wire.list(request, 2).join) # pieces of a message are one
    strings = Wire.list(tables, 5).map { |text| text.dup.force_encoding("UTF-8") }
    raise "no empty string first" unless strings.first == ""
    [1, 2, 3, 6, 7].each { |table| raise "table #{table} does not begin with the empty one" unless Wire.list(tables, table).first == "" }
    raise "strings twice" unless strings.uniq.size == strings.size
    functions = Wire.list(tables, 3).map { |text| strings.fetch(Wire.one(Wire.fields(text), 1).to_i) }
    locations = Wire.list(tables, 2).map do |text|
      line = Wire.one(Wire.fields(text), 3)
      line ? functions.fetch(Wire.one(Wire.fields(line), 1)) : ""
    end
    stacks = Wire.list(tables, 7).map { |text| Wire.packed(Wire.fields(text), 1).map { |at| locations.fetch(at) } }
    raise "stacks twice" unless Wire.list(tables, 7).uniq.size == stacks.size
    labels = Wire.list(tables, 6).map { |text| Wire.fields(text).then { |pair| pair.empty? ? nil : [strings.fetch(Wire.one(pair, 1)), value(Wire.one(pair, 2))] } }
    Wire.list(request, 1).map do |resource_profiles|
      parts = Wire.fields(resource_profiles)
      resource = Wire.list(Wire.fields(Wire.one(parts, 1)), 1).to_h { |pair| Wire.fields(pair).then { |fields| [Wire.one(fields, 1), value(Wire.one(fields, 2))] } }
      profiles = Wire.list(parts, 2).flat_map { |scope| Wire.list(Wire.fields(scope), 2) }.map { |text| Wire.fields(text) }
      samples = profiles.flat_map do |profile|
        kind = strings.fetch(Wire.one(Wire.fields(Wire.one(profile, 1)), 1))
        raise "no id" unless Wire.one(profile, 7)&.bytesize == 16
        Wire.list(profile, 2).map do |text|
          fields = Wire.fields(text)
          marks = Wire.packed(fields, 2)
          raise "a key twice" unless marks.map { |mark| labels.fetch(mark).first }.uniq.size == marks.size
          [{ kind => Wire.packed(fields, 4).sum }, stacks.fetch(Wire.one(fields, 1)), marks.to_h { |mark| labels.fetch(mark) }]
        end
      end
      Pushed.new(resource.fetch("process.pid"), resource.fetch("service.name"), Wire.one(profiles.first, 3) / 1e9, Wire.one(profiles.first, 4) / 1e9, samples)
    end
  end
end

# Keeps what comes; the block may answer in another way: it gets the head and the body, and returns a status, headers or
# nothing for 200.
class ProfileServer
  attr_reader :requests, :port

  def initialize(port: 0, &answer)
    @server = TCPServer.new("127.0.0.1", port)
    @port = @server.addr[1]
    @requests = Queue.new
    @kept = []
    @answer = answer
    @threads = [Thread.new { loop { accept(@server.accept) } rescue nil }]
  end

  def accept(socket)
    @threads << Thread.new do
      serve(socket) while socket && !socket.eof?
    rescue SystemCallError, IOError
      nil
    ensure
      socket.close rescue nil
    end
  end

  def serve(socket)
    line = socket.gets or return
    head = {}
    while (text = socket.gets) && text != "\r\n"
      key, value = text.chomp.split(": ", 2)
      head[key.downcase] = value
    end
    head["line"] = line.chomp
    body = head["transfer-encoding"] == "chunked" ? raise("chunks") : socket.read(head.fetch("content-length").to_i)
    answer = @answer&.call(head, body) || "200 OK"
    return socket.close if answer == :hang_up
    requests << [head, body] if answer.start_with?("200")
    answer = "HTTP/1.1 #{answer}\r\nContent-Length: 0\r\n\r\n" unless answer.include?("\r\n\r\n")
    socket.write(answer.sub(/\A(?!HTTP)/, "HTTP/1.1 "))
  end

  # All that came until now, decoded.
  def profiles
    @kept << requests.pop until requests.empty?
    @kept.flat_map { |head, body| decode(head, body) }
  end

  def decode(head, body)
    uri = URI(head["line"].split[1])
    return Decode.otlp(body) if uri.path.end_with?("/profiles")
    query = URI.decode_www_form(uri.query).to_h
    name, pid = query.fetch("name").match(/\A([^{]+)\{pid=(\d+),host=[\w.-]+,command=[^,{}]*\}\z/).captures
    raise "no span" unless query.fetch("from").to_i <= query.fetch("until").to_i
    parts = form(head.fetch("content-type"), body)
    raise "no kinds: #{parts.keys}" unless JSON.parse(parts.fetch("sample_type_config")).fetch("wall").fetch("units") == "nanoseconds"
    [Decode.pprof(parts.fetch("profile"), pid.to_i, name)]
  end

  def form(type, body)
    boundary = type[/boundary=(\S+)/, 1]
    body.b.split("--#{boundary}".b)[1..-2].to_h do |part|
      head, text = part.split("\r\n\r\n".b, 2)
      [head[/ name="(\w+)"/, 1], text.delete_suffix("\r\n".b)]
    end
  end

  def close
    @server.close rescue nil
    @threads.each(&:kill)
    @threads.each(&:join)
  end
end

class Pusher
  attr_reader :pid

  def initialize(url, *options, env: {})
    @errors = Tempfile.new("rperf-top-push")
    @pid = spawn(env, E2E::VIEWER, "--push", url, *options, in: File::NULL, out: File::NULL, err: @errors.path)
  end

  def said = File.read(@errors.path)
  def wait = Process.wait2(@pid).last

  def stop(signal = :TERM)
    Process.kill(signal, @pid)
    wait
  end
end
