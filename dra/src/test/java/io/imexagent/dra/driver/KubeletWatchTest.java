package io.imexagent.dra.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.RegistrationState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KubeletWatchTest {

    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    private final List<String> told = new ArrayList<>();
    private int came;
    private final DraObserver watch = new KubeletWatch(
            new DraObserver() {
                @Override
                public void connectionRefused() {
                    told.add("refused");
                }

                @Override
                public void registration(RegistrationState state) {
                    told.add(state.label());
                }

                @Override
                public void socketRestored() {
                    told.add("restored");
                }

                @Override
                public void healthStreams(int open) {
                    told.add("streams " + open);
                }
            },
            () -> came++);

    @Test
    void aKubeletThatRegistersThePluginHasCome() {
        watch.registration(new RegistrationState.Registered(NOW));

        assertThat(came).isEqualTo(1);
        assertThat(told).containsExactly("registered");
    }

    @Test
    void aDirectoryThatWasReplacedIsAKubeletsWork() {
        watch.socketRestored();

        assertThat(came).isEqualTo(1);
        assertThat(told).containsExactly("restored");
    }

    @Test
    void everythingElseIsPassedOn() {
        watch.registration(new RegistrationState.NotYet());
        watch.registration(new RegistrationState.Rejected("no", NOW));
        watch.connectionRefused();
        watch.healthStreams(2);

        assertThat(came).isZero();
        assertThat(told).containsExactly("not_yet", "rejected", "refused", "streams 2");
    }
}
