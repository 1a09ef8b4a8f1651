package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode.Retry;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ComputeDomains;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet side of the test plan and of the failure table in the design of host-managed IMEX, by their names. */
class HostManagedScenariosTest {

    @Test
    void kubeletResourceSliceOmitsDaemonDevice() {
        assertThat(ChannelPool.desired(NodeSpecimens.healthy(), NodeSpecimens.POLICY))
                .isEqualTo(new DesiredPool.Publish(NodeSpecimens.NAME, List.of(Device.channel(new ChannelId(0)))));
    }

    @Test
    void channelPrepareSkipsNodeLabelAndDomainReadiness() {
        assertThat(new Situation().ready().effects())
                .extracting(effect -> effect.getClass().getSimpleName())
                .containsExactly("WriteCdi", "RecordEntry");
        assertThat(components(ComputeDomains.DomainRef.class))
                .as("neither readiness nor nodes")
                .containsExactly("uid", "namespace", "name", "deleting");
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
                    assertThat(channel.handed().cdiDeviceIds())
                            .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-train-channel-0");
                });
    }

    @Test
    void stoppedHostImexIsNotAskedForAtPrepare() {
        assertThat(components(NodeInventory.class)).noneMatch(component -> component.contains("imex"));
        assertThat(components(ChannelClaim.class)).containsExactly("demand", "domain", "binding");
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
        assertThat(NodeSpecimens.healthy().channelNode()).hasToString("Absent[]");
        assertThat(new Situation().plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @ParameterizedTest
    @EnumSource
    void faultInjectedAtEveryPrepareStepRefusesAndChangesNothing(Fault fault) {
        var situation = new Situation();
        fault.into(situation);

        assertThat(situation.plan()).isInstanceOf(Outcome.Refused.class);
        assertThat(components(Outcome.Refused.class)).as("room for effects").containsExactly("reason");
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

    private static Stream<String> components(Class<? extends Record> type) {
        return Stream.of(type.getRecordComponents()).map(RecordComponent::getName);
    }
}
