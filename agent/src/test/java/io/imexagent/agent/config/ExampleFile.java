package io.imexagent.agent.config;

import java.util.ArrayList;
import java.util.List;

/** Writes the example of a configuration file: every key, explained, its default as a comment. */
public final class ExampleFile {

    private static final int WIDTH = 96;

    private ExampleFile() {}

    /** The file's text. Without the {@code #} before its values it means the same. */
    public static String text() {
        var text = new SectionedText();
        text.line("# The configuration of imex-agent, by default " + ConfigKeys.DEFAULT_FILE + ".")
                .line("# Every value is optional; a line such as #port shows the default, or an example")
                .line("# where there is no default. Environment and command line beat this file, see")
                .line("# docs/configuration.md. imex-agent config validate checks it.")
                .line("");
        for (ConfigKey key : ConfigKeys.ALL) {
            text.enter(key);
            wrapped(key.meaning() + " Default: " + key.defaultText() + ". Takes " + key.expected() + ".")
                    .forEach(line -> text.line("# " + line));
            text.line("#" + key.name() + ": " + SectionedText.scalar(key.sample()));
        }
        return text.toString();
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        var line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
