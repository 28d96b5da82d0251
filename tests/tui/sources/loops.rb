def busy(list)
  while list.any?
    list.shift
    until list.first.nil?
      x = list.first; x += 1

      if x > 3
        x -= 1
      end
    end
  end
  i = 0
  while i < 10 do i += 1 end
  while_away(i)
  i += 1 while i < 30
  while i < 40
    i += 1
end

def down(n)
  begin
    n -= 1
    begin
      n -= 2
    end until n < 9
  end while n > 0
end
if down(1)
  down(2)
end while down(3)
