# To be sourced. Builds the distribution if it is missing or older than its sources, with one line of progress.

# Prints a source that changed since the last build, or nothing. A deleted or renamed file makes its src folder newer.
newer_source() {
  local stamp=$1/distro/target/built
  [ -f "$stamp" ] || { echo "(never built)"; return; }
  (cd "$1" && find pom.xml bnd.bnd cnf bundles distro \
    \( -name target -o -path '*/src/test' \) -prune -o \
    \( -type f -o -type d -path '*/src/*' \) \( ! -name '*.md' -o -path '*/resources/*' \) -newer "$stamp" -print -quit)
}

# Condenses Maven's log to one live line, or without a terminal to one line per module.
show_progress() {
  local line start=$SECONDS module=
  while IFS= read -r line; do
    [[ $line =~ ^\[INFO\]\ Building\ (Hirundo.*[^\ ])\ +[^\ ]+\ +\[([0-9]+/[0-9]+)\]$ ]] || continue
    module=${BASH_REMATCH[1]#Hirundo: }
    if [ -t 2 ]; then
      printf '\r\033[Khirundo: building %s (%s), %d s' "$module" "${BASH_REMATCH[2]}" $((SECONDS - start)) >&2
    else
      printf 'hirundo: building %s (%s)\n' "$module" "${BASH_REMATCH[2]}" >&2
    fi
  done
  if [ -t 2 ]; then
    printf '\r\033[K' >&2
  fi
}

# Builds in folder $1 if needed. Of two concurrent builds the second waits for the first.
build_if_needed() {
  local root=$1 log=$1/distro/target/build.log
  [ -n "$(newer_source "$root")" ] || return 0
  if ! command -v mvn > /dev/null; then
    echo "hirundo: building needs Maven 3.8 or newer, and there is no mvn on the PATH; install the package maven" >&2
    exit 78
  fi
  if [ -n "${OMPI_COMM_WORLD_RANK:-}" ] && ! command -v flock > /dev/null; then
    echo "hirundo: sources changed since the last build, and processes of mpirun must not build concurrently; first run: ./hirundo --version" >&2
    exit 78
  fi
  mkdir -p "$root/distro/target"
  (
    if command -v flock > /dev/null; then
      flock 9
      [ -n "$(newer_source "$root")" ] || exit 0
      # Nobody else has the lock, so the last build was interrupted: files that Maven takes for complete may be empty.
      if [ -e "$root/distro/target/building" ]; then
        find "$root/bundles" "$root/distro" -type d -path '*/target/quick' -prune -exec rm -rf {} +
      fi
    fi
    # Stamped before the build, so that later edits are newer.
    touch "$root/distro/target/building"
    local status=0
    # shellcheck disable=SC2086 # the options are words
    (cd "$root" && mvn -B -ntp -T 2 -P quick package -pl distro -am ${HIRUNDO_MAVEN_OPTS:-} < /dev/null 2>&1 9>&-) \
      | tee "$log" | show_progress || status=$?
    if ((status > 128)); then
      echo "hirundo: the build was interrupted; the next start builds everything again" >&2
      exit "$status"
    elif ((status)); then
      rm "$root/distro/target/building"
      echo "hirundo: the build failed; the log is in $log" >&2
      grep -m 5 '^\[ERROR\]' "$log" >&2 || true
      exit 70
    fi
    mv "$root/distro/target/building" "$root/distro/target/built"
  ) 9> "$root/distro/target/lock" || exit $?
}

# Fetches the source jars of the dependencies into folder $2, once: text for quickstart if the JDK has no source archive.
fetch_sources() {
  local root=$1 folder=$2
  [ -d "$folder" ] && return 0
  echo "hirundo: this JDK has no lib/src.zip; fetching the sources of Hirundo's dependencies as text" >&2
  # shellcheck disable=SC2086 # the options are words
  if ! (cd "$root" && mvn -B -ntp -q -P quick compile dependency:copy-dependencies -pl bundles/tokenizer-hf -am \
      -Dclassifier=sources -DexcludeGroupIds=io.hirundo -Dmdep.failOnMissingClassifierArtifact=false "-DoutputDirectory=$folder.part" ${HIRUNDO_MAVEN_OPTS:-} < /dev/null >&2); then
    rm -rf "$folder.part"
    echo "hirundo: cannot fetch the sources; give some text with --data PATH" >&2
    exit 65
  fi
  mv "$folder.part" "$folder"
}
