#!/bin/sh
# The installed agent: its own runtime, jars and class cache, which are one unit. IMEX_AGENT_JVM_HOME names another
# folder of them (the build uses it), IMEX_AGENT_JVM_OPTIONS adds options of the JVM.
home=${IMEX_AGENT_JVM_HOME:-@LIBDIR@/imex-agent}
cache=$home/imex-agent.aot
[ -f "$cache" ] && cache=-XX:AOTCache=$cache || cache=
# Native parts are loaded from the package's folder: nothing is unpacked, so /tmp may be mounted noexec.
# shellcheck disable=SC2086 # options are words
exec "$home/runtime/bin/java" @"$home/jvm.options" $cache -Djna.nounpack=true -Djna.boot.library.path="$home/native" \
  -Djava.library.path="$home/native" ${IMEX_AGENT_JVM_OPTIONS:-} -jar "$home/lib/imex-agent.jar" "$@"
