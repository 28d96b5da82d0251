# Waiting for what another process does, at most 40 s.
def wait_for(what)
  2000.times do
    value = yield
    return value if value
    IO.select(nil, nil, nil, 0.02)
  end
  raise "waited in vain for #{what}"
end

# What a channel's last window says of all calls: :on, :done, :full, ...; nil: nothing.
WHOLE_STATES = { 1 => :on, 2 => :telling, 3 => :done, 4 => :full, 5 => :yjit, 6 => :refused }.freeze
def whole_state(dump, channel)
  rows = JSON.parse(IO.popen([dump, channel], &:read))["windows"].last&.fetch("exact") || []
  WHOLE_STATES[rows.find { |_, what,| what == 32 }&.last]
end
