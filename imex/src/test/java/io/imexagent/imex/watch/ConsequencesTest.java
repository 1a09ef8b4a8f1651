package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReading.Applicability;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the health of nvidia-imex means for devices, claims and slices, and for the pace of looking. */
class ConsequencesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final List<DeviceTaint> NONE = List.of();

    private final FixedImexSource imex = new FixedImexSource();

    @TempDir
    Path state;

    private KeptTaint taint = new KeptTaint(Path.of("/"));

    @BeforeEach
    void noTaint() {
        taint = new KeptTaint(state);
    }

    private ChannelStatus device(ImexHealth health) {
        imex.say(health);
        return ChannelStatus.of(imex);
    }

    private List<DeviceTaint> taints(ImexHealth health, long second) {
        return taint.taints(Optional.of(health), MINUTE, Healths.AT.plusSeconds(second));
    }

    @Test
    void devicesAreWorthWhatTheDomainIs() {
        assertThat(device(Healths.up())).isEqualTo(ChannelStatus.WELL);
        assertThat(device(Healths.notApplicable())).isEqualTo(ChannelStatus.WELL);
        assertThat(device(Healths.degraded()))
                .isEqualTo(new ChannelStatus(
                        ChannelStatus.ChannelCondition.DEGRADED,
                        Healths.degraded().line()));
        assertThat(device(Healths.down()))
                .isEqualTo(new ChannelStatus(
                        ChannelStatus.ChannelCondition.UNHEALTHY, Healths.down().line()));
        assertThat(device(Healths.masked()).status()).isEqualTo(ChannelStatus.ChannelCondition.UNHEALTHY);
        assertThat(device(Healths.daemon("NOT_READY")).status()).isEqualTo(ChannelStatus.ChannelCondition.UNHEALTHY);
        assertThat(device(Healths.unknown()).status()).isEqualTo(ChannelStatus.ChannelCondition.UNKNOWN);
    }

    @Test
    void theMessageOfADeviceNamesTheReasonAndTheNextStep() {
        ChannelStatus degraded = device(Healths.degraded());

        assertThat(degraded.status()).isEqualTo(ChannelStatus.ChannelCondition.DEGRADED);
        assertThat(degraded.message()).startsWith("IMEX domain DEGRADED 2/3: not ready: n2; look at");
    }

    @Test
    void peersThatCouldOnlyNotBeAskedHarmNoDeviceNoClaimAndTaintNothing() {
        ImexHealth unasked = Healths.reported("peers-command-service-domain.json");

        assertThat(device(unasked)).isEqualTo(ChannelStatus.WELL);
        assertThat(ChannelStatus.refusal(imex)).isEmpty();
        taints(unasked, 0);
        assertThat(taints(unasked, 600)).isEqualTo(NONE);
    }

    @Test
    void aConnectionThatIsLostInOneDirectionDegradesDevicesAndNamesBothNodes() {
        ImexHealth oneWay = Healths.reported("one-way-domain.json");

        assertThat(device(oneWay).status()).isEqualTo(ChannelStatus.ChannelCondition.DEGRADED);
        assertThat(device(oneWay).message()).contains("not connected: tray-1 to tray-2");
        assertThat(ChannelStatus.refusal(imex)).isEmpty();
        taints(oneWay, 0);
        assertThat(taints(oneWay, 600)).isEqualTo(NONE);
    }

    @Test
    void devicesAreUnknownBeforeTheFirstLookAndUntouchedWithoutAWatch() {
        assertThat(ChannelStatus.of(imex).status()).isEqualTo(ChannelStatus.ChannelCondition.UNKNOWN);
        assertThat(ChannelStatus.of(new FixedImexSource(false))).isEqualTo(ChannelStatus.WELL);
    }

    @Test
    void theGateIsShutWhileTheDaemonIsNotReadyOrTheDomainDown() {
        assertThat(ChannelStatus.refusal(imex)).isPresent();
        for (ImexHealth open : List.of(Healths.up(), Healths.degraded(), Healths.notApplicable())) {
            imex.say(open);
            assertThat(ChannelStatus.refusal(imex)).isEmpty();
        }
        for (ImexHealth shut : List.of(
                Healths.down(),
                Healths.masked(),
                Healths.unknown(),
                Healths.daemon("NOT_READY"),
                Healths.daemon("WAITING_FOR_PEERS"))) {
            imex.say(shut);
            assertThat(ChannelStatus.refusal(imex)).hasValueSatisfying(refusal -> {
                assertThat(refusal.code()).isEqualTo(RefusalCode.IMEX_NOT_READY);
                assertThat(refusal.message()).contains(shut.verdict().summary(), "the claim is retried");
            });
        }
        assertThat(ChannelStatus.refusal(new FixedImexSource(false))).isEmpty();
    }

    @Test
    void aTaintComesOnceItHasBeenDownForLongEnough() {
        assertThat(taints(Healths.down(), 0)).isEqualTo(NONE);
        assertThat(taints(Healths.down(), 59)).isEqualTo(NONE);
        assertThat(taints(Healths.down(), 60))
                .containsExactly(new DeviceTaint(
                        "imex.nvidia.com/unhealthy", "domain-down", DeviceTaint.TaintEffect.NO_SCHEDULE));
    }

    @Test
    void aTaintGoesOnceAllHasBeenWellForLongEnough() {
        taints(Healths.down(), 0);
        taints(Healths.down(), 60);

        assertThat(taints(Healths.up(), 61)).hasSize(1);
        assertThat(taints(Healths.up(), 120)).hasSize(1);
        assertThat(taints(Healths.up(), 121)).isEqualTo(NONE);
    }

    @Test
    void whatComesAndGoesChangesNothing() {
        for (int second = 0; second < 600; second += 20) {
            assertThat(taints(second % 40 == 0 ? Healths.down() : Healths.up(), second))
                    .isEqualTo(NONE);
        }
    }

    @Test
    void whatNobodyKnowsAndWhatIsMerelyDegradedTaintsNothing() {
        assertThat(taints(Healths.unknown(), 0)).isEqualTo(NONE);
        assertThat(taints(Healths.unknown(), 600)).isEqualTo(NONE);
        assertThat(taints(Healths.degraded(), 1200)).isEqualTo(NONE);
        assertThat(taint.taints(Optional.empty(), MINUTE, Instant.MAX)).isEqualTo(NONE);
    }

    @Test
    void aTaintStaysAsItCameWhileTheReasonChanges() {
        taints(Healths.down(), 0);
        List<DeviceTaint> first = taints(Healths.down(), 60);

        assertThat(taints(Healths.masked(), 200)).isEqualTo(first);
        assertThat(taints(Healths.unknown(), 400)).isEqualTo(first);
    }

    @Test
    void withoutADelayATaintComesAtOnce() {
        assertThat(taint.taints(Optional.of(Healths.down()), Duration.ZERO, Healths.AT))
                .hasSize(1);
    }

    @Test
    void whatIsOnItsWayIsLookedAtSoonerAndWhatDoesNotAnswerEverMoreSeldom() {
        var pace = new ImexWatch.Pace();
        assertThat(pace.after(Healths.up(), INTERVAL)).isEqualTo(INTERVAL);
        assertThat(pace.after(Healths.daemon("WAITING_FOR_PEERS"), INTERVAL)).isEqualTo(ImexWatch.Pace.UNSETTLED);
        assertThat(pace.after(Healths.daemon("WAITING_FOR_PEERS"), Duration.ofSeconds(2)))
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(pace.after(Healths.masked(), INTERVAL)).isEqualTo(INTERVAL);

        assertThat(pace.after(Healths.unknown(), INTERVAL)).isEqualTo(INTERVAL);
        assertThat(pace.after(Healths.unknown(), INTERVAL)).isEqualTo(INTERVAL.multipliedBy(2));
        assertThat(pace.afterFailure(INTERVAL)).isEqualTo(INTERVAL.multipliedBy(4));
        for (int i = 0; i < 100; i++) {
            pace.after(Healths.unknown(), INTERVAL);
        }
        assertThat(pace.after(Healths.unknown(), INTERVAL)).isEqualTo(ImexWatch.Pace.LONGEST);
        assertThat(pace.after(Healths.unknown(), Duration.ofMinutes(10))).isEqualTo(Duration.ofMinutes(10));

        pace.after(Healths.up(), INTERVAL);
        assertThat(pace.after(Healths.unknown(), INTERVAL)).isEqualTo(INTERVAL);
    }

    @Test
    void nvidiaImexAppliesWhereThereIsAPlaceInAFabric() {
        var gb200 = Inventories.gb200();
        assertThat(Applicability.of(gb200)).isEqualTo(new Applicability.Applicable());
        assertThat(Applicability.of(Inventories.with(gb200, new CliqueState.RegisteringClique("x"))))
                .isEqualTo(new Applicability.Applicable());
        assertThat(Applicability.of(Inventories.with(gb200, new CliqueState.NoClique("no fabric"))))
                .isInstanceOf(Applicability.NotApplicable.class);
        assertThat(Applicability.of(Inventories.with(gb200, new DriverState.AbsentDriver("none"))))
                .isInstanceOf(Applicability.NotApplicable.class);
        assertThat(Applicability.of(Inventories.with(gb200, new DriverState.FailingDriver("hangs"))))
                .isInstanceOf(Applicability.UnknownApplicability.class);
        assertThat(Applicability.of(Inventories.with(gb200, new CliqueState.UnknownClique("x"))))
                .isInstanceOf(Applicability.UnknownApplicability.class);
    }
}
