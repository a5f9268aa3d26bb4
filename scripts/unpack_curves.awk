# unpack_curves.awk: awk -v to=DIR -f unpack_curves.awk configs/curves/study.csv: writes DIR/TASK/SCHEME/seedN.csv, the
# curves of `make trainings` as `stcsim train` left them, and the tasks on standard output.
BEGIN { FS = OFS = "," }
/^#/ { next }
!header { for (i = 4; i <= NF; i++) header = header (i > 4 ? OFS : "") $i; next }
{
  folder = to "/" $1 "/" $2
  file = folder "/seed" $3 ".csv"
  if (file != last) {
    if (last) close(last)
    if (!($1 in tasks)) { tasks[$1]; print $1 }
    if (!(folder in made)) { made[folder]; system("mkdir -p '" folder "'") }
    print header >file
    last = file
  }
  line = $4
  for (i = 5; i <= NF; i++) line = line OFS $i
  print line >file
}
