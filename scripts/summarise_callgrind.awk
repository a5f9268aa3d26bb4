#!/usr/bin/awk -f
# The dozen most expensive functions of callgrind_annotate's output as rows of a Markdown table.
/^ *[0-9,]+ \( *[0-9.]+%\)  / && !/PROGRAM TOTALS/ && rows < 12 {
  share = $0
  sub(/^[^(]*\( */, "", share)
  sub(/%\).*/, "", share)
  name = $0
  sub(/^[^)]*\)  /, "", name)
  sub(/^[^ :]*:/, "", name)               # source file
  sub(/ \[[^\]]*\]$/, "", name)           # object
  gsub(/stcsim::|sc_core::/, "", name)
  gsub(/<[^<>]*>/, "", name)
  gsub(/<[^<>]*>/, "", name)
  gsub(/<[^<>]*>/, "", name)
  sub(/\(.*/, "", name)                   # parameters
  sub(/^(void|bool|unsigned long|long) /, "", name)
  printf "| %s %% | `%s` |\n", share, name
  ++rows
}
