package io.imexagent.imex.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServingModeTest {

    private static final ClaimEntry DAEMON = ClaimSpecimens.daemon(ClaimSpecimens.ref("z"));
    private static final ClaimEntry CHANNEL_0 = ClaimSpecimens.completed(ClaimSpecimens.ref("a"), 0);
    private static final ClaimEntry CHANNEL_7 = ClaimSpecimens.completed(ClaimSpecimens.ref("b"), 7);
    private static final ClaimEntry OWN_7 = ClaimSpecimens.owning(ClaimSpecimens.ref("c"), 7, ClaimSpecimens.DOMAIN);

    @Test
    void aDaemonTellsDriverManagedWhateverStandsBesideIt() {
        assertThat(inferred(DAEMON)).contains(ServingMode.DRIVER_MANAGED);
        assertThat(inferred(CHANNEL_0, CHANNEL_7, DAEMON)).contains(ServingMode.DRIVER_MANAGED);
    }

    @Test
    void channelZeroTellsNone() {
        assertThat(inferred(CHANNEL_0)).contains(ServingMode.HOST_MANAGED_NONE);
    }

    @Test
    void aHigherChannelTellsImexChannelAlsoBesideChannelZero() {
        assertThat(inferred(OWN_7)).contains(ServingMode.HOST_MANAGED_IMEX_CHANNEL);
        assertThat(inferred(CHANNEL_0, OWN_7)).contains(ServingMode.HOST_MANAGED_IMEX_CHANNEL);
    }

    @Test
    void aHigherChannelThatWasTheDeviceTellsTheModeOfBeforeWhateverStandsBesideIt() {
        assertThat(inferred(CHANNEL_7)).contains(ServingMode.HOST_MANAGED_CLUSTER_CHANNEL);
        assertThat(inferred(CHANNEL_0, OWN_7, CHANNEL_7)).contains(ServingMode.HOST_MANAGED_CLUSTER_CHANNEL);
        assertThat(inferred(CHANNEL_7, DAEMON)).contains(ServingMode.DRIVER_MANAGED);
    }

    @Test
    void aClaimThatGivesContainersNothingTellsNothing() {
        ClaimEntry nothing = ClaimSpecimens.withoutCdiDevice(ClaimSpecimens.ref("n"));

        assertThat(inferred(nothing)).isEmpty();
        assertThat(inferred(nothing, OWN_7)).contains(ServingMode.HOST_MANAGED_IMEX_CHANNEL);
        assertThat(inferred(nothing, DAEMON)).contains(ServingMode.DRIVER_MANAGED);
    }

    @Test
    void claimsThatAreNotPreparedTellNothing() {
        var aborted = new ClaimEntry.Aborted(
                ClaimSpecimens.ref("c").uid(),
                Optional.empty(),
                ClaimSpecimens.status(ClaimSpecimens.DOMAIN),
                NodeSpecimens.NOON);

        assertThat(inferred()).isEmpty();
        assertThat(inferred(ClaimSpecimens.started(ClaimSpecimens.ref("a")), aborted))
                .isEmpty();
    }

    @Test
    void aPreparedClaimWithoutDevicesTellsNothing() {
        var bare = new ClaimEntry.Completed(
                ClaimSpecimens.ref("a").uid(),
                Optional.empty(),
                ClaimSpecimens.status(ClaimSpecimens.DOMAIN),
                List.of());

        assertThat(inferred(bare)).isEmpty();
    }

    @Test
    void isolationsHaveTheirModes() {
        assertThat(ServingMode.of(Isolation.NONE)).isEqualTo(ServingMode.HOST_MANAGED_NONE);
        assertThat(ServingMode.of(Isolation.IMEX_CHANNEL)).isEqualTo(ServingMode.HOST_MANAGED_IMEX_CHANNEL);
        assertThatIllegalStateException()
                .isThrownBy(() -> ServingMode.of(Isolation.IMEX_DOMAIN))
                .withMessage("no agent serves isolation IMEXDomain");
    }

    @ParameterizedTest
    @EnumSource
    void isReadBackFromItsText(ServingMode mode) {
        assertThat(ServingMode.parse(mode.text())).contains(mode);
    }

    @Property
    void anyTextIsAModeOrNone(@ForAll String text) {
        ServingMode.parse(text).ifPresent(mode -> assertThat(mode.text()).isEqualTo(text));
    }

    private static Optional<ServingMode> inferred(ClaimEntry... entries) {
        Ledger ledger = Ledger.empty(Optional.empty());
        for (ClaimEntry entry : entries) {
            ledger = ledger.with(entry);
        }
        return ServingMode.infer(ledger);
    }
}
