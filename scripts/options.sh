#!/usr/bin/env bash
# options.sh COMMAND [BUT]: the options of a command as a table of Markdown, from what `stcsim COMMAND --help` says;
# without those that BUT, another command, has too. Both may be several words: options.sh "evidence rows".
set -euo pipefail

# rows COMMAND: a row for each option.
rows() {
  local words
  read -ra words <<<"$1"
  stcsim "${words[@]}" --help | awk '
    function row() { if (option != "") printf "| `%s` | %s |\n", option, meaning; option = "" }
    function words(text) { gsub(/ +/, " ", text); gsub(/^ | $/, "", text); gsub(/\|/, "\\|", text); return text }
    /^Options/ { inside = 1; next }
    !inside { next }
    /^ *$/ { exit }
    # A name, and what it takes: capitals, or words with | between.
    match($0, /^  -(o \[ --output \]|[-a-z]+)( ([A-Z][^ a-z]*(\.[a-z]+)?|[^ ]*\|[^ ]*)( |$))?/) {
      row()
      option = words(substr($0, 1, RLENGTH))
      sub(/o \[ --output \]/, "o, --output", option)
      meaning = words(substr($0, RLENGTH + 1))
      next
    }
    { meaning = words(meaning " " $0) }
    END { row() }'
}

echo "| option of \`$1\` | meaning |"
echo '|---|---|'
if [ $# -gt 1 ]; then
  rows "$1" | grep -vxFf <(rows "$2")
else
  rows "$1"
fi
