# Shared by tools/racksim and tools/test: packages, configuration and compiling. Sourced, with $root set to the source
# tree. Everything it says goes to standard error.

say() { printf 'racksim: %s\n' "$*" >&2; }

# install_packages SET...: installs what is missing of those sets of tools/packages.txt. A stamp remembers success.
install_packages() {
  local stamp="$root/build/.packages-$*"
  [[ "$stamp" -nt "$root/tools/packages.txt" ]] && return
  if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian system; expecting the packages of tools/packages.txt by other means"
    return
  fi
  local set wanted=() missing=() present
  for set in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(awk -v set="$set" '$1 == set { print $2 }' "$root/tools/packages.txt")
  done
  present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null)
  local package
  for package in "${wanted[@]}"; do
    grep -qxF "installed $package" <<<"$present" || missing+=("$package")
  done
  if ((${#missing[@]})); then
    local as_root=() by="as root"
    ((EUID == 0)) || as_root=(sudo) by="with sudo, which may ask for your password"
    say "installing ${#missing[@]} Debian packages $by: ${missing[*]}"
    if ! { "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; } >&2; then
      say "cannot install ${missing[*]}; install them and try again"
      exit 3
    fi
  fi
  mkdir -p "$root/build"
  touch "$stamp"
}

# build PRESET [TARGET...]: configures (afresh if the tree was moved) and compiles. Says what a first build takes, if nobody
# has yet, and shows how far it has come.
build() {
  local preset=$1 folder="$root/build/$1" fresh=() configured expected=0
  shift
  if [[ -f "$folder/CMakeCache.txt" ]]; then
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" || fresh=(--fresh)
  fi
  announce "$preset" "$@"
  [[ -f "$folder/build.ninja" ]] || expected=$(first_build_seconds "$preset" "$@")
  (
    cd "$root" || exit
    configured=$(cmake "${fresh[@]}" --preset "$preset" 2>&1) || { printf '%s\n' "$configured"; exit 1; }
    set -o pipefail
    # "@ finished all seconds": ninja 1.11 has no estimate of its own.
    NINJA_STATUS='@ %f %t %e ' cmake --build "$folder" -j "$(nproc)" ${1:+--target "$@"} 2>&1 | show_progress "$expected"
  ) >&2
}

# The cores' time that a first build takes without a compiler cache, and its room on the disk. Measured for `release` alone.
release_program_minutes=16 release_program_megabytes=60
release_tests_minutes=16 release_tests_megabytes=700

# first_build_seconds PRESET [TARGET...]: on this machine; 0 if nobody has measured it.
first_build_seconds() {
  local minutes=0
  [[ $1 == release ]] && minutes=$release_program_minutes
  [[ $1 == release && -z ${2-} ]] && ((minutes += release_tests_minutes))
  printf '%s\n' $((minutes * 60 / $(nproc)))
}

# announce PRESET [TARGET...]: says, once, what a build will take if it is the first.
announced=
announce() {
  [[ -f "$root/build/$1/build.ninja" || " $announced " == *" $1 "* ]] && return
  announced+=" $1"
  local seconds megabytes=$release_program_megabytes
  seconds=$(first_build_seconds "$@")
  [[ -z ${2-} ]] && ((megabytes += release_tests_megabytes))
  say "first build of the $1 flavour, in build/$1; later ones compile what has changed"
  if ((seconds)); then
    say "it takes $(about "$seconds") on $(nproc) cores, or less where ccache has been here before, and $megabytes MB of disk"
  else
    say "it compiles every source, on $(nproc) cores"
  fi
}

# about SECONDS: as a person would say it.
about() {
  if (($1 >= 90)); then
    printf 'about %d minutes' $((($1 + 30) / 60))
  else
    printf 'about %d seconds' $((($1 + 9) / 10 * 10))
  fi
}

# show_progress SECONDS: turns ninja's lines into one that tells how far it is and how long that will take: on a terminal it is
# written over, elsewhere it comes once a minute. SECONDS is what is expected before a tenth is done; 0 if nothing is.
# Everything else that ninja prints, such as errors, passes through.
show_progress() {
  local expected=$1 line mark finished all seconds rest left shown=0 terminal=false
  [[ -t 2 ]] && terminal=true
  while IFS= read -r line; do
    if [[ $line != '@ '* ]]; then
      [[ $line == 'ninja: no work to do.' ]] && continue
      $terminal && printf '\r\033[K'
      printf '%s\n' "$line"
      continue
    fi
    read -r mark finished all seconds rest <<<"$line"
    seconds=${seconds%.*}
    $terminal || ((seconds >= shown + 60)) || continue
    shown=$seconds
    left=
    if ((finished * 10 >= all && seconds > 0)); then
      left=", $(about $((seconds * (all - finished) / finished))) left"
    elif ((expected > seconds)); then
      left=", $(about $((expected - seconds))) left"
    fi
    if $terminal; then
      printf '\r\033[Kbuilding: step %d of %d, %d s%s' "$finished" "$all" "$seconds" "$left"
    else
      say "building: step $finished of $all, $seconds s$left"
    fi
  done
  $terminal && printf '\r\033[K'
  return 0
}
