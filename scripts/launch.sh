# Sourced by the launchers (bash 3.2 or later), with $root set: launch MODULE [ARGUMENT...] builds the module and what it
# needs, if that is not done yet, and becomes its program.
#
# "Done" means that nothing under a src/main and no pom.xml is newer than the last build: one find, some milliseconds.
# The build skips tests and gates, so it goes to folders of its own (MODULE/target/launch) that no checked build reads.
# Progress goes to stderr, Maven's log to target/launch; stdout belongs to the program. JAVA_HOME decides which Java, else
# the PATH. RETRYSAFE_CLASSPATH adds jars that are not included, such as database drivers. A launcher may set jvm_options.

jvm_options=()

launch() {
  local module=$1
  shift
  work=$root/target/launch
  log=$work/$module.log
  stamp=$work/$module.built
  jar=$root/$module/target/launch/retrysafe-$module.jar
  find_java
  if ! is_built; then
    mkdir -p "$work" 2>/dev/null || die "cannot write to $root, where it builds itself."
    (one_at_a_time && { is_built || build "$module"; }) || exit
  fi
  exec "$java" ${jvm_options[@]+"${jvm_options[@]}"} \
    -cp "$jar${RETRYSAFE_CLASSPATH:+:$RETRYSAFE_CLASSPATH}" "io.retrysafe.$module.Main" "$@"
}

die() {
  printf 'retrysafe: %s\n' "$@" >&2
  exit 1
}

is_built() {
  [ -f "$jar" ] && [ -f "$stamp" ] && [ -z "$(newer_source)" ]
}

# Folders count too: a deleted file changes the time of its folder.
newer_source() {
  find "$root" \( -name target -o -name .git -o -path '*/src/test' \) -prune -o \
    \( -name pom.xml -o -path '*/src/main' -o -path '*/src/main/*' \) -newer "$stamp" -print | head -n 1
}

# Two first runs at once would write into the same folders: the second waits, and finds the work done.
one_at_a_time() {
  exec 9>"$work/building"
  ! command -v flock >/dev/null || flock 9
}

find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || die "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it."
  else
    java=$(command -v java) || die 'needs Java 17 or later, but JAVA_HOME is not set and there is no java on the PATH.'
  fi
  # Asking Java takes longer than all the rest here, so each is asked once.
  local version real
  real=$(readlink -f "$java" 2>/dev/null) || real=$java
  [ "$(cat "$work/java" 2>/dev/null)" != "$real" ] || return 0
  version=$("$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
  [ "${version:-0}" -ge 17 ] || die "needs Java 17 or later, but $java is Java ${version:-of an unknown version}." \
    'Set JAVA_HOME to a JDK 17 or later.'
  { mkdir -p "$work" && printf '%s\n' "$real" >"$work/java"; } 2>/dev/null || true
}

find_maven() {
  command -v mvn >/dev/null || die 'needs Maven 3.8.6 or later to build itself, but there is no mvn on the PATH.'
  local version oldest
  version=$(mvn -B -version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p' | head -n 1)
  oldest=$(printf '%s\n' 3.8.6 "${version:-0}" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)
  [ "$oldest" = 3.8.6 ] || die \
    "needs Maven 3.8.6 or later to build itself, but $(command -v mvn) is ${version:-of an unknown version}."
}

build() {
  local what='building Retrysafe (first run only)...' start=$SECONDS maven
  [ ! -f "$stamp" ] || what='building Retrysafe (sources changed)...'
  find_maven
  [ -t 2 ] || printf '%s\n' "$what" >&2
  # Taken before the build: what is saved while it runs counts as newer.
  touch "$stamp.next"
  mvn -B -ntp -f "$root/pom.xml" -pl "$1" -am -P '!gates' -Dretrysafe.target=target/launch \
    -Dmaven.test.skip=true -Dmaven.source.skip=true -Denforcer.skip=true -Dretrysafe.dist.skip=true package >"$log" 2>&1 </dev/null &
  maven=$!
  trap 'kill "$maven" 2>/dev/null; printf "\n" >&2; exit 130' INT TERM
  watch_build "$maven" "$what"
  if ! wait "$maven"; then
    show_errors >&2
    die "the build failed; the whole log is in $log"
  fi
  mv "$stamp.next" "$stamp"
  printf 'built in %d s\n' $((SECONDS - start)) >&2
}

# Maven's errors without its advice, or the end of the log where it died before it could name any.
show_errors() {
  local errors
  errors=$(sed -n '/^\[ERROR\]/{/\[Help 1\]/q;p;}' "$log" | head -n 15)
  if [ -n "$errors" ]; then printf '%s\n' "$errors"; else tail -n 15 "$log"; fi
}

# Shows on one line of a terminal where Maven is, until it ends.
watch_build() {
  local maven=$1 what=$2 start=$SECONDS
  while kill -0 "$maven" 2>/dev/null; do
    [ ! -t 2 ] || printf '\r\033[K%s %s (%d s)' "$what" "$(current_module)" $((SECONDS - start)) >&2
    sleep 0.2
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

current_module() {
  sed -n 's/^\[INFO\] Building \(Retrysafe.*\) [0-9][^ ]* *\[\(.*\)\]$/\2 \1/p' "$log" | tail -n 1
}
