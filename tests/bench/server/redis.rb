# A redis of its own, for programs that need one, on a socket in their folder.
module RedisServer
  PROGRAM = %w[redis-server redis-check-rdb].map { |name| "/usr/bin/#{name}" }.find { |path| File.executable?(path) }

  # Returns its pid, which leads a process group. `folder`/redis is its socket, once it is there.
  def self.spawn(folder)
    # One program, which does as it is called.
    File.symlink(PROGRAM, "#{folder}/redis-server")
    Process.spawn("#{folder}/redis-server", "--port", "0", "--unixsocket", "#{folder}/redis", "--save", "", "--dir", folder,
                  pgroup: true, out: "#{folder}/redis.out", err: %i[child out])
  end
end
