package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.dra.driver.FakeNodes;
import io.imexagent.dra.driver.FakeSlices;
import io.imexagent.dra.driver.RecordingPublicationObserver;
import io.imexagent.dra.driver.SkippingSignal;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CliqueLabelTest {

    private static final String NODE = "node-1";
    private static final String LABEL = "nvidia.com/gpu.clique";
    private static final CliqueId OTHER = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");

    private final FakeNodes nodes = new FakeNodes().with(NODE, "uid-1", Map.of("zone", "a"));
    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final RecordingPublicationObserver observer = new RecordingPublicationObserver();
    private final SkippingSignal signal = new SkippingSignal();
    private volatile boolean wanted = true;
    private final CliqueLabel label = new CliqueLabel(nodes, NODE, inventory, () -> wanted, observer, () -> 1, signal);

    @AfterEach
    void close() {
        label.close();
    }

    @Test
    void setsTheLabelBesideTheOthers() throws Exception {
        label.start();

        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        assertThat(nodes.labels(NODE)).containsEntry("zone", "a");
        assertThat(observer.actions()).containsExactly("label");
    }

    @Test
    void followsACliqueThatChanges() throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));

        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.KnownClique(OTHER)));

        awaitLabel(Optional.of(OTHER.text()));
    }

    static List<CliqueState> withoutClique() {
        return List.of(
                new CliqueState.NoClique("no GPU"),
                new CliqueState.ConflictingClique(new TreeSet<>(List.of(OTHER, Inventories.CLIQUE))));
    }

    @ParameterizedTest
    @MethodSource("withoutClique")
    void removesTheLabelOfANodeThatHasNoClique(CliqueState clique) throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));

        inventory.set(Inventories.with(Inventories.gb200(), clique));

        awaitLabel(Optional.empty());
        assertThat(nodes.labels(NODE)).containsEntry("zone", "a");
    }

    static List<CliqueState> undecided() {
        return List.of(
                new CliqueState.UnknownClique("NVML has not been read yet"),
                new CliqueState.RegisteringClique("GPU 0: in_progress"),
                new CliqueState.FailedClique("GPU 0: registration ended with UNKNOWN"));
    }

    @ParameterizedTest
    @MethodSource("undecided")
    void leavesTheLabelWhileNobodyCanTell(CliqueState clique) throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        int before = signal.idles();

        inventory.set(Inventories.with(Inventories.gb200(), clique));

        Eventually.holds("the loop has looked again", () -> signal.idles() > before);
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        assertThat(nodes.changes()).isEqualTo(1);
    }

    @Test
    void bringsBackALabelThatSomebodyRemoved() throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        nodes.with(NODE, "uid-1", Map.of());

        signal.elapse();

        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
    }

    @Test
    void waitsForTheKubeletToRegisterTheNode() throws Exception {
        var unborn = new FakeNodes();
        try (var waiting = new CliqueLabel(unborn, NODE, inventory, () -> wanted, observer, () -> 1, signal)) {
            waiting.start();
            Eventually.holds("the node is missed twice", () -> unborn.gets() > 2);

            unborn.with(NODE, "uid-1", Map.of());

            Eventually.holds("the label is set", () -> unborn.labels(NODE).containsKey(LABEL));
            assertThat(signal.pauses()).containsOnly(Duration.ofSeconds(5));
        }
    }

    @Test
    void takesTheLabelBackWhenItIsNoLongerWanted() throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));

        wanted = false;
        label.wake();

        awaitLabel(Optional.empty());
        assertThat(nodes.labels(NODE)).containsEntry("zone", "a");

        wanted = true;
        label.wake();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
    }

    @Test
    void asksForNoNodeWhileTheLabelIsNotWanted() throws Exception {
        wanted = false;

        label.start();

        Eventually.holds("the loop rests", () -> signal.idles() > 0);
        assertThat(nodes.gets()).isZero();
    }

    @Test
    void leavesALabelThatItFoundToWhoeverSetIt() throws Exception {
        nodes.with(NODE, "uid-1", Map.of(LABEL, Inventories.CLIQUE.text()));
        label.start();
        Eventually.holds("the loop rests", () -> signal.idles() > 0);

        wanted = false;
        int before = signal.idles();
        label.wake();

        Eventually.holds("the loop has looked again", () -> signal.idles() > before);
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        assertThat(nodes.changes()).isZero();
    }

    @Test
    void leavesALabelThatSomebodyElseHasChangedSince() throws Exception {
        label.start();
        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        nodes.with(NODE, "uid-1", Map.of(LABEL, "theirs.1"));

        wanted = false;
        int before = signal.idles();
        label.wake();

        Eventually.holds("the loop has looked again", () -> signal.idles() > before);
        awaitLabel(Optional.of("theirs.1"));
    }

    @Test
    void triesAgainAfterAFailure() throws Exception {
        nodes.fail(FakeSlices.failure(ApiFailure.FailureKind.FORBIDDEN), 2);

        label.start();

        awaitLabel(Optional.of(Inventories.CLIQUE.text()));
        assertThat(observer.failures())
                .containsExactly(ApiFailure.FailureKind.FORBIDDEN, ApiFailure.FailureKind.FORBIDDEN);
        assertThat(signal.pauses()).containsExactly(Duration.ofMillis(500), Duration.ofMillis(1000));
    }

    private void awaitLabel(Optional<String> value) throws InterruptedException {
        Eventually.holds(
                "label " + value,
                () -> Optional.ofNullable(nodes.labels(NODE).get(LABEL)).equals(value));
    }
}
