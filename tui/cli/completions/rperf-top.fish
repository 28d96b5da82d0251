# fish completion for rperf-top: the options are those of --help all.
function __rperf_top_options
  rperf-top --help all 2> /dev/null | string match -ra -- '--[a-z][a-z-]+' | sort -u
end
function __rperf_top_columns
  rperf-top --list-columns 2> /dev/null | string match -r -- '^\\S+'
end
complete -c rperf-top -n 'not contains -- -- (commandline -opc)' -f -a '(__rperf_top_options)'
complete -c rperf-top -s p -l pid -x -a "(rperf-top --list 2> /dev/null | string match -rg '^ *([0-9]+)')"
complete -c rperf-top -s s -l sort -x -a '(__rperf_top_columns)'
complete -c rperf-top -l columns -x -a '(__rperf_top_columns)'
complete -c rperf-top -s m -l mode -x -a 'busy cpu wall'
complete -c rperf-top -s C -l color -x -a 'auto never always'
complete -c rperf-top -l theme -x -a 'default light blue mono'
complete -c rperf-top -l view -x -a 'methods tree threads icicle source skyline time groups labels'
complete -c rperf-top -s o -l output -r -F
complete -c rperf-top -s r -l replay -r -F
complete -c rperf-top -l config -r -F
complete -c rperf-top -l metrics -r -F
complete -c rperf-top -l push-headers -r -F
complete -c rperf-top -l format -x -a 'text collapsed csv pprof speedscope icicle html trace rperf'
complete -c rperf-top -l push-as -x -a 'pyroscope otlp'
