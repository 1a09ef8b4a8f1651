package io.imexagent.imex.health;

import io.imexagent.host.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A question to nvidia-imex or to systemd. These factories are the only way to make one, and each asks: nothing here
 * starts, stops or writes.
 */
public final class ImexCommand {

    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C", "SYSTEMD_COLORS", "0", "SYSTEMD_PAGER", "");

    private final List<String> words;

    private ImexCommand(List<String> words) {
        this.words = List.copyOf(words);
    }

    static ImexCommand localState(Path tool, Path configuration) {
        return new ImexCommand(List.of(tool.toString(), "-c", configuration.toString(), "-q"));
    }

    static ImexCommand domainJson(Path tool, Path configuration) {
        return new ImexCommand(List.of(tool.toString(), "-c", configuration.toString(), "-N", "-j"));
    }

    /** The whole domain as a table, for tools without JSON: {@code nvidia-imex-ctl -c CONFIG -N}. */
    static ImexCommand domainText(Path tool, Path configuration) {
        return new ImexCommand(List.of(tool.toString(), "-c", configuration.toString(), "-N"));
    }

    static ImexCommand unitState(Path systemctl, String unit) {
        return new ImexCommand(List.of(
                systemctl.toString(), "show", "--property=" + String.join(",", UnitState.PROPERTIES), "--", unit));
    }

    /** The question as a program, without anything of the agent's. */
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
