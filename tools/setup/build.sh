# Sourced by ../../cutelab: installs what is missing and builds the release preset, with progress on stderr.
# Uses root, program, stamp and is_fresh of the launcher. Ends the launcher with exit code 3 (this machine lacks
# something) or 4 (the build failed).

say() { printf 'cutelab: %s\n' "$*" >&2; }

give_up() {  # EXIT-CODE LINE…
  local code=$1 line
  shift
  printf 'error: %s\n' "$1" >&2
  shift
  for line; do printf '  %s\n' "$line" >&2; done
  exit "$code"
}

# debian_list NAME: the packages of that list in deps/parts.json. Python may not be installed yet, so sed reads it.
debian_list() {
  tr '\n' ' ' <"$root/deps/parts.json" | sed -n 's/.*"'"$1"'": *{ *"packages": *\[\([^]]*\)\].*/\1/p' | tr -d '",'
}

missing_packages() {
  local name have
  have=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null) "
  for name; do case $have in *" installed:$name "*) ;; *) printf '%s ' "$name" ;; esac; done
}

# show_progress WHAT DONE ALL: one line that changes on a terminal, else a line at every tenth of the way. What is left is
# told from the pace so far, once there is one.
shown=-1
show_progress() {
  local percent=$((100 * $2 / $3)) text left
  [ "$shown" = -1 ] && stage_began=$SECONDS && shown=0
  left=$(((SECONDS - stage_began) * ($3 - $2) / ($2 > 0 ? $2 : 1)))
  text="$1: $2 of $3"
  [ "$percent" -ge 10 ] && [ "$left" -gt 0 ] && text+=", about $left s left"
  if [ -t 2 ]; then
    printf '\r\033[Kcutelab: %s' "$text" >&2
  elif [ $((percent / 10)) -gt "$shown" ]; then
    shown=$((percent / 10))
    say "$text"
  fi
}

end_progress() {
  shown=-1
  [ -t 2 ] && printf '\r\033[K' >&2
  return 0
}

# follow_ninja LOG WHAT: copies ninja's output to LOG and shows how far it is.
follow_ninja() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line" >>"$1"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && show_progress "$2" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  done
  end_progress
}

# follow_apt LOG WHAT: the same for apt-get, which gets, unpacks and sets up each package.
follow_apt() {
  local line all=0 done=0
  while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line" >>"$1"
    [[ $line =~ ([0-9]+)\ newly\ installed ]] && all=$((3 * BASH_REMATCH[1]))
    [[ $line =~ ^(Get:|Unpacking\ |Setting\ up\ ) ]] && [ $done -lt $all ] && show_progress "$2" $((++done)) $all
  done
  end_progress
}

# install_debian LIST: the missing packages of a list, through apt-get as root or with sudo.
install_debian() {
  local packages missing command log=$root/build/setup.log as_root=()
  packages=$(debian_list "$1")
  [ -n "$packages" ] || give_up 4 "deps/parts.json holds no Debian list '$1'"
  command -v dpkg-query >/dev/null || { check_programs && return; }
  missing=$(missing_packages $packages)
  [ -n "$missing" ] || return 0
  command="apt-get install --yes --no-install-recommends ${missing% }"
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo)
    command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; } ||
      give_up 3 "Debian packages are missing, and only root may install them" "missing: $missing" "try: sudo $command"
  fi
  mkdir -p "$root/build" || give_up 3 "cannot write in $root" "try: give yourself write permission there"
  say "installing $(wc -w <<<"$missing") Debian packages: ${missing% }"
  : >"$log"
  apt_get "$log" install --yes --no-install-recommends $missing && return 0
  say "refreshing the package lists first"
  apt_get "$log" update && apt_get "$log" install --yes --no-install-recommends $missing && return 0
  tail -n 15 "$log" >&2
  give_up 3 "apt-get could not install them" "at: $log" "try: ${as_root[*]} apt-get update && ${as_root[*]} $command"
}

apt_get() {  # LOG WORD…
  local log=$1
  shift
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" </dev/null 2>&1 |
    follow_apt "$log" "installing Debian packages"
  return "${PIPESTATUS[0]}"
}

# Without dpkg we cannot name packages; the programs themselves have to be there.
check_programs() {
  local name lacking=
  for name in g++ cmake ninja python3; do command -v $name >/dev/null || lacking+="$name "; done
  [ -z "$lacking" ] || give_up 3 "this system has no dpkg, and these programs are missing: $lacking" \
    "try: install them and the libraries of deps/parts.json (list 'build') with your package manager"
}

# A build folder configured elsewhere (a moved or copied tree) cannot be used.
drop_foreign_build() {  # PRESET
  local cache=$root/build/$1/CMakeCache.txt
  [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" && rm -rf "$root/build/$1"
  return 0
}

build_failed() {  # LOG PRESET
  grep -m 3 -E 'error:|Error' "$1" | cut -c 1-200 >&2
  printf -- '-- the end of the log --\n' >&2
  tail -n 12 "$1" | cut -c 1-200 >&2
  give_up 4 "the build failed" "at: $1" "try: read the log; remove $root/build/$2 to start afresh"
}

compile() {  # PRESET TARGET
  local log=$root/build/$1.log
  : >"$log"
  drop_foreign_build "$1"
  (cd "$root" && cmake --preset "$1") >>"$log" 2>&1 || build_failed "$log" "$1"
  (cd "$root" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$1" --target "$2") 2>&1 </dev/null |
    follow_ninja "$log" "building ($1), steps done"
  [ "${PIPESTATUS[0]}" = 0 ] || build_failed "$log" "$1"
}

build_program() {
  local began
  mkdir -p "$root/build" 2>/dev/null || give_up 3 "cannot write in $root" "try: give yourself write permission there"
  exec 9>"$root/build/.lock" || give_up 3 "cannot write in $root/build" "try: give yourself write permission there"
  if ! flock -n 9; then
    say "another cutelab is setting up; waiting for it"
    flock 9
  fi
  if ! is_fresh; then
    [ -x "$program" ] || say "first start: parts of the source parsers and examples, then the program itself. Two cores took" \
      "a little over three minutes for both; later starts build only what changed"
    install_debian build
    began=$(mktemp "$root/build/.began-XXXXXX")  # a file changed from now on is newer than what we build
    python3 "$root/tools/setup/fetch.py" || { rm -f "$began"; exit 3; }
    trap 'rm -f "$began"' EXIT
    compile release cutelab
    mv "$began" "$stamp"
    trap - EXIT
  fi
  exec 9>&-
}
