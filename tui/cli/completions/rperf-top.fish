# fish completion for rperf-top: options and their values are those of --list-options.
function __rperf_top_columns
  rperf-top --list-columns 2> /dev/null | string match -r -- '^\\S+'
end
function __rperf_top_processes
  rperf-top --list 2> /dev/null | string match -rg '^ *([0-9]+)'
end
for line in (rperf-top --list-options 2> /dev/null)
  set -l row (string split -m 1 ' ' -- $line)
  set -l names
  for name in (string split , -- $row[1])
    string match -q -- '--*' $name; and set -a names -l (string sub -s 3 -- $name); or set -a names -s (string sub -s 2 -- $name)
  end
  set -l outside -n 'not contains -- -- (commandline -opc)'
  switch "$row[2]"
    case ''
      complete -c rperf-top $outside $names
    case '<process>'
      complete -c rperf-top $outside $names -x -a '(__rperf_top_processes)'
    case '<column>'
      complete -c rperf-top $outside $names -x -a '(__rperf_top_columns)'
    case '<file>'
      complete -c rperf-top $outside $names -r -F
    case '*'
      complete -c rperf-top $outside $names -x -a "$row[2]"
  end
end
