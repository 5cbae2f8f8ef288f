# To be sourced. Finds a JDK for Hirundo.

HIRUNDO_JAVA_FEATURE=25

# Prints the feature version of the JDK in folder $1 from its release file: faster than starting it.
java_feature() {
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Prints the folder of the java command on the PATH, or nothing.
java_on_path() {
  local java
  java=$(command -v java) || return 0
  java=$(realpath "$java" 2>/dev/null) || return 0
  dirname "$(dirname "$java")"
}

# Prints the usual JDK folders, one per line; newest names last.
usual_java_folders() {
  local folder user=${HOME:-/nonexistent}
  for folder in /usr/lib/jvm/* /usr/java/* /opt/* "$user"/.sdkman/candidates/java/* "$user"/.jdks/* \
      /Library/Java/JavaVirtualMachines/*/Contents/Home "$user"/Library/Java/JavaVirtualMachines/*/Contents/Home \
      /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    [ -d "$folder" ] && printf '%s\n' "$folder"
  done
}

# Sets HIRUNDO_JAVA_HOME, or prints where it looked and exits. A HIRUNDO_JAVA_HOME that is too old is an error; a JAVA_HOME that is
# too old is skipped, because other programs may need it.
find_java() {
  local folder feature
  if [ -n "${HIRUNDO_JAVA_HOME:-}" ]; then
    feature=$(java_feature "$HIRUNDO_JAVA_HOME") || feature=
    [ "${feature:-0}" -lt "$HIRUNDO_JAVA_FEATURE" ] || return 0
    echo "hirundo: HIRUNDO_JAVA_HOME=$HIRUNDO_JAVA_HOME ${feature:+has Java $feature and }is not a JDK $HIRUNDO_JAVA_FEATURE or newer: set it to the folder of one, or unset it" >&2
    exit 78
  fi
  while IFS= read -r folder; do
    [ -n "$folder" ] || continue
    feature=$(java_feature "$folder") || continue
    if [ "${feature:-0}" -ge "$HIRUNDO_JAVA_FEATURE" ]; then
      export HIRUNDO_JAVA_HOME=$folder
      return 0
    fi
  done <<< "${JAVA_HOME:-}
$(java_on_path)
$(usual_java_folders)"
  {
    echo "hirundo: no JDK $HIRUNDO_JAVA_FEATURE or newer found. Searched:"
    echo "  HIRUNDO_JAVA_HOME  (not set)"
    echo "  JAVA_HOME          ${JAVA_HOME:-(not set)}"
    folder=$(java_on_path)
    echo "  java on the PATH   ${folder:-(none)}"
    echo "  /usr/lib/jvm, /usr/java, /opt, ~/.sdkman, ~/.jdks, /Library/Java, Homebrew"
    echo "Install one, for example Eclipse Temurin $HIRUNDO_JAVA_FEATURE, or set HIRUNDO_JAVA_HOME to its folder."
  } >&2
  exit 78
}
