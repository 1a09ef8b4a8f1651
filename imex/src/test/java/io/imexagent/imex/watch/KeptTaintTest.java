package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.imex.health.ImexHealth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeptTaintTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant START = Healths.AT;
    private static final List<DeviceTaint> DOWN =
            List.of(new DeviceTaint("imex.nvidia.com/unhealthy", "domain-down", DeviceTaint.TaintEffect.NO_SCHEDULE));

    @TempDir
    private Path folder;

    private Path state;
    private Path file;

    @BeforeEach
    void stateIsMadeByTheFirstWrite() {
        state = folder.resolve("state");
        file = state.resolve("imex-taint");
    }

    private KeptTaint tainted() {
        var taint = new KeptTaint(state);
        taints(taint, Healths.down(), 0);
        assertThat(taints(taint, Healths.down(), 60)).isEqualTo(DOWN);
        return taint;
    }

    private static List<DeviceTaint> taints(KeptTaint taint, ImexHealth health, long second) {
        return taint.taints(Optional.of(health), MINUTE, START.plusSeconds(second));
    }

    @Test
    void aNewLifeBeginsWithTheTaintThatStood() throws IOException {
        tainted();
        assertThat(file).hasContent("domain-down");

        var next = new KeptTaint(state);

        assertThat(next.taints(Optional.empty(), MINUTE, START.plusSeconds(70))).isEqualTo(DOWN);
        assertThat(taints(next, Healths.unknown(), 80)).isEqualTo(DOWN);
        assertThat(taints(next, Healths.masked(), 90)).isEqualTo(DOWN);
    }

    @Test
    void itGoesInTheNewLifeWhenAllHasBeenWellForLongEnough() {
        tainted();
        var next = new KeptTaint(state);

        assertThat(taints(next, Healths.up(), 100)).isEqualTo(DOWN);
        assertThat(taints(next, Healths.up(), 159)).isEqualTo(DOWN);
        assertThat(taints(next, Healths.up(), 160)).isEmpty();
        assertThat(file).doesNotExist();
        assertThat(taints(new KeptTaint(state), Healths.unknown(), 161)).isEmpty();
    }

    @Test
    void aChangeThatIsPendingIsNoTaintYet() {
        var taint = new KeptTaint(state);
        taints(taint, Healths.down(), 0);
        taints(taint, Healths.down(), 59);

        assertThat(state).doesNotExist();
        assertThat(taints(new KeptTaint(state), Healths.down(), 60)).isEmpty();
    }

    @Test
    void anOperatorWhoWantsNoTaintEndsItsMemoryToo() {
        tainted();

        new KeptTaint(state).forget();

        assertThat(file).doesNotExist();
        assertThat(taints(new KeptTaint(state), Healths.unknown(), 70)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "Domain Down", "a b", "-x", "ä", "x\ny"})
    void aRecordThatIsNoTaintCountsForNothingAndIsMended(String content) throws IOException {
        Files.createDirectories(state);
        Files.writeString(file, content);

        assertThat(taints(new KeptTaint(state), Healths.unknown(), 0)).isEmpty();

        assertThat(file).doesNotExist();
    }

    @Test
    void aRecordThatIsLongerThanALabelCountsForNothing() throws IOException {
        Files.createDirectories(state);
        Files.writeString(file, "a".repeat(64));

        assertThat(taints(new KeptTaint(state), Healths.unknown(), 0)).isEmpty();
    }

    @Test
    void aTaintThatCannotBeRecordedHoldsAllTheSame() throws IOException {
        Files.writeString(state, "a file where the directory should be");
        var taint = new KeptTaint(state);
        taints(taint, Healths.down(), 0);

        assertThat(taints(taint, Healths.down(), 60)).isEqualTo(DOWN);
        assertThat(taints(taint, Healths.down(), 61)).isEqualTo(DOWN);
    }
}
