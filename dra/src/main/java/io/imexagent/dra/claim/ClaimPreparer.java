package io.imexagent.dra.claim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Prepares and unprepares claims. Never blocks its caller and never fails as a whole: the answers hold one entry for the
 * UID of every claim of the request, and a stage that completes exceptionally is a defect.
 */
public interface ClaimPreparer {

    /**
     * Prepares claims.
     *
     * @param claims the claims
     * @param remaining how long the caller still waits
     * @return the answers by UID
     */
    CompletionStage<Map<String, PrepareAnswer>> prepare(List<ClaimRequest> claims, Duration remaining);

    /** Unprepares claims, from local state alone; returns the answers by UID. */
    CompletionStage<Map<String, UnprepareAnswer>> unprepare(List<ClaimRequest> claims);
}
