# siblings.awk FILE...: of machine files, names what one loses of another's behaviour. A library whose comment says
# "as OTHER.yaml" has kernels with the same keys and values as the library of that name there, for every data type that
# both have kernels of (tiles, stages and warps are its own); a stack named *_search searches both sides; a file that
# extends another and has a cache of its own size says what that keeps. Free is what a comment of the library, or of the
# key, calls "assumed", with the data type or the key. Fails if it names any.

BEGIN { split("fp16 bf16 tf32 int8 int4 fp8_e4m3 fp8_e5m2", types, " ") }

function complain(of, what) { print of ": " what; failed = 1 }

function check_cache(file) {
  if (extends[file] && has_capacity[file] && !has_kept[file])
    complain(file, "l2_cache has its own capacity_bytes, and not its own kept_bytes")
}

FNR == 1 {
  file = FILENAME
  sub(/.*\//, "", file)
  files[file] = 1
  library = part = entry = ""
}
/^[a-z_]+:/ { part = $1; library = "" }
/^extends:/ { extends[file] = 1 }
/^  l2_cache:/ { in_cache = 1 }
/^  [a-z]/ && !/^  l2_cache:/ { in_cache = 0 }
in_cache && /^    capacity_bytes:/ { has_capacity[file] = 1 }
in_cache && /kept_bytes/ { has_kept[file] = 1 }
part == "stacks:" && /_search,/ && !(/dense_choice: search/ && /sparse_choice: search/) {
  complain(file, "a stack named *_search does not search both sides")
}
part == "libraries:" {
  if (/^  - name:/) library = $3
  if (match($0, /#.*/)) {
    comments[file, library] = comments[file, library] " " substr($0, RSTART + 1)
    $0 = substr($0, 1, RSTART - 1)
  }
  if (/^ *- \{/) entry = ""
  entry = entry " " $0
  if (/^ +.*\} *$/) note_kernel(entry)
}

# Notes each key with its value for every data type of the kernel.
function note_kernel(text, side, of, at, rest, pair, n) {
  side = text ~ /sparse: true/ ? "sparse" : "dense"
  of = match(text, /dtypes: \[[^]]*\]/) ? substr(text, RSTART, RLENGTH) : ""
  gsub(/\{name: ("[^"]*"|[^,]*),|(tiles|tile|dtypes|warps): (\[[^]]*\]|\{[^}]*\}),?|sparse: true,?|stages: [0-9]+,?/, "", text)
  n = split(text, pair, /,/)
  for (at in types) {
    if (of != "" && of !~ ("[[ ]" types[at] "[],]")) continue
    has[file, library, side, types[at]] = 1
    for (rest = 1; rest <= n; ++rest) {
      gsub(/[-{} ]/, "", pair[rest])
      if (pair[rest] ~ /^[a-z_0-9]+:/) said[file, library, side, types[at], pair[rest]] = 1
    }
  }
}

# What `other` says of a library and `copy` does not.
function check_lost(copy, other, library, whose, key, part, name, type, text) {
  text = comments[whose, library]
  for (key in said) {
    split(key, part, SUBSEP)
    if (part[1] != other || part[2] != library || !((copy, library, part[3], part[4]) in has)) continue
    if ((copy, library, part[3], part[4], part[5]) in said) continue
    name = part[5]
    sub(/:.*/, "", name)
    type = part[4]
    sub(/_.*/, "", type)
    if (text ~ /assumed/ && (index(text, type) || index(text, name))) continue
    complain(copy, library " (" part[3] ", " part[4] ") lacks what " other " has: " part[5])
  }
}

END {
  for (file in files) check_cache(file)
  for (of in comments) {
    if (!match(comments[of], /as [a-z0-9_]+\.yaml/)) continue
    split(of, place, SUBSEP)
    other = substr(comments[of], RSTART + 3, RLENGTH - 3)
    if (place[2] == "" || other == place[1]) continue
    check_lost(place[1], other, place[2], place[1])
    check_lost(other, place[1], place[2], place[1])
  }
  exit failed
}
