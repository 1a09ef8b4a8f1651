package io.imexagent.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.http.DocumentReviews.ReviewedAccess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DocumentReviewsTest {

    private static final String PATH = "/inventory";
    private static final Credential JANE = new Credential.BearerToken("jane's");

    private final FakeReviews api = new FakeReviews();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
    private final DocumentReviews reviews = new DocumentReviews(api, now::get);

    @Test
    void whoIsAdmittedStaysSoForAMinute() {
        api.allow("jane", true);
        reviews.ask(JANE, PATH);
        api.allow("jane", false);

        pass(Duration.ofSeconds(59));
        assertThat(reviews.remembered(JANE, PATH)).contains(new ReviewedAccess.AccessGranted());
        pass(Duration.ofSeconds(1));
        assertThat(reviews.remembered(JANE, PATH)).isEmpty();
        assertThat(status(reviews.ask(JANE, PATH))).isEqualTo(403);
        assertThat(reviews.remembered(JANE, PATH).map(DocumentReviewsTest::status))
                .as("what was said last")
                .contains(403);
    }

    @Test
    void whoIsRefusedStaysSoForTenSeconds() {
        reviews.ask(JANE, PATH);
        api.allow("jane", true);

        pass(Duration.ofSeconds(9));
        assertThat(reviews.remembered(JANE, PATH).map(DocumentReviewsTest::status))
                .contains(403);
        pass(Duration.ofSeconds(1));
        assertThat(reviews.remembered(JANE, PATH)).isEmpty();
        assertThat(reviews.ask(JANE, PATH)).isEqualTo(new ReviewedAccess.AccessGranted());
        assertThat(reviews.remembered(JANE, PATH))
                .as("what was said last")
                .contains(new ReviewedAccess.AccessGranted());
    }

    @Test
    void anAnswerIsForOneTokenAndOnePath() {
        api.allow("jane", true);
        reviews.ask(JANE, PATH);

        assertThat(reviews.remembered(JANE, "/domains")).isEmpty();
        assertThat(reviews.remembered(new Credential.BearerToken("john's"), PATH))
                .isEmpty();
    }

    @Test
    void thatTheApiServerIsAwayIsNotRemembered() {
        api.away(true);

        assertThat(status(reviews.ask(JANE, PATH))).isEqualTo(503);
        assertThat(reviews.remembered(JANE, PATH)).isEmpty();
    }

    @Test
    void inventedTokensDriveOutNobodyWhoIsAdmitted() {
        api.allow("jane", true);
        reviews.ask(JANE, PATH);

        for (int i = 0; i < 1000; i++) {
            reviews.ask(new Credential.BearerToken("invented-" + i), PATH);
        }

        assertThat(reviews.remembered(JANE, PATH)).contains(new ReviewedAccess.AccessGranted());
        assertThat(reviews.remembered(new Credential.BearerToken("invented-999"), PATH))
                .isPresent();
        assertThat(reviews.remembered(new Credential.BearerToken("invented-0"), PATH))
                .isEmpty();
    }

    @Test
    void aTokenIsShownByNoText() {
        assertThat(JANE.toString() + JANE.fingerprint()).doesNotContain("jane");
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static int status(ReviewedAccess admission) {
        return switch (admission) {
            case ReviewedAccess.AccessGranted in -> 200;
            case ReviewedAccess.AccessRefused out -> out.reply().status();
        };
    }
}
