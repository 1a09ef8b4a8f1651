package io.imexagent.dra.claim;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Refusal;
import java.util.List;

/** What the kubelet is told about a claim that it wants prepared. */
public sealed interface PrepareAnswer {

    /**
     * The claim is prepared.
     *
     * @param devices its devices
     */
    record Prepared(List<PreparedDevice.Handed> devices) implements PrepareAnswer {

        /** Copies the list in. */
        public Prepared {
            devices = List.copyOf(devices);
        }
    }

    /**
     * The claim is not prepared.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements PrepareAnswer {}
}
