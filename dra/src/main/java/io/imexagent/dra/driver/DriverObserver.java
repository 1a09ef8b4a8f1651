package io.imexagent.dra.driver;

import io.imexagent.dra.claim.PrepareObserver;
import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.publish.PublicationObserver;
import io.imexagent.dra.publish.PublicationState;
import java.util.function.Supplier;

/** Hears of all that a driver does, for metrics. */
public interface DriverObserver extends PrepareObserver, PublicationObserver, DraObserver {

    /** A driver serves: how far its publication and its registration have come can be asked from now on. */
    void show(Supplier<PublicationState> published, Supplier<RegistrationState> registered);
}
