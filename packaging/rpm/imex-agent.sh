#!/bin/sh
# The installed agent: an executable, or its own runtime, jars and class cache, which are one unit. IMEX_AGENT_JVM_HOME
# names another folder of them (the build uses it), IMEX_AGENT_JVM_OPTIONS adds options of the JVM. The executable, which
# has none, takes those of heap, stacks and properties: one that it does not know would keep the agent from starting.
command=${1:-}
home=${IMEX_AGENT_JVM_HOME:-@LIBDIR@/imex-agent}
# These know a whole cluster; the agent's heap is a node's.
case $command in controller | cliques | domains | nodes-file | racks) heap=-Xmx128m ;; *) heap= ;; esac
[ "$command ${2:-}" != 'fabric test' ] || heap=-Xmx128m
executable=$home/bin/imex-agent
# shellcheck disable=SC2086 # options are words
if [ -f "$executable" ]; then
  options=
  for option in ${IMEX_AGENT_JVM_OPTIONS:-}; do
    case $option in
      -Xm* | -Xss* | -D*) options="$options $option" ;;
      *) echo "$0: IMEX_AGENT_JVM_OPTIONS: $option is left out, this package has no JVM" >&2 ;;
    esac
  done
  set -- "$executable" $heap $options "$@"
else
  cache=$home/imex-agent.aot
  # The gate has one of its own: to make all classes of the agent's ready takes longer than its work.
  [ "$command" != gate ] || [ ! -f "$home/imex-agent-gate.aot" ] || cache=$home/imex-agent-gate.aot
  [ -f "$cache" ] && cache=-XX:AOTCache=$cache || cache=
  # Native parts are loaded from the package's folder: nothing is unpacked, so /tmp may be mounted noexec.
  set -- "$home/runtime/bin/java" @"$home/jvm.options" $heap $cache -Djna.nounpack=true \
    -Djna.boot.library.path="$home/native" -Djffi.boot.library.path="$home/native" -Djava.library.path="$home/native" \
    ${IMEX_AGENT_JVM_OPTIONS:-} -jar "$home/lib/imex-agent.jar" "$@"
fi

# The gate ends within 10 s by itself, but for one case: a library of the driver that hangs while it is loaded holds the
# lock of the C library's loader, which the JVM needs for whatever it does next, its own end included. So another process
# keeps the time. The shell's wait ends with the signal: not even a process that cannot be killed delays the answer.
if [ "$command" = gate ]; then
  exec timeout --preserve-status --signal=ALRM 9.8 /bin/sh -c \
    'trap "echo \"\$0: cannot tell whether nvidia-imex should run here: no answer within 10 s; look at the kernel log for NVRM and Xid messages\" >&2; exit 255" ALRM
    "$@" &
    wait $!' imex-agent "$@"
fi
exec "$@"
