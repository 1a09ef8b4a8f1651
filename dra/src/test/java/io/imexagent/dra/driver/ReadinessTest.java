package io.imexagent.dra.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReadinessTest {

    private static final Instant AT = Instant.parse("2026-11-21T05:46:49Z");

    @Test
    void isRegisteredOnceTheKubeletSaysSo() {
        assertThat(new RegistrationState.RegistrationPending().condition().holds())
                .isFalse();
        assertThat(new RegistrationState.RegistrationDone(AT).condition().holds())
                .isTrue();
    }

    @Test
    void tellsWhyTheKubeletRejected() {
        assertThat(new RegistrationState.RegistrationRejected("no such version", AT).condition())
                .satisfies(condition -> assertThat(condition.holds()).isFalse())
                .satisfies(condition -> assertThat(condition.detail()).contains("no such version"));
    }

    @Test
    void isPublishedOnlyWhileTheServerHasTheDevices() {
        var finding = new Finding("nothing-published-no-major", Severity.CRITICAL, "no major", "load the driver");
        var failure = new ApiFailure(ApiFailure.FailureKind.FORBIDDEN, "a rule is missing", Optional.empty());

        assertThat(new PublicationState.PublicationDone(1, AT).condition().holds())
                .isTrue();
        assertThat(new PublicationState.PublicationPending("the node")
                        .condition()
                        .detail())
                .contains("the node");
        assertThat(new PublicationState.PublicationWithheld(finding).condition().detail())
                .isEqualTo("no major");
        assertThat(new PublicationState.PublicationFailing(failure, AT)
                        .condition()
                        .detail())
                .contains("a rule is missing");
    }
}
