package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.Configs;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.KubeletStates;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.recovery.ClaimPresence;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.PreparePlanner;
import io.imexagent.kubernetes.DriverNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimForgetterTest {

    private static final KubeletClaims UNKNOWN_TO_KUBELET = new KubeletClaims.NoKubeletClaims();

    private static final ClaimEntry.Completed LEFT = DraSpecimens.completed(DraSpecimens.ref("left"), 0);
    private static final ClaimEntry.Completed KEPT = DraSpecimens.completed(DraSpecimens.ref("kept"), 1);

    private static final ClaimRecords.RecordedDriver CHANNELS =
            new ClaimRecords.RecordedDriver(DriverNames.DRIVER, CheckpointFormat.PUBLIC_DRIVER, ChannelRules.KIND);

    @TempDir
    Path folder;

    private AgentConfig config;
    private FileCheckpointStore store;
    private CdiDirectory specs;

    @BeforeEach
    void prepare() throws IOException {
        config = Configs.under(folder, true);
        store = new FileCheckpointStore(
                config.kubelet().plugin(DriverNames.DRIVER),
                CheckpointFormat.PUBLIC_DRIVER,
                Clock.systemUTC(),
                FileSteps.ALL_PASS);
        specs = new CdiDirectory(folder.resolve("cdi"), ChannelRules.KIND);
        store.save(Ledger.empty(Optional.empty()).with(LEFT).with(KEPT));
        for (ClaimEntry.Completed claim : List.of(LEFT, KEPT)) {
            specs.ensure(claim.uid(), PreparePlanner.edits(claim.uid(), List.of(new ChannelId(0)), 239));
        }
    }

    @Test
    void leavesNothingOfTheClaimAndALineWithWhoItWas() throws Exception {
        String line = forgetter(Map.of("SUDO_USER", "ada")).forget(CHANNELS, LEFT, UNKNOWN_TO_KUBELET);

        assertThat(recorded()).containsExactly(KEPT);
        assertThat(specs.list()).containsExactly(KEPT.uid());
        assertThat(line)
                .matches("claim forgotten claim=team/left uid=uid-left driver=compute-domain.nvidia.com"
                        + " by=ada as uid:\\d+");
    }

    @Test
    void aRunningAgentTakesItOver() throws Exception {
        try (var lock =
                new PluginLock(config.kubelet().plugin(DriverNames.DRIVER).resolve(ClaimHost.LOCK))) {
            var running = new PreparedClaims(
                    store, ClaimGuard.NONE, specs, lock, Duration.ofSeconds(10), EffectListener.NONE);
            running.opening(session -> {
                session.open(Ledger.empty(Optional.empty()).with(LEFT).with(KEPT));
                return true;
            });
            List<Ledger> heard = new ArrayList<>();
            running.onChange(heard::add);

            forgetter(Map.of()).forget(CHANNELS, LEFT, UNKNOWN_TO_KUBELET);

            List<ClaimEntry.Completed> seen =
                    running.locked(session -> session.ledger().completed());
            assertThat(seen).containsExactly(KEPT);
            assertThat(heard).hasSize(1);
        }
    }

    @Test
    void aClaimThatIsAnotherThanWasShownStays() throws IOException {
        assertThatThrownBy(() -> forgetter(Map.of())
                        .forget(CHANNELS, DraSpecimens.completed(DraSpecimens.ref("left"), 5), UNKNOWN_TO_KUBELET))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has changed meanwhile");

        assertNothingHappened();
    }

    @Test
    void aClaimThatTheKubeletHasComeToHaveStays() throws IOException {
        KubeletStates.write(folder.resolve("kubelet"), LEFT.uid().value());

        assertThatThrownBy(() -> forgetter(Map.of()).forget(CHANNELS, LEFT, UNKNOWN_TO_KUBELET))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has changed meanwhile");

        assertNothingHappened();
    }

    @Test
    void aClaimOfWhichTheKubeletDoesNotTellAnyMoreStays() throws IOException {
        Files.writeString(folder.resolve("kubelet").resolve(KubeletClaims.FILE), "foreign");

        assertThatThrownBy(() -> forgetter(Map.of()).forget(CHANNELS, LEFT, UNKNOWN_TO_KUBELET))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has changed meanwhile");

        assertNothingHappened();
    }

    @Test
    void aBrokenRecordIsLeftToTheAgent() throws IOException {
        Files.writeString(store.file(), "{");

        assertThatThrownBy(() -> forgetter(Map.of()).forget(CHANNELS, LEFT, UNKNOWN_TO_KUBELET))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is missing or broken; start imex-agent");

        assertThat(store.file()).hasContent("{");
    }

    @Test
    void asksApiServerAndKubelet() throws IOException {
        KubeletStates.write(folder.resolve("kubelet"), "other");

        assertThat(forgetter(Map.of()).askServer(LEFT))
                .as("there is no kubeconfig")
                .isInstanceOf(ClaimPresence.PresenceUnknown.class);
        assertThat(forgetter(Map.of()).askKubelet()).isInstanceOf(KubeletClaims.NamedKubeletClaims.class);
    }

    private void assertNothingHappened() throws IOException {
        assertThat(recorded()).hasSize(2);
        assertThat(specs.file(LEFT.uid())).exists();
    }

    private List<ClaimEntry.Completed> recorded() throws IOException {
        return CheckpointReader.read(store.file(), CheckpointFormat.PUBLIC_DRIVER)
                .orElseThrow()
                .ledger()
                .completed();
    }

    private ClaimForgetter forgetter(Map<String, String> environment) {
        return new ClaimForgetter(
                config, new ThisProcess("1", "abc", environment, Clock.systemUTC(), System::nanoTime, () -> 0.5));
    }
}
