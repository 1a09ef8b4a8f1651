package io.imexagent.agent.config;

/** Writes an effective configuration as a file that leads to it again, with each value's origin as a comment. */
public final class EffectiveFile {

    private EffectiveFile() {}

    /** The file's text. */
    public static String text(EffectiveConfig effective) {
        var text = new SectionedText();
        for (EffectiveValue value : effective.values()) {
            text.enter(value.key()).line(line(value));
        }
        return text.toString();
    }

    private static String line(EffectiveValue value) {
        String origin = "  # " + value.origin().text();
        return value.text()
                .map(text -> value.key().name() + ": " + SectionedText.scalar(text) + origin)
                .orElseGet(
                        () -> "#" + value.key().name() + ":  # " + value.key().standardText());
    }
}
