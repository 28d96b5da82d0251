# bash completion for rperf-top: what it completes it asks the program itself.
_rperf_top()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i values
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      _command_offset $((i + 1)) 2> /dev/null
      return
    fi
  done
  values=$(rperf-top --list-options 2> /dev/null |
    awk -v option="$before" '{ n = split($1, names, ","); $1 = ""; for (i = 1; i <= n; i++) if (names[i] == option) print substr($0, 2) }')
  case $values in
    '<process>') values=$(rperf-top --list 2> /dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }') ;;
    '<column>') values=$(rperf-top --list-columns 2> /dev/null | awk '{ print $1 }') ;;
    '<file>')
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return ;;
    '') values=$(rperf-top --list-options 2> /dev/null | awk '{ sub(/^-.,/, ""); print $1 }') ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
}
complete -F _rperf_top rperf-top
