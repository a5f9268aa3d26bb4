# quantity_tables.awk: tables of a C++ source (constants with a list of values) that name two figures of a result or parts of a
# step, as "file table". A table is told by what stands in it, whatever its type is called.
BEGIN { words = "^(gemms|step|optimizer|other|speedup|gain|step_gain|dense|sparse|time)$" }
FNR == 1 { is_open = 0 }
!is_open && /^(inline |static )?constexpr .*k[A-Z][A-Za-z]*(\{|\[|$)/ {
  is_open = 1
  text = ""
  name = $0
  sub(/[{[].*/, "", name)
  sub(/.* /, "", name)
}
is_open {
  text = text $0
  if (!/;[ \t]*(\/\/.*)?$/) next
  is_open = 0
  found = 0
  while (match(text, /"[^"]*"/)) {
    if (substr(text, RSTART + 1, RLENGTH - 2) ~ words) ++found
    text = substr(text, RSTART + RLENGTH)
  }
  if (found >= 2) print FILENAME, name
}
