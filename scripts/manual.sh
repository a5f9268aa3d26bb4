#!/usr/bin/env bash
# manual.sh PROGRAM CONFIGS DIRECTORY: writes what is installed beside the program, made from what `PROGRAM COMMAND --help`
# says of its options: man pages into DIRECTORY/man1 (stcsim.1, stcsim-gemm.1, ...) and bash's completion, DIRECTORY/stcsim.bash;
# JSON Schemas of files, DIRECTORY/schema, and a copy of CONFIGS whose files name theirs to editors.
set -euo pipefail
program=$1 configs=$2 out=$3
rm -rf "$out" && mkdir -p "$out/man1" "$out/schema"

cp -R "$configs" "$out/configs"
for kind in arch/machine libraries/library networks/network schemes/scheme frameworks/framework experiments/experiment spaces/space costs/cost systems/system; do
  STCSIM_CONFIG_DIR=$configs "$program" list schema "${kind#*/}" >"$out/schema/${kind#*/}.json"
  sed -i "1i # yaml-language-server: \$schema=../../schema/${kind#*/}.json" "$out/configs/${kind%/*}"/*.yaml
done

version=$("$program" --version)
# "gemm", "gemm --energy", "list machine", ...
commands=$("$program" --help | sed -n 's/^  \([a-z][-a-z ]*[a-z]\)  *[A-Z].*/\1/p')

# help COMMAND: what it says.
help() {
  local words
  read -ra words <<<"$1"
  "$program" "${words[@]}" --help
}

# options COMMAND: "name<TAB>value<TAB>meaning" of each option.
options() {
  help "$1" | awk '
    function row() { if (name != "") printf "%s\t%s\t%s\n", name, value, meaning; name = "" }
    /^Options/ { inside = 1; next }
    inside && /^ *$/ { exit }
    inside && match($0, /^  -(o \[ --output \]|[-a-z]+)/) {
      row()
      name = substr($0, 3, RLENGTH - 2); sub(/.*-o \[ /, "", name); sub(/ \]/, "", name)
      rest = substr($0, RLENGTH + 1); value = ""
      # what it takes: capitals, or words with | between
      if (match(rest, /^ ([A-Z][^ a-z]*(\.[a-z]+)?|[^ ]*\|[^ ]*)( |$)/)) {
        value = substr(rest, 2, RLENGTH - 1); sub(/ $/, "", value); rest = substr(rest, RLENGTH + 1)
      }
      meaning = rest; gsub(/^ +/, "", meaning)
      next
    }
    inside { sub(/^ +/, ""); meaning = meaning (meaning == "" ? "" : " ") $0 }
    END { row() }'
}

# As troff takes a text: no dash, dot or quote of it is an instruction.
escaped() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

head_of() {
  printf '.TH "%s" 1 "" "%s" "User Commands"\n.SH NAME\n%s \\- %s\n' "${1^^}" "$version" "$1" "$(escaped <<<"$2")"
}

page_of_command() {
  local name=stcsim-${1// --/-} text
  name=${name// /-}
  text=$(help "$1")
  {
    head_of "$name" "$(sed -n '3{s/\.$//;p}' <<<"$text")"
    printf '.SH SYNOPSIS\n%s\n.SH OPTIONS\n' "$(sed -n '1s/^Usage: //p' <<<"$text" | escaped)"
    options "$1" | while IFS=$'\t' read -r option value meaning; do
      printf '.TP\n\\fB%s\\fR %s\n%s\n' "$(escaped <<<"$option")" "$(escaped <<<"$value")" "$(escaped <<<"$meaning")"
    done
    printf '.SH DESCRIPTION\n.nf\n%s\n.fi\n.SH SEE ALSO\nstcsim(1)\n' \
      "$(awk '/^Options/ { seen = 1 } seen && body { print } seen && /^$/ { body = 1 }' <<<"$text" | escaped)"
  } >"$out/man1/$name.1"
}

{
  head_of stcsim 'cycle-level simulator of training on sparse tensor cores'
  printf '.SH SYNOPSIS\nstcsim COMMAND [OPTIONS]\n.SH DESCRIPTION\n.nf\n%s\n.fi\n' \
    "$("$program" --help | tail -n +2 | escaped)"
  printf ".SH SEE ALSO\nA page of each command: stcsim\\-gemm(1), stcsim\\-run(1), ...\n"
} >"$out/man1/stcsim.1"
while IFS= read -r command; do page_of_command "$command"; done <<<"$commands"

# completion: commands, their options, the words an option takes, names of what is shipped
{
  echo '# Completion of stcsim for bash, made from its tables of options.'
  echo '_stcsim() {'
  echo '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}'
  echo '  [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}'
  echo '  [ "$word" = = ] && word= && before=${COMP_WORDS[COMP_CWORD-1]} && [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}'
  echo '  names() { COMPREPLY=($(compgen -W "$*" -- "$word")); }'
  echo '  shipped() { names "$(stcsim list "$1" --format csv 2>/dev/null | sed "1d;s/,.*//")"; [ "${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$word")); }'
  firsts=$(sed 's/ .*//' <<<"$commands" | awk '!seen[$0]++' | tr '\n' ' ')
  echo "  if [ \"\$COMP_CWORD\" -eq 1 ]; then names \"${firsts}help --help --version\"; return; fi"
  echo '  case "$command $before" in'
  echo '    *" --arch") shipped arch; return ;;'
  echo '    *" --network") shipped workloads; return ;;'
  echo '    *" --schemes"|*" --scheme") shipped schemes; return ;;'
  echo '    *" --framework") shipped frameworks; return ;;'
  while IFS= read -r command; do
    options "$command" | while IFS=$'\t' read -r option value _; do
      case "$value" in *'|'*) echo "    \"${command%% *} $option\") names \"${value//|/ }\"; return ;;" ;; esac
    done
  done <<<"$commands" | awk '!seen[$0]++'
  echo '    "run run"|"record record"|"tta tta") [[ "$word" = -* ]] || { shipped experiments; return; } ;;'
  echo '  esac'
  echo '  case "$command" in'
  for first in $firsts; do
    all=$(while IFS= read -r command; do
            [ "${command%% *}" = "$first" ] || continue
            options "$command" | cut -f1
            [ "$command" = "$first" ] || echo "${command#* }"
          done <<<"$commands" | awk '!seen[$0]++' | tr '\n' ' ')
    [ "$first" != sweep ] || all+='plan run status pareto export merge '
    [ "$first" != list ] || all+="$("$program" list --format csv | sed '1d;s/,.*//' | tr '\n' ' ')"
    echo "    $first) [[ \"\$word\" = -* || \"\$COMP_CWORD\" -eq 2 ]] && names \"${all}\" || COMPREPLY=(\$(compgen -f -- \"\$word\")) ;;"
  done
  echo '  esac'
  echo '}'
  echo 'complete -o bashdefault -o default -F _stcsim stcsim'
} >"$out/stcsim.bash"
