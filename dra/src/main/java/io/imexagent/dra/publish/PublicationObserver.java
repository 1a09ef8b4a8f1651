package io.imexagent.dra.publish;

import io.imexagent.kubernetes.ApiFailure;

/** Hears what publication does, for metrics. Called on the publisher's threads; must not block. */
public interface PublicationObserver {

    /** An observer that does not care. */
    PublicationObserver NONE = new PublicationObserver() {};

    /** A call was made and answered: {@code create}, {@code replace}, {@code delete} or {@code label}. */
    default void acted(String action) {}

    /** A call failed. */
    default void failed(ApiFailure failure) {}
}
