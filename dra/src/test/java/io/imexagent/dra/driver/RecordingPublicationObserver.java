package io.imexagent.dra.driver;

import io.imexagent.dra.driver.SlicePublisher.PublicationObserver;
import io.imexagent.kubernetes.ApiFailure;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what publication told. */
public final class RecordingPublicationObserver implements PublicationObserver {

    private final List<String> actions = new CopyOnWriteArrayList<>();
    private final List<ApiFailure.FailureKind> failures = new CopyOnWriteArrayList<>();

    public List<String> actions() {
        return actions;
    }

    public List<ApiFailure.FailureKind> failures() {
        return failures;
    }

    @Override
    public void acted(String action) {
        actions.add(action);
    }

    @Override
    public void failed(ApiFailure failure) {
        failures.add(failure.kind());
    }
}
