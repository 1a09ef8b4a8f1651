package io.imexagent.agent.config;

/** Writes an effective configuration as a file that leads to it again, with each value's origin as a comment. */
public final class EffectiveFile {

    private EffectiveFile() {}

    /** The file's text. */
    public static String text(EffectiveConfig effective) {
        var text = new SectionedText();
        for (ConfigKey key : ConfigKeys.ALL) {
            text.enter(key).line(line(key, effective.config()));
        }
        return text.toString();
    }

    private static String line(ConfigKey key, AgentConfig config) {
        return key.textIn(config)
                .map(text -> key.name() + ": " + SectionedText.scalar(text) + "  # "
                        + config.values().origin(key).text())
                .orElseGet(() -> "#" + key.name() + ":  # " + key.standardText());
    }
}
