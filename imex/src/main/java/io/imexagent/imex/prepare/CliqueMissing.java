package io.imexagent.imex.prepare;

import io.imexagent.core.setting.NamedChoice;

/** The treatment of claims on a node whose GPUs support no NVLink fabric ({@code imex.cliqueMissing}). */
public enum CliqueMissing implements NamedChoice {
    /** Claims are refused, as always without a clique, so that the user of a channel learns that there is none. */
    REFUSE,
    /** Claims are prepared without a channel, as by the public driver: a workload can run on both kinds of nodes. */
    SUCCEED
}
