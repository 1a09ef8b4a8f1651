package io.imexagent.imex.prepare;

import io.imexagent.core.setting.NamedChoice;

/** What becomes of claims on a node whose GPUs support no NVLink fabric ({@code imex.cliqueMissing}). */
public enum CliqueMissing implements NamedChoice {
    /** They are refused, as without a clique everywhere: whoever asks for a channel learns that there is none. */
    REFUSE("Refuse"),
    /** They are prepared without a channel, as by the public driver: one workload runs on nodes of both kinds. */
    SUCCEED("Succeed");

    private final String text;

    CliqueMissing(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
