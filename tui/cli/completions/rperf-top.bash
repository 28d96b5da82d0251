# bash completion for rperf-top: what it completes it asks the program itself.
_rperf_top()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      _command_offset $((i + 1)) 2> /dev/null
      return
    fi
  done
  case $before in
    -p | --pid) mapfile -t COMPREPLY < <(compgen -W "$(rperf-top --list 2> /dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }')" -- "$word") ;;
    -s | --sort | --columns)
      mapfile -t COMPREPLY < <(compgen -W "$(rperf-top --list-columns 2> /dev/null | awk '{ print $1 }')" -- "$word") ;;
    -m | --mode) mapfile -t COMPREPLY < <(compgen -W "busy cpu wall" -- "$word") ;;
    --push-as) mapfile -t COMPREPLY < <(compgen -W "pyroscope otlp" -- "$word") ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "text collapsed csv pprof speedscope icicle html trace rperf" -- "$word") ;;
    -C | --color) mapfile -t COMPREPLY < <(compgen -W "auto never always" -- "$word") ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W "default light blue mono" -- "$word") ;;
    --view) mapfile -t COMPREPLY < <(compgen -W "methods tree threads icicle source skyline time groups labels" -- "$word") ;;
    -o | --output | -r | --replay | --config | --metrics | --push-headers) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$(rperf-top --help all 2> /dev/null | grep -oE -e '--[a-z][a-z-]+' | sort -u)" -- "$word") ;;
  esac
}
complete -F _rperf_top rperf-top
