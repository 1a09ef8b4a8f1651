# Sourced: sets jdk to the home of a JDK 25 that has the program named in jdk_program (java if unset), or to nothing.
# IMEX_AGENT_JAVA_HOME, JAVA_HOME and JAVA25_HOME go first, then the places where JDKs are usually installed; the build
# (enforcer rule in pom.xml) looks at the same ones. A JDK says its version in the file "release", so none is started.
# shellcheck shell=sh
jdk=
for home in "${IMEX_AGENT_JAVA_HOME:-}" "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/*25* \
  /usr/lib/jvm/* /usr/java/* /usr/jdk/* /opt/java/* "${HOME:-}"/.jdks/* "${HOME:-}"/.m2/jdks/* "${HOME:-}"/.gradle/jdks/* \
  "${HOME:-}"/.jabba/jdk/* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jbang/cache/jdks/* \
  "${HOME:-}"/.jenv/versions/* "${HOME:-}"/.asdf/installs/java/* "${HOME:-}"/.local/share/mise/installs/java/*; do
  if [ -x "$home/bin/${jdk_program:-java}" ] && [ -r "$home/release" ]; then
    while IFS= read -r line; do
      case $line in
        JAVA_VERSION=\"25*) jdk=$home ;;
      esac
    done <"$home/release"
    [ -z "$jdk" ] || break
  fi
done
