package io.imexagent.imex.health;

import io.imexagent.host.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A query to nvidia-imex or to systemd. The factories of this class make the only queries, none of which starts, stops
 * or writes anything.
 */
public final class ImexCommand {

    private static final Map<String, String> ENVIRONMENT = Map.of(
            "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL", "C",
            "TZ", "UTC",
            "SYSTEMD_COLORS", "0",
            "SYSTEMD_PAGER", "");

    private final List<String> words;

    private ImexCommand(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** The address over which {@code nvidia-imex-ctl} reaches the daemon. */
    record DaemonAddress(String option, Path path) {

        /** The address in the configuration, over TCP: {@code -c CONFIG}. */
        static DaemonAddress byConfiguration(Path file) {
            return new DaemonAddress("-c", file);
        }

        /** The address of a Unix socket: {@code -u SOCKET}. */
        static DaemonAddress bySocket(Path socket) {
            return new DaemonAddress("-u", socket);
        }
    }

    static ImexCommand localState(Path tool, DaemonAddress way) {
        return asking(tool, way, "-q");
    }

    static ImexCommand domainJson(Path tool, DaemonAddress way) {
        return asking(tool, way, "-N", "-j");
    }

    /** The whole domain as a table, for tools without JSON: {@code nvidia-imex-ctl -c CONFIG -N}. */
    static ImexCommand domainText(Path tool, DaemonAddress way) {
        return asking(tool, way, "-N");
    }

    private static ImexCommand asking(Path tool, DaemonAddress way, String... question) {
        return new ImexCommand(Stream.concat(
                        Stream.of(tool.toString(), way.option(), way.path().toString()), Stream.of(question))
                .toList());
    }

    static ImexCommand unitState(Path systemctl, String unit) {
        return show(systemctl, UnitState.PROPERTIES, List.of(unit));
    }

    /** The states of the units that another unit requires, each in lines of its own. */
    static ImexCommand requiredUnits(Path systemctl, List<String> units) {
        return show(systemctl, List.of("Id", "LoadState", "ActiveState"), units);
    }

    private static ImexCommand show(Path systemctl, List<String> properties, List<String> units) {
        return new ImexCommand(Stream.concat(
                        Stream.of(systemctl.toString(), "show", "--property=" + String.join(",", properties), "--"),
                        units.stream())
                .toList());
    }

    /** The query as a program, without the agent's environment. */
    Program within(Duration timeout, int limit) {
        return Program.apart(words, timeout, ENVIRONMENT, limit);
    }

    /** The program's name and its arguments, for messages. */
    @Override
    public String toString() {
        Path program = Path.of(words.getFirst()).getFileName();
        return program + " " + String.join(" ", words.subList(1, words.size()));
    }
}
