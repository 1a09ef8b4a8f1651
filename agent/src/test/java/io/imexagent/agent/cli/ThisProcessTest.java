package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThisProcessTest {

    @Test
    void runsInAPodWhereTheKubeletNamesTheApiServer() {
        assertThat(process(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")).inPod())
                .isTrue();
        assertThat(process(Map.of()).inPod()).isFalse();
    }

    private static ThisProcess process(Map<String, String> environment) {
        return new ThisProcess(
                "1", "abc", environment, Clock.systemUTC(), System::nanoTime, Math::random, EffectListener.NONE);
    }
}
