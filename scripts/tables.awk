# tables.awk FILE...: names rows of Markdown tables that do not have as many cells as the heading, and rows that belong
# to no table (a table is a heading, a line of dashes, rows). `\|` is no border of a cell, and what stands in a block of
# code or a comment is no table. Fails if it names any.

# cells LINE: how many cells it has, with or without a border at its ends.
function cells(line, parts) {
  gsub(/\\[|]/, "", line)
  sub(/^[ \t]*[|]?/, "", line)
  sub(/[|]?[ \t]*$/, "", line)
  return split(line, parts, "|")
}

function say(line, what, text) {
  printf "%s:%d: %s: %.60s\n", FILENAME, line, what, text
  found = 1
}

FNR == 1 { fence = comment = row = 0 }
fence { if ($0 ~ /^[ \t]*```/) fence = 0; next }
comment { if (/-->/) comment = 0; next }
/^[ \t]*```/ { fence = 1; row = 0; next }
/^[ \t]*<!--/ { if (!/-->/) comment = 1; row = 0; next }
/^[ \t]*[|]/ {
  if (++row == 1) { heading = cells($0); first = $0 }
  else if (row == 2 && $0 !~ /^[ \t|:-]+$/) say(FNR - 1, "a row of no table", first)
  else if (cells($0) != heading) say(FNR, "a row of " cells($0) " cells in a table of " heading, $0)
  next
}
{ if (row == 1) say(FNR - 1, "a row of no table", first); row = 0 }
END { exit found }
