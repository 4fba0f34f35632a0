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
    say "installing ${missing[*]}"
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    if ! { "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; } >&2; then
      say "cannot install ${missing[*]}; install them and try again"
      exit 3
    fi
  fi
  mkdir -p "$root/build"
  touch "$stamp"
}

# build PRESET [TARGET...]: configures (afresh if the tree was moved) and compiles.
build() {
  local preset=$1 folder="$root/build/$1" fresh=()
  shift
  if [[ -f "$folder/CMakeCache.txt" ]]; then
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" || fresh=(--fresh)
  fi
  (
    cd "$root" || exit
    cmake "${fresh[@]}" --preset "$preset" && cmake --build "$folder" -j "$(nproc)" ${1:+--target "$@"}
  ) >&2
}
