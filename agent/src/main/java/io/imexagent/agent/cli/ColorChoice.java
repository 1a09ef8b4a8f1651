package io.imexagent.agent.cli;

import java.util.Locale;

/** When output is in colour. */
enum ColorChoice {
    /** On a terminal, unless the environment asks for none. */
    AUTO,
    /** Always. */
    ALWAYS,
    /** Never. */
    NEVER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
