package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.imex.prepare.DemandReader.Demand;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.specimen.Parameters;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemandReaderTest {

    private static final DeviceConfig CLASS_A = channelConfig(Source.FROM_CLASS, "class-a");
    private static final DeviceConfig CLASS_B = channelConfig(Source.FROM_CLASS, "class-b");
    private static final DeviceConfig CLAIM_A = channelConfig(Source.FROM_CLAIM, "claim-a");
    private static final DeviceConfig CLAIM_B = channelConfig(Source.FROM_CLAIM, "claim-b");

    @ParameterizedTest
    @ValueSource(strings = {"", "Single"})
    void readsTheChannelItsDeviceAndItsDomain(String mode) {
        var situation = new Situation();
        situation.mode = mode;

        assertThat(situation.demand())
                .isEqualTo(Outcome.accepted(
                        new Demand(ClaimSpecimens.channel(), new ComputeDomainUid(ClaimSpecimens.DOMAIN), false)));
    }

    @Test
    void aConfigurationOfTheClaimBeatsOneOfTheClassInAnyOrder() {
        assertThat(domain(CLASS_A, CLAIM_A)).isEqualTo("claim-a");
        assertThat(domain(CLAIM_A, CLASS_A)).isEqualTo("claim-a");
        assertThat(domain(CLASS_A, CLAIM_A, CLASS_B)).isEqualTo("claim-a");
    }

    @Test
    void withinASourceTheLaterBeatsTheEarlier() {
        assertThat(domain(CLASS_A, CLASS_B)).isEqualTo("class-b");
        assertThat(domain(CLAIM_A, CLAIM_B)).isEqualTo("claim-b");
        assertThat(domain(CLAIM_B, CLASS_B, CLAIM_A, CLASS_A)).isEqualTo("claim-a");
    }

    @Test
    void aConfigurationForAnotherRequestDoesNotCount() {
        assertThat(domain(CLASS_A, channelConfig(Source.FROM_CLAIM, "other", "another")))
                .isEqualTo("class-a");
    }

    @Test
    void anEntryOfAnotherDriverIsSkippedWhateverItHolds() {
        var foreign = new DeviceConfig(
                Source.FROM_CLAIM,
                List.of(),
                Optional.of(new DeviceConfig.Opaque("gpu.nvidia.com", Parameters.broken())));

        assertThat(domain(CLASS_A, foreign)).isEqualTo("class-a");
    }

    @Test
    void aClaimWithEntriesOfOtherDriversOnlyHasNoConfiguration() {
        var foreign = new DeviceConfig(
                Source.FROM_CLAIM,
                List.of(),
                Optional.of(new DeviceConfig.Opaque("gpu.nvidia.com", new JsonText("{}"))));

        assertThat(refusal(foreign).code()).isEqualTo(RefusalCode.CONFIG_MISSING);
    }

    @Test
    void anEntryWithoutAnOpaquePartIsRefusedAndSaysThatTheApiGrew() {
        Refusal refusal = refusal(CLAIM_A, new DeviceConfig(Source.FROM_CLASS, List.of(), Optional.empty()));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_INVALID);
        assertThat(refusal.message()).contains("config[1]", "\"opaque\"", "newer", "upgrade imex-agent");
    }

    @Test
    void aBeatenEntryThatCannotBeDecodedIsRefusedAllTheSameAndNamesTheField() {
        Refusal refusal = refusal(ClaimSpecimens.config(Source.FROM_CLASS, Parameters.broken()), CLAIM_A);

        assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_INVALID);
        assertThat(refusal.message()).contains("config[0].opaque.parameters", Parameters.FAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "channel/small"})
    void aConfigurationFitsASubrequestByItsOwnAndByItsMainName(String named) {
        var situation = new Situation();
        situation.request = "channel/small";
        situation.configuredRequests = List.of(named);

        assertThat(situation.demand().toOptional())
                .hasValueSatisfying(
                        demand -> assertThat(demand.device().request()).isEqualTo("channel/small"));
    }

    @Test
    void devicesOfOtherDriversDoNotCount() {
        AllocatedDevice gpu = DraSpecimens.allocated("gpu", "gpu.nvidia.com", NodeSpecimens.NAME, "gpu-0");
        var status = ClaimSpecimens.status(List.of(gpu, ClaimSpecimens.channel(), gpu), List.of(CLAIM_A));

        assertThat(reader(NodeSpecimens.POLICY).read(status)).isInstanceOf(Outcome.Accepted.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"All", "all", "single", "SINGLE", "Single ", " ", "foo"})
    void everyModeButNoneAndSingleIsRefusedByItsName(String mode) {
        var situation = new Situation();
        situation.mode = mode;

        Refusal refusal = situation.refusal();
        assertThat(refusal.code()).isEqualTo(RefusalCode.ALLOCATION_MODE);
        assertThat(refusal.message())
                .contains(
                        "allocationMode \"" + mode + "\"",
                        "request \"channel\"",
                        "\"Single\"",
                        "in a template that was written by hand");
    }

    @Test
    void aMismatchNamesTheRequestTheDeviceAndTheKind() {
        var situation = new Situation();
        Fault.CHANNEL_CONFIG_FOR_A_DAEMON.into(situation);
        assertThat(situation.refusal().message())
                .contains("request \"channel\"", "\"daemon-0\"", "ComputeDomainChannelConfig");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DAEMON_CONFIG_FOR_A_CHANNEL", "DAEMON_CLAIM"})
    void aDaemonsConfigurationIsRefusedForWhatItIsWhateverTheDevice(Fault fault) {
        var situation = new Situation();
        fault.into(situation);

        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.DAEMON_DISABLED);
        assertThat(situation.refusal().message()).contains("request \"channel\"", "ComputeDomainDaemonConfig");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "channel-00",
                "channel-1048576",
                "channels",
                "channel-place-",
                "channel-place-00",
                "gpu-0",
                "",
                "channel-0\n"
            })
    void aDeviceThatIsNoChannelFitsNoChannelConfiguration(String device) {
        var situation = new Situation();
        situation.device = device;

        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.CONFIG_MISMATCH);
    }

    @Test
    void aForeignPoolIsNamedBesideTheNodesOwn() {
        var situation = new Situation();
        situation.pool = "node-b";

        assertThat(situation.refusal().message()).contains("\"node-b\"", "\"node-a\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel-0", "channel-7"})
    void aNumberedChannelIsNotServedWhereEachDomainHasItsOwn(String device) {
        Situation situation = new Situation().isolated(7);
        situation.device = device;

        Refusal refusal = situation.refusal();
        assertThat(refusal.code()).isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED);
        assertThat(refusal.message()).contains(device, "IMEXChannel");
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "channel-place-0", "channel-place-63"})
    void aClaimForAChannelThatIsChosenLaterIsServedWhereEachDomainHasItsOwn(String device) {
        Situation situation = new Situation().isolated(7);
        situation.device = device;
        assertThat(situation.demand().toOptional())
                .hasValueSatisfying(demand -> assertThat(demand.owned()).isTrue());

        situation.isolation = Isolation.NONE;
        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "train-a",
                "5d1c5c6e-0000-4000-8000-00000000000",
                "5d1c5c6e-0000-4000-8000-00000000000d0",
                "5D1C5C6E-0000-4000-8000-00000000000D",
                "5d1c5c6e-0000-4000-8000-00000000000d\n",
                "5d1c5c6e/0000-4000-8000-00000000000d"
            })
    void aDomainIdThatIsNoUidIsRefusedWhereItBecomesTheOwnerOfAChannel(String domain) {
        var policy = NodeSpecimens.policy(NodeSpecimens.NAME, Isolation.IMEX_CHANNEL, false);

        Refusal refusal = reader(policy)
                .read(ClaimSpecimens.status(domain, ServingPolicy.CHANNEL))
                .refusal()
                .orElseThrow();
        assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_INVALID);
        assertThat(refusal.message()).contains("domainID \"", "is no UID").hasLineCount(1);
        assertThat(reader(NodeSpecimens.POLICY).read(ClaimSpecimens.status(domain)))
                .isInstanceOf(Outcome.Accepted.class);
    }

    private static DeviceConfig channelConfig(Source source, String domain, String... requests) {
        return ClaimSpecimens.config(source, Parameters.channel(domain, "Single"), requests);
    }

    private static DemandReader reader(ServingPolicy policy) {
        return new DemandReader(policy);
    }

    private static Outcome<Demand> read(DeviceConfig... configs) {
        return reader(NodeSpecimens.POLICY)
                .read(ClaimSpecimens.status(List.of(ClaimSpecimens.channel()), List.of(configs)));
    }

    private static String domain(DeviceConfig... configs) {
        return read(configs).toOptional().orElseThrow().domain().value();
    }

    private static Refusal refusal(DeviceConfig... configs) {
        return read(configs).refusal().orElseThrow();
    }
}
