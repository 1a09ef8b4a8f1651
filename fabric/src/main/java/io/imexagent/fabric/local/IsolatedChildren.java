package io.imexagent.fabric.local;

import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Launches children that each have their own {@code /dev}, with the NVIDIA nodes of the host and the nodes of exactly
 * the requested channels. This {@code /dev} is a tmpfs in the child's own mount namespace, so it ends with the child.
 * Programs of the host create it as root and then drop all capabilities, before the child's program starts and loads
 * libcuda.
 */
public record IsolatedChildren(ChildProgram program, int major, Path nodes, List<Path> folders)
        implements Function<OptionalInt, ChildLauncher> {

    /** The folders of root's programs in all distributions. */
    public static final List<Path> FOLDERS =
            List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/sbin"), Path.of("/bin"));

    /** The programs that are needed, each with its package. */
    private static final Map<String, String> TOOLS = Map.of(
            "unshare",
            "util-linux",
            "setpriv",
            "util-linux",
            "mount",
            "util-linux",
            "mknod",
            "coreutils",
            "mkdir",
            "coreutils",
            "sh",
            "a shell");

    /**
     * Builds the new /dev on a folder below the old /dev, which must stay reachable, and then moves it over the old
     * one. A JVM needs the first four nodes.
     */
    private static final String SCRIPT = """
            set -eu
            ulimit -c 0
            umask 0
            export PATH="$1"
            nodes=$2 major=$3 channels=$4
            shift 4
            new=/dev/shm
            mount -t tmpfs -o mode=0755,nosuid,noexec,size=1m tmpfs $new
            for node in /dev/null /dev/zero /dev/random /dev/urandom "$nodes"/nvidia*; do
              place=$new/${node##*/}
              case $node in */nvidia-caps-imex-channels) continue ;; esac
              if [ -d "$node" ]; then mkdir "$place"; elif [ -e "$node" ]; then : >"$place"; else continue; fi
              mount --bind "$node" "$place"
            done
            mkdir -m 0755 $new/nvidia-caps-imex-channels
            mkdir -m 1777 $new/shm
            for channel in $channels; do
              mknod -m 0666 "$new/nvidia-caps-imex-channels/channel$channel" c "$major" "$channel"
            done
            mount --move $new /dev
            exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"
            """;

    public IsolatedChildren {
        folders = List.copyOf(folders);
    }

    /** Returns the programs that this host lacks, each with its package; empty if none is missing. */
    public List<String> missing() {
        return TOOLS.entrySet().stream()
                .filter(tool -> folders.stream().noneMatch(folder -> Files.isExecutable(folder.resolve(tool.getKey()))))
                .map(tool -> tool.getKey() + " (" + tool.getValue() + ")")
                .sorted()
                .toList();
    }

    @Override
    public ChildLauncher apply(OptionalInt channel) {
        return with(channel.stream().boxed().toList());
    }

    /** Returns a launcher of children that have exactly these channels. */
    ChildLauncher with(List<Integer> channels) {
        var words = new ArrayList<>(List.of(tool("unshare"), "--mount", "--propagation", "private", "--"));
        words.addAll(List.of(tool("sh"), "-c", SCRIPT, "sh"));
        words.add(folders.stream().map(Path::toString).collect(Collectors.joining(":")));
        words.addAll(List.of(nodes.toString(), Integer.toString(major)));
        words.add(channels.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        words.addAll(program.words());
        return () -> ChildLauncher.start(words);
    }

    private String tool(String name) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElse(name);
    }
}
