# Waiting for what another process does, at most 40 s.
def wait_for(what)
  2000.times do
    value = yield
    return value if value
    IO.select(nil, nil, nil, 0.02)
  end
  raise "waited in vain for #{what}"
end
