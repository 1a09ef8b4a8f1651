package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.dra.driver.FakeNodes;
import io.imexagent.dra.driver.FakeSlices;
import io.imexagent.dra.driver.RecordingPublicationObserver;
import io.imexagent.dra.driver.SkippingSignal;
import io.imexagent.dra.driver.SlicePublisher;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.driver.StoredForms;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlicePublisherTest {

    private static final String NODE = "node-1";
    private static final String UID = "uid-1";
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final Device CHANNEL_0 = Device.channel(new ChannelId(0))
            .with("clique", new Device.DeviceAttribute.StringAttribute(Inventories.CLIQUE.text()));
    private static final Device.DeviceTaint TAINT = new Device.DeviceTaint(
            "imex.nvidia.com/unhealthy", "domain-down", Device.DeviceTaint.TaintEffect.NO_SCHEDULE);
    private static final PoolSlice WANTED = new PoolSlice(NODE, 1, 1, List.of(CHANNEL_0));
    private static final PublicationState PUBLISHED = new PublicationState.PublicationDone(1, NOW);

    private final FakeSlices slices = new FakeSlices();
    private final FakeNodes nodes = new FakeNodes().with(NODE, UID, Map.of());
    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final RecordingPublicationObserver observer = new RecordingPublicationObserver();
    private final SkippingSignal signal = new SkippingSignal();
    private volatile ServingPolicy policy = NodeSpecimens.policy(NODE, Isolation.NONE, false);
    private volatile Optional<List<Device.DeviceTaint>> taints = Optional.empty();
    private final SlicePublisher publisher = new SlicePublisher(
            slices,
            nodes,
            NODE,
            () -> ChannelPool.desired(inventory.current(), policy, taints),
            listener -> inventory.onChange(changed -> listener.run()),
            observer,
            Clock.fixed(NOW, ZoneOffset.UTC),
            () -> 1,
            signal);

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void publishesChannel0OwnedByTheNode() throws Exception {
        assertThat(publisher.state()).isInstanceOf(PublicationState.PublicationPending.class);

        startAndPublish();

        assertThat(slices.contents()).containsExactly(WANTED);
        assertThat(slices.owners()).containsExactly(UID);
        assertThat(observer.actions()).containsExactly("create");
        assertThat(observer.failures()).isEmpty();
    }

    @Test
    void taintsDevicesWhenItIsWokenAndTakesTheTaintsAway() throws Exception {
        startAndPublish();
        Device tainted = CHANNEL_0.tainted(List.of(TAINT));

        taints = Optional.of(List.of(TAINT));
        publisher.wake();
        Eventually.holds(
                "the device is tainted",
                () -> slices.contents().equals(List.of(new PoolSlice(NODE, 2, 1, List.of(tainted)))));

        taints = Optional.of(List.of());
        publisher.wake();
        Eventually.holds(
                "the taint is gone",
                () -> slices.contents().equals(List.of(new PoolSlice(NODE, 3, 1, List.of(CHANNEL_0)))));
    }

    @Test
    void publishesOneDeviceForTheChannelsOfAllWorkloadsAlsoWithTaints() throws Exception {
        policy = NodeSpecimens.policy(NODE, Isolation.IMEX_CHANNEL, false);
        startAndPublish();
        assertThat(names()).containsExactly("channel");

        taints = Optional.of(List.of(TAINT));
        publisher.wake();
        Eventually.holds("the device is tainted", () -> devices().stream().allMatch(SlicePublisherTest::isTainted));

        assertThat(names()).containsExactly("channel");
        assertThat(devices()).allMatch(Device::shared);
    }

    @Test
    void aClusterThatKnowsNoSharingIsAskedOnceAndGetsPlacesInItsStead() throws Exception {
        policy = NodeSpecimens.policy(NODE, Isolation.IMEX_CHANNEL, false);
        slices.drop("sharing");
        publisher.start();
        awaitState(new PublicationState.PublicationDone(8, NOW));

        assertThat(names())
                .containsExactlyElementsOf(IntStream.range(0, 8)
                        .mapToObj(place -> "channel-place-" + place)
                        .toList());
        assertThat(devices()).noneMatch(Device::shared);
        assertThat(observer.actions()).containsExactly("create", "replace");

        lookAgain(publisher::wake);
        slices.wipe();
        Eventually.holds("the places are back", () -> names().size() == 8);
        Eventually.holds("that is observed", () -> observer.actions().size() > 2);

        assertThat(observer.actions())
                .as("the device for all is not tried again")
                .containsExactly("create", "replace", "create");
        assertThat(slices.asked())
                .filteredOn(asked -> asked.devices().stream().anyMatch(Device::shared))
                .hasSize(1);
    }

    @Test
    void placesWaitForNoWatch() throws Exception {
        policy = NodeSpecimens.policy(NODE, Isolation.IMEX_CHANNEL, false);
        slices.drop("sharing");
        slices.silence();

        publisher.start();

        awaitState(new PublicationState.PublicationDone(8, NOW));
        assertThat(signal.pauses()).isEmpty();
    }

    @Test
    void placesAreTaintedTooAndComeInSlicesThatMayHaveTaints() throws Exception {
        policy = new ServingPolicy(
                NODE,
                Isolation.IMEX_CHANNEL,
                new ChannelTable.Limits(128, 128),
                Sharing.DOMAIN,
                65,
                false,
                CliqueMissing.REFUSE);
        slices.drop("sharing");
        publisher.start();
        awaitState(new PublicationState.PublicationDone(65, NOW));

        taints = Optional.of(List.of(TAINT));
        publisher.wake();

        Eventually.holds(
                "all places are tainted",
                () -> devices().size() == 65 && devices().stream().allMatch(SlicePublisherTest::isTainted));
        assertThat(slices.contents())
                .hasSize(2)
                .allSatisfy(slice -> assertThat(slice.devices()).hasSizeLessThanOrEqualTo(64));
    }

    @Test
    void aClusterThatKnowsNoSharingHasChannelZeroForOneClaimAndIsAskedOnce() throws Exception {
        policy = new ServingPolicy(
                NODE,
                Isolation.NONE,
                new ChannelTable.Limits(128, 128),
                Sharing.DOMAIN,
                8,
                false,
                CliqueMissing.REFUSE);
        slices.drop("sharing");
        startAndPublish();

        lookAgain(publisher::wake);
        lookAgain(publisher::wake);

        assertThat(observer.actions()).containsExactly("create");
        assertThat(slices.contents()).containsExactly(WANTED);
        assertThat(slices.asked().getFirst().devices()).allMatch(Device::shared);
    }

    @Test
    void needsNoWatchForTheFirstSlice() throws Exception {
        slices.silence();

        startAndPublish();

        assertThat(slices.calls()).containsExactly("list", "create");
        assertThat(nodes.gets()).isEqualTo(1);
    }

    @Test
    void leavesRightSlicesOfBeforeAsTheyAre() throws Exception {
        slices.put("from-before", UID, new PoolSlice(NODE, 7, 1, List.of(CHANNEL_0)));

        startAndPublish();

        assertThat(slices.names()).containsExactly("from-before");
        assertThat(observer.actions()).isEmpty();
    }

    @Test
    void restoresAtOnceWhatTheKubeletWiped() throws Exception {
        startAndPublish();

        slices.wipe();

        Eventually.holds("the slice is back", () -> !slices.contents().isEmpty());
        assertThat(slices.contents()).containsExactly(WANTED);
        assertThat(signal.pauses()).isEmpty();
    }

    @Test
    void repairsWhatSomebodyElseChanged() throws Exception {
        startAndPublish();
        String name = slices.names().getFirst();

        slices.put(name, UID, new PoolSlice(NODE, 1, 1, List.of(Device.channel(new ChannelId(5)))));

        Eventually.holds(
                "the devices are right again",
                () -> slices.contents().equals(List.of(new PoolSlice(NODE, 2, 1, List.of(CHANNEL_0)))));
        assertThat(slices.names()).containsExactly(name);
    }

    @Test
    void removesSlicesThatAreTooMany() throws Exception {
        startAndPublish();

        slices.put("surplus", UID, new PoolSlice("another-pool", 1, 1, List.of(CHANNEL_0)));

        Eventually.holds("the surplus is gone", () -> !slices.names().contains("surplus"));
        assertThat(slices.contents()).containsExactly(WANTED);
    }

    @Test
    void givesChangedContentANewGeneration() throws Exception {
        var daemon = new Device(
                "compute-domain-daemon-0",
                new TreeMap<>(Map.of("type", new Device.DeviceAttribute.StringAttribute("daemon"))));
        slices.put("of-the-public-driver", UID, new PoolSlice(NODE, 3, 1, List.of(CHANNEL_0, daemon)));

        startAndPublish();

        assertThat(slices.contents()).containsExactly(new PoolSlice(NODE, 4, 1, List.of(CHANNEL_0)));
    }

    @Test
    void publishesNothingWithoutAMajorAndFollowsOneThatAppears() throws Exception {
        inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));
        publisher.start();
        awaitWithheld("nothing-published-no-major");
        assertThat(slices.contents()).isEmpty();

        inventory.set(Inventories.gb200());

        awaitState(PUBLISHED);
        assertThat(slices.contents()).containsExactly(WANTED);
    }

    @Test
    void withdrawsWhatItPublishedWhenTheMajorGoes() throws Exception {
        startAndPublish();

        inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));

        awaitWithheld("nothing-published-no-major");
        assertThat(slices.contents()).isEmpty();
    }

    @Test
    void keepsWhatItPublishedWhileNobodyCanTellTheMajor() throws Exception {
        startAndPublish();

        inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnknownMajor("hidden")));
        lookAgain(publisher::wake);

        assertThat(slices.contents()).containsExactly(WANTED);
        assertThat(publisher.state()).isEqualTo(PUBLISHED);
    }

    @Test
    void saysSoWhenNothingIsPublishedAndNobodyCanTellTheMajor() throws Exception {
        inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnknownMajor("hidden")));

        publisher.start();

        awaitWithheld("publication-unknown-major");
        assertThat(slices.contents()).isEmpty();
    }

    @Test
    void publishesWithoutACliqueSoThatPrepareCanSayWhy() throws Exception {
        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")));

        startAndPublish();

        assertThat(slices.contents())
                .containsExactly(new PoolSlice(NODE, 1, 1, List.of(Device.channel(new ChannelId(0)))));
    }

    @Test
    void withholdsWithoutACliqueWhereThePolicyAsksForIt() throws Exception {
        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")));
        startAndPublish();

        policy = NodeSpecimens.policy(NODE, Isolation.NONE, true);
        publisher.wake();
        awaitWithheld("nothing-published-no-clique");
        assertThat(slices.contents()).isEmpty();

        inventory.set(Inventories.gb200());
        awaitState(PUBLISHED);
    }

    @ParameterizedTest
    @EnumSource(ApiFailure.FailureKind.class)
    void triesAgainAfterEveryKindOfFailure(ApiFailure.FailureKind kind) throws Exception {
        slices.fail(FakeSlices.failure(kind), 3);

        startAndPublish();

        assertThat(observer.failures()).containsExactly(kind, kind, kind);
        assertThat(signal.pauses())
                .containsExactly(Duration.ofMillis(500), Duration.ofMillis(1000), Duration.ofMillis(2000));
        assertThat(slices.contents()).containsExactly(WANTED);
    }

    @Test
    void tellsSinceWhenItFails() throws Exception {
        slices.fail(FakeSlices.failure(ApiFailure.FailureKind.FORBIDDEN), Integer.MAX_VALUE >> 16);

        publisher.start();

        awaitState(new PublicationState.PublicationFailing(FakeSlices.failure(ApiFailure.FailureKind.FORBIDDEN), NOW));
    }

    @Test
    void triesAgainWhenTheNodeCannotBeRead() throws Exception {
        nodes.fail(FakeSlices.failure(ApiFailure.FailureKind.UNREACHABLE), 2);

        startAndPublish();

        assertThat(signal.pauses()).containsExactly(Duration.ofMillis(500), Duration.ofMillis(1000));
    }

    @Test
    void goesOnAfterADefect() throws Exception {
        slices.fail(new IllegalStateException("a defect of the client"), 1);

        startAndPublish();

        assertThat(observer.failures()).containsExactly(ApiFailure.FailureKind.UNREADABLE);
    }

    @Test
    void waitsForTheKubeletToRegisterTheNode() throws Exception {
        var unborn = new FakeNodes();
        var waiting = new SlicePublisher(
                slices,
                unborn,
                NODE,
                () -> ChannelPool.desired(inventory.current(), policy, taints),
                listener -> inventory.onChange(changed -> listener.run()),
                observer,
                Clock.fixed(NOW, ZoneOffset.UTC),
                () -> 1,
                signal);
        try (waiting) {
            waiting.start();
            Eventually.holds("the node is missed twice", () -> unborn.gets() > 2);
            assertThat(waiting.state())
                    .isInstanceOfSatisfying(
                            PublicationState.PublicationPending.class,
                            pending -> assertThat(pending.waitingFor()).contains("register node node-1"));
            assertThat(slices.calls()).isEmpty();

            unborn.with(NODE, "uid-late", Map.of());

            Eventually.holds("the devices are published", () -> waiting.state().equals(PUBLISHED));
            assertThat(slices.owners()).containsExactly("uid-late");
            assertThat(signal.pauses()).containsOnly(Duration.ofSeconds(5));
        }
    }

    @Test
    void followsANodeObjectThatWasReplaced() throws Exception {
        startAndPublish();
        nodes.with(NODE, "uid-2", Map.of());

        slices.wipe();

        Eventually.holds("the slice is back", () -> slices.owners().equals(List.of("uid-2")));
        Eventually.holds(
                "one watch is left", () -> slices.watchedFor().equals(List.of(new Slices.NodeRef(NODE, "uid-2"))));
    }

    @Test
    void makesNoSecondSliceFromAWatchThatLags() throws Exception {
        slices.lag();
        startAndPublish();

        for (int i = 0; i < 5; i++) {
            lookAgain(publisher::wake);
        }

        assertThat(slices.contents()).containsExactly(WANTED);
        assertThat(slices.calls()).containsOnlyOnce("create");
    }

    @Test
    void asksNothingAtRestHoweverOftenItIsWoken() throws Exception {
        startAndPublish();
        lookAgain(publisher::wake);
        List<String> calls = slices.calls();
        int gets = nodes.gets();

        for (int i = 0; i < 5; i++) {
            lookAgain(publisher::wake);
        }

        assertThat(slices.calls()).isEqualTo(calls);
        assertThat(nodes.gets()).isEqualTo(gets);
        assertThat(signal.pauses()).as("it waits for a ring, not for a time").isEmpty();
    }

    @Test
    void restoresWhatItsWatchTellsLate() throws Exception {
        startAndPublish();
        slices.silence();
        slices.wipe();
        lookAgain(publisher::wake);
        assertThat(slices.contents()).as("nobody knows").isEmpty();

        slices.speak();

        Eventually.holds("the slice is back", () -> slices.contents().equals(List.of(WANTED)));
    }

    @Test
    void doesNotLoopWhenTheServerDropsFields() throws Exception {
        slices.drop("id");
        startAndPublish();

        for (int i = 0; i < 5; i++) {
            lookAgain(signal::elapse);
        }

        assertThat(observer.actions()).containsExactly("create");
        assertThat(slices.contents().getFirst().devices().getFirst().attributes())
                .containsOnlyKeys("clique", "type");
    }

    @Test
    void asksForTheWholeDeviceAgainAlsoWhereFieldsWereDropped() throws Exception {
        slices.drop("id");
        startAndPublish();

        slices.wipe();

        Eventually.holds("the slice is back", () -> slices.count("create") == 2);
        assertThat(slices.asked()).containsExactly(WANTED, WANTED);
    }

    @Test
    void leavesItsSlicesAndEndsItsWatchWhenItCloses() throws Exception {
        startAndPublish();

        publisher.close();

        Eventually.holds("the watch has ended", () -> slices.watchedFor().isEmpty());
        assertThat(slices.contents()).containsExactly(WANTED);
    }

    @Test
    void aPoolWithTaintsKeepsItsCutAlsoWhereTheServerDropsThem() {
        Device tainted = CHANNEL_0.tainted(
                List.of(new Device.DeviceTaint("example.com/broken", "", Device.DeviceTaint.TaintEffect.NO_SCHEDULE)));
        var wanted = new DesiredPool.Publish(NODE, List.of(tainted));
        var forms = new StoredForms();

        forms.learn(new PoolSlice(NODE, 1, 1, List.of(tainted)), WANTED);

        assertThat(forms.stored(wanted))
                .isEqualTo(new DesiredPool.Publish(NODE, List.of(CHANNEL_0), Device.MOST_PER_TAINTED_SLICE, List.of()));
    }

    private List<Device> devices() {
        return slices.contents().stream()
                .flatMap(slice -> slice.devices().stream())
                .toList();
    }

    private List<String> names() {
        return devices().stream().map(Device::name).toList();
    }

    private static boolean isTainted(Device device) {
        return device.taints().equals(List.of(TAINT));
    }

    private void startAndPublish() throws InterruptedException {
        publisher.start();
        awaitState(PUBLISHED);
    }

    /** Wakes the publisher and waits until it finds nothing more to do. */
    private void lookAgain(Runnable wake) throws InterruptedException {
        int before = signal.idles();
        wake.run();
        Eventually.holds("the publisher has looked again", () -> signal.idles() > before);
    }

    private void awaitState(PublicationState state) throws InterruptedException {
        Eventually.holds("state " + state, () -> publisher.state().equals(state));
    }

    private void awaitWithheld(String code) throws InterruptedException {
        Eventually.holds(
                "withheld with " + code,
                () -> publisher.state() instanceof PublicationState.PublicationWithheld withheld
                        && withheld.why().code().equals(code));
    }
}
