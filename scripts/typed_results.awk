# typed_results.awk FILE...: names results that are typed by hand: a figure followed by the unit of a result (a factor as
# 1.27x or 2×, a share in %, a time, cycles) outside the blocks that commands print (docs.sh). Fails if it names any.
#
# Free is what stands in `code` (settings, limits, tolerances, examples) or in a block of code that is not of text, what
# a comment holds, and a sentence, line of a list or row of a table that says whose figure it is: "published", "data
# sheet", "et al.", "profile of", or a link to where it stands. A figure of ours has no such source, and belongs into a
# block or a report.

# Adds a line to the text that is looked at as one; forgets it with `finish`.
function add(line) {
  text = text line "\n"
  if (start == 0) start = FNR
}

# Blanks what matches, line breaks kept, so that places stay.
function blank(pattern, part, lines) {
  while (match(text, pattern)) {
    part = substr(text, RSTART, RLENGTH)
    lines = gsub(/\n/, "", part)
    text = substr(text, 1, RSTART - 1) " " substr("\n\n\n\n\n\n\n\n\n", 1, lines) substr(text, RSTART + RLENGTH)
  }
}

function cited(sentence) {
  return sentence ~ /[Pp]ublish|data sheet|et al\.|profile of|https?:/
}

# Looks at a sentence that begins in a line of the file.
function look(sentence, line, before, figure) {
  if (cited(sentence)) return
  gsub(/[0-9]+:[0-9]+/, "n:m", sentence)          # patterns
  gsub(/[0-9] ?× ?[0-9]/, "size", sentence)  # products of numbers
  if (!match(sentence, result)) return
  before = substr(sentence, 1, RSTART)
  line += gsub(/\n/, "", before)
  figure = substr(sentence, RSTART, RLENGTH)
  match(figure, number ".[a-zµ×%]+|" number "[x×%]+")
  figure = substr(figure, 1, RLENGTH)
  gsub(/\n/, " ", figure)
  printf "%s:%d: a result typed by hand: %s\n", name, line, figure
  found = 1
}

function finish(line, sentence) {
  blank("`[^`]*`")
  line = start
  while (match(text, /[.!?;]\**[ \n]+/) ) {
    # "et al. (2021)" and "e.g. 3" go on.
    sentence = substr(text, 1, RSTART + RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH)
    pending = pending sentence
    if (sentence ~ /(al|e\.g|i\.e|cf|Fig|Sec|vs)\.[ \n]+$/) continue
    look(pending, line)
    line += gsub(/\n/, "", pending)
    pending = ""
  }
  look(pending text, line)
  text = pending = ""
  start = 0
}

BEGIN {
  number = "[0-9][0-9.,]*"
  result = number "(x|×| ×)([^0-9A-Za-z]|$)|" number "[ \n]?%|" \
    number "[ \n](us|µs|ms|s|seconds?|minutes?|hours?|cycles|times)([^A-Za-z]|$)"
}

FNR == 1 { if (NR > 1) finish(); name = FILENAME; fence = block = comment = 0 }
comment { if (/-->/) { comment = 0; block = 1 } next }
block { if ($0 == "<!-- end -->") block = 0; next }
/^<!--/ { finish(); if (/-->/) block = 1; else comment = 1; next }
fence && /^[ \t]*```/ { finish(); fence = ""; next }
fence == "text" { add($0); next }
fence { next }
/^[ \t]*```/ { finish(); fence = $0; sub(/^[ \t]*```/, "", fence); if (fence == "") fence = "code"; next }
/^(    |\t)/ && start == 0 { next }
/^[ \t]*$/ { finish(); next }
/^[ \t]*([|]|[-*+] |[0-9]+\. |#)/ { finish() }
{ add($0) }
END { finish(); exit found }
