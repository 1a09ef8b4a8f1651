package io.imexagent.e2e.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.kubelet.KubeletOptions;
import io.imexagent.testing.kubelet.Plugin;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The double against the agent's real services, over real sockets. */
class KubeletDoubleTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final KubeletClaimRequest CLAIM = new KubeletClaimRequest("team", "claim-a", "uid-a");
    private static final KubeletClaimRequest REFUSED =
            new KubeletClaimRequest("team", "claim-b", ServedPlugin.REFUSED_UID);

    @TempDir
    private Path root;

    @Test
    void registersAPluginThatAppears() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            KubeletEvent.PluginRegistered registered =
                    kubelet.awaitPlugin(LIMIT).registration();

            assertThat(registered.driver()).isEqualTo(DriverNames.DRIVER);
            assertThat(registered.service()).isEqualTo("v1.DRAPlugin");
            assertThat(registered.socket()).isEqualTo(plugin.registrationSocket());
            assertThat(registered.endpoint()).isEqualTo(plugin.draSocket());
            assertThat(plugin.server().registration()).isInstanceOf(RegistrationState.RegistrationDone.class);
        }
    }

    @Test
    void registersAPluginThatIsThereAlready() throws Exception {
        try (var plugin = ServedPlugin.in(root);
                var kubelet = KubeletDouble.start(root)) {
            assertThat(kubelet.awaitPlugin(LIMIT).registration().socket()).isEqualTo(plugin.registrationSocket());
        }
    }

    @Test
    void preparesAndUnprepares() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            kubelet.awaitPlugin(LIMIT);

            var prepared = kubelet.prepare(List.of(CLAIM, REFUSED));

            assertThat(prepared)
                    .containsOnlyKeys(CLAIM.uid(), REFUSED.uid())
                    .containsEntry(REFUSED.uid(), new ClaimResult.ClaimFailed("not today [not_allocated]"))
                    .containsEntry(
                            CLAIM.uid(),
                            new ClaimResult.ClaimDone(List.of(new ClaimResult.ClaimDevice(
                                    List.of("channel"), "node-1", "channel-0", List.of("id"), Optional.of("share")))));
            assertThat(kubelet.unprepare(CLAIM)).isEqualTo(new ClaimResult.ClaimDone(List.of()));
            assertThat(kubelet.unprepare(REFUSED)).isEqualTo(new ClaimResult.ClaimFailed("disk full [effect_failed]"));
            assertThat(plugin.prepares()).hasValue(1);
        }
    }

    @Test
    void fallsBackToV1Beta1AsAnOldKubeletDoes() throws Exception {
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).knowing("v1beta1.DRAPlugin"));
                var plugin = ServedPlugin.in(root)) {
            assertThat(kubelet.awaitPlugin(LIMIT).registration().service()).isEqualTo("v1beta1.DRAPlugin");

            assertThat(kubelet.prepare(CLAIM))
                    .isEqualTo(new ClaimResult.ClaimDone(List.of(new ClaimResult.ClaimDevice(
                            List.of("channel"), "node-1", "channel-0", List.of("id"), Optional.empty()))));
            assertThat(kubelet.unprepare(REFUSED)).isInstanceOf(ClaimResult.ClaimFailed.class);
            assertThat(plugin.prepares()).hasValue(1);
        }
    }

    /** What each kubelet knows: 1.40 is to drop the health of v1alpha1, as Kubernetes has announced. */
    @ParameterizedTest
    @CsvSource({
        "1.34, v1 v1beta1, v1alpha1, v1, v1alpha1",
        "1.35, v1 v1beta1, v1alpha1, v1, v1alpha1",
        "1.36, v1 v1beta1, v1alpha1, v1, v1alpha1",
        "1.37, v1 v1beta1, v1 v1alpha1, v1, v1",
        "1.40, v1, v1, v1, v1"
    })
    void everyKubeletFindsTheServicesThatItKnows(
            String version, String node, String health, String chosenNode, String chosenHealth) throws Exception {
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root)
                        .knowing(services(node, "DRAPlugin"))
                        .followingHealthBy(services(health, "DRAResourceHealth")));
                var plugin = ServedPlugin.in(root)) {
            Plugin registered = kubelet.awaitPlugin(LIMIT);

            assertThat(registered.registration().service()).as(version).isEqualTo(chosenNode + ".DRAPlugin");
            assertThat(registered.healthService()).as(version).contains(chosenHealth + ".DRAResourceHealth");
            assertThat(kubelet.prepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
            plugin.becomeUnhealthy("the fabric is gone");
            var report = kubelet.awaitEvent(
                    KubeletEvent.HealthReported.class,
                    event -> event.devices().getFirst().health().equals("UNHEALTHY"),
                    LIMIT);
            assertThat(report.devices().getFirst().message()).isEqualTo("the fabric is gone");
        }
    }

    private static String[] services(String versions, String service) {
        return Arrays.stream(versions.split(" "))
                .map(version -> version + "." + service)
                .toArray(String[]::new);
    }

    @Test
    void rejectsAPluginWhoseServicesItDoesNotKnow() throws Exception {
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).knowing("v9.DRAPlugin"));
                var plugin = ServedPlugin.in(root)) {
            var rejected = kubelet.awaitEvent(KubeletEvent.PluginRejected.class, event -> true, LIMIT);

            assertThat(rejected.error()).contains("none of the services", "v1.DRAPlugin");
            assertThat(plugin.server().registration())
                    .isInstanceOfSatisfying(
                            RegistrationState.RegistrationRejected.class,
                            state -> assertThat(state.error()).contains(rejected.error()));
            assertThat(kubelet.plugins()).isEmpty();
        }
    }

    @Test
    void rejectsPluginsOnDemandAndRegistersThemLater() throws Exception {
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).retryingAfter(Duration.ofMillis(20)))) {
            kubelet.rejectRegistrations("plugin name taken");
            try (var plugin = ServedPlugin.in(root)) {
                kubelet.awaitEvent(KubeletEvent.PluginRejected.class, event -> true, LIMIT);
                assertThat(plugin.server().registration())
                        .isInstanceOfSatisfying(
                                RegistrationState.RegistrationRejected.class,
                                state -> assertThat(state.error()).contains("plugin name taken"));

                kubelet.acceptRegistrations();

                kubelet.awaitPlugin(LIMIT);
                assertThat(plugin.server().registration()).isInstanceOf(RegistrationState.RegistrationDone.class);
            }
        }
    }

    @Test
    void givesAPluginUpNoSoonerThanItIsToldTo() throws Exception {
        Duration delay = Duration.ofMillis(300);
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).deregisteringAfter(delay))) {
            var plugin = ServedPlugin.in(root);
            kubelet.awaitPlugin(LIMIT);
            long began = System.nanoTime();

            plugin.close();

            kubelet.awaitNoPlugin(LIMIT);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(delay);
        }
    }

    @Test
    void deregistersAPluginThatDisappears() throws Exception {
        try (var kubelet = KubeletDouble.start(root)) {
            var plugin = ServedPlugin.in(root);
            kubelet.awaitPlugin(LIMIT);

            plugin.close();

            kubelet.awaitNoPlugin(LIMIT);
            assertThat(kubelet.awaitEvent(KubeletEvent.PluginDeregistered.class, event -> true, LIMIT)
                            .socket())
                    .isEqualTo(plugin.registrationSocket());
            assertThatThrownBy(() -> kubelet.prepare(CLAIM))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no plugin of compute-domain.nvidia.com is registered");
        }
    }

    @Test
    void registersThePluginThatComesAfter() throws Exception {
        try (var kubelet = KubeletDouble.start(root)) {
            ServedPlugin.in(root).close();
            try (var second = ServedPlugin.in(root)) {
                kubelet.awaitPlugin(LIMIT);
                kubelet.awaitEvent(KubeletEvent.HealthReported.class, event -> true, LIMIT);
                assertThat(kubelet.prepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
                assertThat(second.prepares()).hasValue(1);
            }
        }
    }

    @Test
    void forgetsAndFindsPluginsWhenItRestarts() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            Plugin before = kubelet.awaitPlugin(LIMIT);

            kubelet.restart();

            assertThat(kubelet.awaitPlugin(LIMIT)).isNotSameAs(before);
            assertThat(kubelet.events(KubeletEvent.PluginRegistered.class)).hasSize(2);
            assertThat(kubelet.prepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(plugin.prepares()).hasValue(1);
        }
    }

    @Test
    void findsAPluginAgainThatMakesItsRemovedSocketsAnew() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            kubelet.awaitPlugin(LIMIT);

            kubelet.restartOnCleanDirectory();

            kubelet.awaitPlugin(LIMIT);
            assertThat(plugin.registrationSocket()).exists();
            assertThat(kubelet.prepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
        }
    }

    @Test
    void keepsTheReportsOfHealth() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            var first = kubelet.awaitEvent(KubeletEvent.HealthReported.class, event -> true, LIMIT);
            assertThat(first.devices())
                    .containsExactly(new KubeletEvent.DeviceStatus(
                            "node-1", "channel-0", "HEALTHY", "", ServedPlugin.NOW, Duration.ofSeconds(60)));

            plugin.becomeUnhealthy("the fabric is gone");

            var second = kubelet.awaitEvent(
                    KubeletEvent.HealthReported.class,
                    event -> event.devices().getFirst().health().equals("UNHEALTHY"),
                    LIMIT);
            assertThat(second.devices().getFirst().message()).isEqualTo("the fabric is gone");
            assertThat(kubelet.health()).contains(second);
        }
    }

    @Test
    void opensAStreamOfHealthAgainThatHasEnded() throws Exception {
        Path socket = HandmadePlugin.socket(root, "p-reg.sock");
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).retryingAfter(Duration.ofMillis(20)));
                var plugin = HandmadePlugin.in(root, "p-reg.sock", socket.toString())) {
            kubelet.awaitUntil(
                    "three reports of health",
                    () -> kubelet.events(KubeletEvent.HealthReported.class).size() >= 3,
                    LIMIT);

            assertThat(kubelet.events(KubeletEvent.HealthEnded.class))
                    .first()
                    .isEqualTo(new KubeletEvent.HealthEnded(DriverNames.DRIVER, "OK"));
            assertThat(plugin.authorities).contains("localhost");
        }
    }

    @Test
    void failsACallThatLeavesAClaimWithoutAnAnswer() throws Exception {
        Path socket = HandmadePlugin.socket(root, "p-reg.sock");
        try (var kubelet = KubeletDouble.start(root);
                var plugin = HandmadePlugin.in(root, "p-reg.sock", socket.toString())) {
            kubelet.awaitPlugin(LIMIT);

            assertThatThrownBy(() -> kubelet.prepare(List.of(CLAIM, REFUSED)))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessage("DATA_LOSS: the plugin skipped 2 ResourceClaims");
            // As the kubelet dials a registration socket.
            assertThat(plugin.authorities).contains(socket.toString().replace("/", "%2F"));
        }
    }

    @Test
    void rejectsAnEndpointThatIsRegisteredAlready() throws Exception {
        String endpoint = HandmadePlugin.socket(root, "a-reg.sock").toString();
        try (var kubelet = KubeletDouble.start(root);
                var first = HandmadePlugin.in(root, "a-reg.sock", endpoint)) {
            kubelet.awaitPlugin(LIMIT);
            try (var second = HandmadePlugin.in(root, "b-reg.sock", endpoint)) {
                assertThat(kubelet.awaitEvent(KubeletEvent.PluginRejected.class, event -> true, LIMIT)
                                .error())
                        .contains("already registered");
                assertThat(second.authorities).isNotEmpty();
            }
            assertThat(first.authorities).isNotEmpty();
        }
    }

    @Test
    void prefersThePluginThatCameLast() throws Exception {
        Path old = HandmadePlugin.socket(root, "a-reg.sock");
        try (var kubelet = KubeletDouble.start(root);
                var first = HandmadePlugin.in(root, "a-reg.sock", old.toString())) {
            kubelet.awaitPlugin(LIMIT);
            Path young = HandmadePlugin.socket(root, "b-reg.sock");
            try (var second = HandmadePlugin.in(root, "b-reg.sock", young.toString())) {
                kubelet.awaitUntil("both", () -> kubelet.plugins().size() == 2, LIMIT);

                assertThat(kubelet.plugin().registration().socket()).isEqualTo(young);
                assertThat(second.authorities).isNotEmpty();
            }
            kubelet.awaitUntil("one", () -> kubelet.plugins().size() == 1, LIMIT);
            assertThat(kubelet.plugin().registration().socket()).isEqualTo(old);
            assertThat(first.authorities).isNotEmpty();
        }
    }

    @Test
    void rejectsAnEndpointThatIsNotAbsolute() throws Exception {
        try (var kubelet = KubeletDouble.start(root);
                var plugin = HandmadePlugin.in(root, "p-reg.sock", "dra.sock")) {
            assertThat(kubelet.awaitEvent(KubeletEvent.PluginRejected.class, event -> true, LIMIT)
                            .error())
                    .contains("not an absolute path");
            assertThat(plugin.authorities).isNotEmpty();
        }
    }

    @Test
    void triesAgainAPluginThatCannotBeAsked() throws Exception {
        Path registry = Files.createDirectories(root.resolve("plugins_registry"));
        try (var silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(registry.resolve("p-reg.sock")));
                var kubelet = KubeletDouble.start(KubeletOptions.in(root).retryingAfter(Duration.ofMillis(20)))) {
            kubelet.awaitUntil(
                    "two attempts",
                    () -> kubelet.events(KubeletEvent.PluginUnreachable.class).size() >= 2,
                    LIMIT);

            assertThat(kubelet.events(KubeletEvent.PluginUnreachable.class)
                            .getFirst()
                            .reason())
                    .contains("DEADLINE_EXCEEDED");
            assertThat(silent.isOpen()).isTrue();
        }
    }

    @Test
    void passesOverFilesThatAreNoSocketsAndHiddenOnes() throws Exception {
        Path registry = Files.createDirectories(root.resolve("plugins_registry"));
        Files.writeString(registry.resolve("notes.txt"), "not a plugin");
        try (var kubelet = KubeletDouble.start(root);
                var plugin = ServedPlugin.in(root)) {
            kubelet.awaitPlugin(LIMIT);

            assertThat(kubelet.plugins()).hasSize(1);
            assertThat(kubelet.events(KubeletEvent.PluginUnreachable.class)).isEmpty();
            assertThat(plugin.server().registration()).isInstanceOf(RegistrationState.RegistrationDone.class);
        }
    }

    @Test
    void tellsThatACallFailedAsAWhole() throws Exception {
        try (var kubelet = KubeletDouble.start(KubeletOptions.in(root).callingFor(Duration.ofMillis(50)));
                var plugin = ServedPlugin.in(root)) {
            kubelet.awaitPlugin(LIMIT);
            plugin.hang();

            assertThatThrownBy(() -> kubelet.prepare(CLAIM))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure ->
                                    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
        }
    }

    @Test
    void saysWhatItSawWhenItGivesUpWaiting() throws Exception {
        try (var kubelet = KubeletDouble.start(root)) {
            assertThatThrownBy(() -> kubelet.awaitPlugin(Duration.ofMillis(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("gave up waiting for a plugin of compute-domain.nvidia.com");
        }
    }
}
