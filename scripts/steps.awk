# steps.awk: rows of README's table of errors from "Dense training steps" of results/validation.md: whole steps of each card
# (fine-tuning among them) and parts of a network, with the years of the software that was measured.
BEGIN { FS = "|" }
/^#/ { inside = /^### Dense training steps/ }
inside && $3 ~ /^ (all|fine-tuning|part of a network) $/ {
  kind = $3 ~ /part/ ? "feed-forward parts of a training step" : "whole dense training steps"
  what = kind ", " substr($2, 2, length($2) - 2)
  if (!(what in rows)) { order[++names] = what; years[what] = $4 }
  rows[what] += $5; error[what] += $5 * $6; bias[what] += $5 * $7
}
END {
  for (at = 1; at <= names; ++at) {
    what = order[at]
    printf "| time of %s, software of%s| %d | %.1f %% | %+.1f %% |\n", what, years[what], rows[what], error[what] / rows[what], bias[what] / rows[what]
  }
}
