package io.imexagent.core.policy;

import io.imexagent.core.setting.NamedChoice;

/** How workloads on one IMEX domain are kept apart ({@code imex.isolation}). */
public enum Isolation implements NamedChoice {
    /** Channel 0 for every workload: each holder can map the memory of every other. */
    NONE("None", "channel 0 for every workload, no isolation between them"),
    IMEX_CHANNEL("IMEXChannel", "one channel for each workload, the same on all its nodes"),
    /** One IMEX domain for each workload: driver-managed, never served by a host-managed agent. */
    IMEX_DOMAIN("IMEXDomain", "one IMEX domain for each workload, which only a driver-managed nvidia-imex can give");

    private final String text;
    private final String meaning;

    Isolation(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    @Override
    public String text() {
        return text;
    }

    /** What the isolation means, as a clause. */
    public String meaning() {
        return meaning;
    }
}
