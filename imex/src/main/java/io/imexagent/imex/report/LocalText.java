package io.imexagent.imex.report;

import java.util.List;

/** Reads what {@code nvidia-imex-ctl -q} prints: the state of the local daemon, one word on its last line. */
public final class LocalText {

    private LocalText() {}

    /** The state in the text. Never throws, whatever it is. */
    public static Parsed<DaemonState> parse(String output) {
        List<String> lines = output.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        if (lines.isEmpty()) {
            return new Parsed.Unreadable<>("it is empty");
        }
        String word = lines.getLast();
        return word.chars().allMatch(c -> (c >= 'A' && c <= 'Z') || c == '_')
                ? new Parsed.Read<>(DaemonState.of(word))
                : new Parsed.Unreadable<>("\"" + Printable.line(word) + "\" is no state of a daemon");
    }
}
