package io.imexagent.agent.config;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.regex.Pattern;

/** Writes keys in the form of a configuration file: nested sections, each indented by two spaces. */
public final class SectionedText {

    private static final String INDENT = "  ";
    private static final Pattern PLAIN = Pattern.compile("(?!-)[A-Za-z0-9/._-]+");

    private final StringBuilder text = new StringBuilder();
    private String section = "";

    /** The configuration as a file that loads to the same values, with each value's origin as a comment. */
    public static String of(AgentConfig config) {
        var text = new SectionedText();
        for (ConfigKey key : ConfigKeys.ALL) {
            text.enter(key)
                    .line(key.textIn(config)
                            .map(value -> key.name() + ": " + scalar(value) + "  # "
                                    + config.values().origin(key).text())
                            .orElseGet(() -> "#" + key.name() + ":  # " + key.defaultText()));
        }
        return text.toString();
    }

    /** Opens the sections of the key that are not open yet. */
    SectionedText enter(ConfigKey key) {
        String[] parts = key.section().split("\\.", -1);
        String path = "";
        for (int depth = 0; depth < parts.length; depth++) {
            path = ConfigKeys.join(path, parts[depth]);
            if (!section.equals(path) && !section.startsWith(path + ".")) {
                text.append(depth == 0 && !text.isEmpty() ? "\n" : "")
                        .append(INDENT.repeat(depth))
                        .append(parts[depth])
                        .append(":\n");
            }
        }
        section = key.section();
        return this;
    }

    SectionedText line(String line) {
        int depth = section.isEmpty() ? 0 : section.split("\\.", -1).length;
        text.append(INDENT.repeat(depth)).append(line).append('\n');
        return this;
    }

    /** The value as YAML: plain where that is safe, otherwise in double quotes. */
    static String scalar(String value) {
        return PLAIN.matcher(value).matches()
                ? value
                : '"' + new String(JsonStringEncoder.getInstance().quoteAsString(value)) + '"';
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
