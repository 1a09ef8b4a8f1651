package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.core.refusal.RefusalCode.Retry;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.Refused;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kubelet side of the test plan and of the failure table in the design of host-managed IMEX, by their names. What shows
 * only from outside is in {@code HostManagedScenariosIT} of {@code e2e}.
 */
class HostManagedScenariosTest {

    @Test
    void kubeletResourceSliceOmitsDaemonDevice() {
        assertThat(ChannelPool.desired(NodeSpecimens.healthy(), NodeSpecimens.POLICY))
                .isEqualTo(new DesiredPool.Publish(
                        NodeSpecimens.NAME,
                        List.of(Device.channel(new ChannelId(0))
                                .with(
                                        "clique",
                                        new Device.DeviceAttribute.StringAttribute(NodeSpecimens.CLIQUE.text())))));
    }

    @Test
    void channelPrepareWritesASpecAndAnEntryAndNothingElse() {
        assertThat(new Situation().ready().effects())
                .hasExactlyElementsOfTypes(Effect.WriteCdi.class, Effect.RecordEntry.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"All", "foo"})
    void channelPrepareRejectsAllocationModeAllAndUnknownModes(String mode) {
        var situation = new Situation();
        situation.mode = mode;

        assertPermanent(situation, "allocationMode \"" + mode + "\"");
    }

    @Test
    void channelPrepareRejectsEmptyCliqueIdAsPermanentError() {
        var situation = new Situation();
        Fault.NO_CLIQUE.into(situation);

        assertPermanent(situation, "host-managed IMEX requires an NVLink clique on this node; NVML reports none");
    }

    @Test
    void daemonPrepareReturnsPermanentError() {
        var situation = new Situation();
        Fault.DAEMON_CLAIM.into(situation);

        assertPermanent(situation, "daemon claims are disabled under HostManagedIMEX");
    }

    @Test
    void unprepareSkipsNodeLabelAndStillRemovesCdiAndCheckpointState() {
        Ledger ledger = Ledger.empty(Optional.of(NodeSpecimens.BOOT)).with(ClaimSpecimens.completed(Situation.REF, 0));

        assertThat(Planning.unprepare(Situation.REF.uid(), ledger, NodeSpecimens.NOON))
                .containsExactly(
                        new Effect.RemoveCdi(Situation.REF.uid()), new Effect.ForgetEntry(Situation.REF.uid()));
    }

    @Test
    void oneComputeDomainOnePodPerNodeSeesChannelZero() {
        assertThat(new Situation().ready().entry().devices())
                .singleElement()
                .isInstanceOfSatisfying(PreparedDevice.Channel.class, channel -> {
                    assertThat(channel.id().path()).isEqualTo("/dev/nvidia-caps-imex-channels/channel0");
                    assertThat(channel.returned().cdiDeviceIds())
                            .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-train-channel-0");
                });
    }

    @Test
    void secondChannelClaimOnSameNodeIsRefusedByTheCheckpointAndMayBeRetried() {
        var situation = new Situation();
        Fault.CHANNEL_HELD.into(situation);

        Refusal refusal = situation.refusal();
        assertThat(refusal.message())
                .startsWith("channel 0 already allocated by claim uid-other (according to checkpoint)");
        assertThat(refusal.code().retry()).isEqualTo(Retry.WITHIN_CALL);
    }

    @Test
    void missingHostNodeOfChannelZeroDoesNotFailPrepare() {
        assertThat(NodeSpecimens.healthy().channelNode()).isInstanceOf(ChannelNode.AbsentNode.class);
        assertThat(new Situation().plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @ParameterizedTest
    @EnumSource
    void faultInjectedAtEveryPrepareStepIsRefused(Fault fault) {
        var situation = new Situation();
        fault.into(situation);

        assertThat(situation.refusal().code()).isEqualTo(fault.code);
    }

    /** A claim that is refused for what it says, for its ComputeDomain, its node and its channel. */
    @ParameterizedTest
    @EnumSource(names = {"ALLOCATION_MODE", "DOMAIN_NOT_FOUND", "NO_CLIQUE", "NO_CHANNEL_MAJOR", "CHANNEL_HELD"})
    void aRefusedClaimLeavesNothingOnTheNode(RefusalCode code, @TempDir Path folder) throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            List<ClaimUid> kept = new ArrayList<>();
            switch (code) {
                case ALLOCATION_MODE ->
                    node.claim(
                            "a",
                            DraSpecimens.status(DraSpecimens.channelConfig(DraSpecimens.DOMAIN, "All"), "channel-0"));
                case DOMAIN_NOT_FOUND -> node.domains.remove(DraSpecimens.DOMAIN);
                case NO_CLIQUE ->
                    node.inventory.set(
                            Inventories.with(node.inventory.current(), new CliqueState.NoClique("no fabric")));
                case NO_CHANNEL_MAJOR ->
                    node.inventory.set(
                            Inventories.with(node.inventory.current(), new ChannelMajor.UnregisteredMajor()));
                default -> {
                    ClaimRef first = node.claim("first");
                    assertThat(node.prepare(first)).isInstanceOf(Outcome.Accepted.class);
                    kept.add(first.uid());
                }
            }

            Outcome<Prepared> answer = node.begin(claim, Duration.ofMillis(200)).get(1, TimeUnit.MINUTES);

            assertThat(Refused.of(answer).code()).isEqualTo(code);
            assertThat(node.saved().entries().keySet()).containsExactlyElementsOf(kept);
            assertThat(node.specs.list()).hasSameSizeAs(kept);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC_REGISTERING", "NVML_SILENT"})
    void registeringFabricAndSilentNvmlAreRetryable(Fault fault) {
        var situation = new Situation();
        fault.into(situation);

        assertThat(situation.refusal().code().retry()).isEqualTo(Retry.WITHIN_CALL);
    }

    private static void assertPermanent(Situation situation, String text) {
        Refusal refusal = situation.refusal();
        assertThat(refusal.message()).contains(text);
        assertThat(refusal.code().retry()).isEqualTo(Retry.NEVER);
    }
}
