package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DesiredPoolTest {

    private static final ServingPolicy WITHHOLDING = NodeSpecimens.policy(NodeSpecimens.NAME, Isolation.NONE, true);
    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(128, 128);
    private static final Device CHOSEN_LATER = new Device(
            "channel",
            new TreeMap<>(Map.of(
                    "id",
                    new Device.DeviceAttribute.IntAttribute(-1),
                    "type",
                    new Device.DeviceAttribute.StringAttribute("channel"),
                    "clique",
                    new Device.DeviceAttribute.StringAttribute(NodeSpecimens.CLIQUE.text()))));
    private static final DesiredPool CHANNEL_0 =
            new DesiredPool.Publish(NodeSpecimens.NAME, List.of(inClique(Device.channel(new ChannelId(0)))));

    @Test
    void aDeviceHasItsTypeAndItsId() {
        assertThat(Device.channel(new ChannelId(0)))
                .isEqualTo(new Device(
                        "channel-0",
                        new TreeMap<>(Map.of(
                                "id",
                                new Device.DeviceAttribute.IntAttribute(0),
                                "type",
                                new Device.DeviceAttribute.StringAttribute("channel")))));
    }

    @Test
    void aHealthyNodePublishesChannelZero() {
        assertThat(ChannelPool.desired(NodeSpecimens.healthy(), NodeSpecimens.POLICY))
                .isEqualTo(CHANNEL_0);
        assertThat(ChannelPool.desired(NodeSpecimens.healthy(), WITHHOLDING)).isEqualTo(CHANNEL_0);
    }

    @ParameterizedTest
    @EnumSource
    void withAChannelForEachWorkloadOneDeviceStandsForAllWhichManyClaimsHold(Sharing sharing) {
        DesiredPool.Publish published = published(NodeSpecimens.healthy(), sharing);

        assertThat(published.devices()).containsExactly(CHOSEN_LATER.shared(true));
        assertThat(published.unshared())
                .containsExactly(
                        new Device("channel-place-0", CHOSEN_LATER.attributes()),
                        new Device("channel-place-1", CHOSEN_LATER.attributes()),
                        new Device("channel-place-2", CHOSEN_LATER.attributes()));
    }

    @ParameterizedTest
    @MethodSource("otherCliques")
    void aDeviceHasItsTypeAndItsIdAlsoWhereItsCliqueIsNotKnown(CliqueState clique) {
        var attributes = new TreeMap<>(CHOSEN_LATER.attributes());
        attributes.remove("clique");

        assertThat(published(NodeSpecimens.with(clique), Sharing.DOMAIN).devices())
                .containsExactly(new Device("channel", attributes).shared(true));
    }

    @Test
    void taintsGoToTheDeviceAndToThoseInItsPlace() {
        var taint = new Device.DeviceTaint("a", "", Device.DeviceTaint.TaintEffect.NO_SCHEDULE);

        DesiredPool.Publish tainted =
                published(NodeSpecimens.healthy(), Sharing.DOMAIN).tainted(List.of(taint));

        assertThat(tainted.devices()).hasSize(1).allMatch(Device::shared);
        assertThat(tainted.unshared()).hasSize(3).noneMatch(Device::shared);
        assertThat(Stream.concat(tainted.devices().stream(), tainted.unshared().stream()))
                .allSatisfy(device -> assertThat(device.taints()).containsExactly(taint));
    }

    @Test
    void channelZeroIsSharedWhereTheOperatorWantsThatAndNothingTakesItsPlace() {
        var shared = new ServingPolicy(
                NodeSpecimens.NAME, Isolation.NONE, LIMITS, Sharing.DOMAIN, 3, false, CliqueMissing.REFUSE);

        assertThat(ChannelPool.desired(NodeSpecimens.healthy(), shared))
                .isEqualTo(new DesiredPool.Publish(
                        NodeSpecimens.NAME,
                        List.of(inClique(Device.channel(new ChannelId(0)).shared(true)))));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2, 64, 2048})
    void anyChannelAboveZeroIsEnoughToPublish(int offered) {
        OptionalInt count = offered < 0 ? OptionalInt.empty() : OptionalInt.of(offered);

        assertThat(published(NodeSpecimens.offering(count), Sharing.DOMAIN).devices())
                .hasSize(1);
    }

    @Test
    void channelZeroIsPublishedHoweverFewChannelsTheDriverOffers() {
        assertThat(ChannelPool.desired(NodeSpecimens.offering(OptionalInt.of(1)), NodeSpecimens.POLICY))
                .isEqualTo(CHANNEL_0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aDriverWithNothingButChannelZeroHasNothingToPublish(int offered) {
        DesiredPool desired =
                ChannelPool.desired(NodeSpecimens.offering(OptionalInt.of(offered)), isolated(Sharing.DOMAIN));

        assertThat(desired).isInstanceOf(DesiredPool.Withdraw.class);
        assertThat(why(desired).code()).isEqualTo("nothing-published-no-channels");
        assertThat(why(desired).remedy()).contains("NVreg_ImexChannelCount");
    }

    private static DesiredPool.Publish published(NodeInventory node, Sharing sharing) {
        return switch (ChannelPool.desired(node, isolated(sharing))) {
            case DesiredPool.Publish publish -> publish;
            case DesiredPool.Withdraw withdraw -> throw new AssertionError("withdrawn: " + withdraw);
            case DesiredPool.Keep keep -> throw new AssertionError("kept: " + keep);
        };
    }

    private static Device inClique(Device device) {
        return device.with("clique", new Device.DeviceAttribute.StringAttribute(NodeSpecimens.CLIQUE.text()));
    }

    private static ServingPolicy isolated(Sharing sharing) {
        return new ServingPolicy(
                NodeSpecimens.NAME, Isolation.IMEX_CHANNEL, LIMITS, sharing, 3, false, CliqueMissing.REFUSE);
    }

    @ParameterizedTest
    @MethodSource("otherCliques")
    void withoutACliqueTheDeviceIsPublishedAndPrepareSaysWhy(CliqueState clique) {
        assertThat(ChannelPool.desired(NodeSpecimens.with(clique), NodeSpecimens.POLICY))
                .isEqualTo(new DesiredPool.Publish(NodeSpecimens.NAME, List.of(Device.channel(new ChannelId(0)))));
    }

    @ParameterizedTest
    @MethodSource("otherCliques")
    void aWithholdingPolicyTakesNothingAwayOnlyBecauseNvmlIsSilent(CliqueState clique) {
        DesiredPool desired = ChannelPool.desired(NodeSpecimens.with(clique), WITHHOLDING);

        assertThat(desired)
                .isInstanceOf(
                        clique instanceof CliqueState.UnknownClique
                                ? DesiredPool.Keep.class
                                : DesiredPool.Withdraw.class);
        assertThat(why(desired).severity()).isEqualTo(Severity.WARNING);
    }

    @ParameterizedTest
    @MethodSource("otherCliques")
    void aWithheldPublicationNamesTheStateThatItWaitsFor(CliqueState clique) {
        String message = why(ChannelPool.desired(NodeSpecimens.with(clique), WITHHOLDING))
                .message();

        assertThat(message)
                .contains(
                        switch (clique) {
                            case CliqueState.NoClique none -> "has no NVLink clique (" + none.reason() + ")";
                            case CliqueState.RegisteringClique registering ->
                                "has not finished its registration with the NVLink fabric (" + registering.detail()
                                        + ")";
                            case CliqueState.FailedClique failed ->
                                "could not register with the NVLink fabric (" + failed.detail() + ")";
                            case CliqueState.ConflictingClique conflicting ->
                                "different NVLink cliques (" + NodeSpecimens.CLIQUE.text() + ", ";
                            case CliqueState.UnknownClique unknown -> "is unknown (" + unknown.detail() + ")";
                            case CliqueState.KnownClique present -> throw new AssertionError(present);
                        });
    }

    @Test
    void withoutAMajorNothingIsPublishedAndAnErrorSaysSo() {
        DesiredPool desired =
                ChannelPool.desired(NodeSpecimens.with(new ChannelMajor.UnregisteredMajor()), NodeSpecimens.POLICY);

        assertThat(desired).isInstanceOf(DesiredPool.Withdraw.class);
        assertThat(why(desired).severity()).isEqualTo(Severity.CRITICAL);
        assertThat(why(desired).code()).isEqualTo("nothing-published-no-major");
    }

    @Test
    void aMajorThatCouldNotBeReadLeavesPublicationAsItIs() {
        DesiredPool desired = ChannelPool.desired(
                NodeSpecimens.with(new ChannelMajor.UnknownMajor("no such file")), NodeSpecimens.POLICY);

        assertThat(desired).isInstanceOf(DesiredPool.Keep.class);
        assertThat(why(desired).message()).contains("no such file");
    }

    @Test
    void everyFindingHasACodeForALabelAndARemedy() {
        Stream.concat(
                        otherCliques().map(clique -> ChannelPool.desired(NodeSpecimens.with(clique), WITHHOLDING)),
                        Stream.of(new ChannelMajor.UnregisteredMajor(), new ChannelMajor.UnknownMajor("why"))
                                .map(major -> ChannelPool.desired(NodeSpecimens.with(major), NodeSpecimens.POLICY)))
                .map(DesiredPoolTest::why)
                .forEach(finding -> {
                    assertThat(finding.code()).matches("[a-z]+(-[a-z]+)*");
                    assertThat(finding.message()).isNotBlank();
                    assertThat(finding.remedy()).isNotBlank();
                });
    }

    private static Stream<CliqueState> otherCliques() {
        return Stream.of(
                new CliqueState.NoClique("no GPU"),
                new CliqueState.RegisteringClique("GPU 0"),
                new CliqueState.FailedClique("GPU 0"),
                new CliqueState.ConflictingClique(
                        new TreeSet<>(List.of(NodeSpecimens.CLIQUE, new CliqueId(NodeSpecimens.CLIQUE.text() + "2")))),
                new CliqueState.UnknownClique("no answer in time"));
    }

    private static Finding why(DesiredPool desired) {
        return switch (desired) {
            case DesiredPool.Withdraw withdraw -> withdraw.why();
            case DesiredPool.Keep keep -> keep.why();
            case DesiredPool.Publish publish -> throw new AssertionError("published: " + publish);
        };
    }
}
