package io.imexagent.agent.cli;

import java.util.Locale;

/** In what form a command tells its result. */
enum OutputFormat {
    /** For people. */
    TABLE,
    /** For programs. */
    JSON,
    /** For both. */
    YAML;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
