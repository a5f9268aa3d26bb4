#!/usr/bin/env bash
# advise.sh: what `stcsim advise` says of GPT-2 on an A100, typed once in results/advise.svg. Where nothing moves, all is there.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
words=(advise gpt2_124m --arch a100)
title="$(build/stcsim --version), $(sed -n 's/^license: //p' CITATION.cff)"
answer=$(build/stcsim "${words[@]}" 2>/dev/null | sed '/^Of .* schemes/,$d' | sed '$d')

awk -v command="stcsim ${words[*]}" -v title="$title" '
  function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
  { lines[NR] = escaped($0); if (length($0) > widest) widest = length($0) }
  END {
    high = 20; wide = widest * 8.43 + 32; typed = 1.2  # seconds; with the lines less than the five that may move unasked
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", wide, (NR + 3.4) * high, wide, (NR + 3.4) * high
    printf "<title>%s</title>\n<style>\n", escaped(command)
    print "text { font: 14px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #e6e9ec; white-space: pre }"
    print ".quiet { fill: #a3adb8 } .gain { fill: #8fd19e; font-weight: 700 } .code { fill: #a5cff5 }"
    print "@media (prefers-reduced-motion: no-preference) {"
    printf "  .typed { animation: type %gs steps(%d) both } .line { animation: show .01s both }\n}\n", typed, length(command)
    print "@keyframes type { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0 -1% 0 0) } }\n@keyframes show { from { opacity: 0 } to { opacity: 1 } }\n</style>"
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#14171b\"/>\n<text class=\"quiet\" x=\"16\" y=\"24\">%s</text>\n", escaped(title)
    printf "<text x=\"16\" y=\"%d\">$</text><text class=\"typed\" x=\"33\" y=\"%d\">%s</text>\n", 2.5 * high, 2.5 * high, escaped(command)
    for (i = 1; i <= NR; ++i) {
      if (lines[i] == "") continue
      kind = lines[i] ~ /^[0-9]\. / ? " gain" : lines[i] ~ /^   code:|^   +model/ ? " code" : lines[i] ~ /^   costs:/ ? " quiet" : ""
      printf "<text class=\"line%s\" style=\"animation-delay: %.2fs\" x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", kind, typed + 0.3 + 3.2 * i / NR, (i + 2.6) * high, lines[i]
    }
    print "</svg>"
  }' <<<"$answer" >results/advise.svg.new
mv results/advise.svg.new results/advise.svg
