# links.awk FILE...: names links of Markdown to files that do not exist, or to headings that the file does not have.
# Free are addresses (https:), code and comments. Fails if it names any.

# The name that a heading is linked by.
function name_of(heading) {
  gsub(/<a id="[^"]*"><\/a>/, "", heading)
  heading = tolower(heading)
  gsub(/[!-,.\/:-@\[-^`{-~]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

# Notes the names that a document's headings and <a id=""> give.
function read_names(file, line, code, heading, again) {
  if (file in has_names) return
  has_names[file] = 1
  while ((getline line < file) > 0) {
    if (line ~ /^[ \t]*```/) code = !code
    if (code) continue
    if (line ~ /^#+ /) {
      sub(/^#+ /, "", line)
      heading = name_of(line)
      for (again = 1; (file, heading) in names; ++again) heading = name_of(line) "-" again
      names[file, heading] = 1
    }
    while (match(line, /<a id="[^"]*"/)) {
      names[file, substr(line, RSTART + 7, RLENGTH - 8)] = 1
      line = substr(line, RSTART + RLENGTH)
    }
  }
  close(file)
}

function is_there(path) {
  if (!(path in there)) there[path] = system("test -e '" path "'") == 0
  return there[path]
}

function look(link, at, path) {
  if (link ~ /^[a-z]+:/) return
  at = index(link, "#")
  path = at ? substr(link, 1, at - 1) : link
  path = path == "" ? FILENAME : folder path
  if (!is_there(path)) print FILENAME ":" FNR ": no such file: " link
  else {
    if (!at || path !~ /\.md$/) return
    read_names(path)
    if ((path, substr(link, at + 1)) in names) return
    print FILENAME ":" FNR ": no such heading: " link
  }
  found = 1
}

FNR == 1 { code = comment = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
/^[ \t]*```/ { code = !code }
code { next }
/^<!--/ { comment = 1 }
comment { if (/-->/) comment = 0; next }
{
  text = $0
  gsub(/`[^`]*`/, "", text)
  while (match(text, /\]\([^()' \t]+\)/)) {
    look(substr(text, RSTART + 2, RLENGTH - 3))
    text = substr(text, RSTART + RLENGTH)
  }
}
END { exit found }
