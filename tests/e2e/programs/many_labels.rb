# More sets of labels than there is room for: one for each request, and more requests than any table has rows.
def serve = sleep(0.001)
loop do
  5000.times { |i| RperfTop.label(request: "#{i} #{rand(1 << 60)}") { nil } }
  RperfTop.label(kind: "usual") { serve }
end
