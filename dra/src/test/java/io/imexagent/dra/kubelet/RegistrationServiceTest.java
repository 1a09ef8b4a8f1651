package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.proto.registration.InfoRequest;
import io.imexagent.dra.proto.registration.PluginInfo;
import io.imexagent.dra.proto.registration.RegistrationGrpc;
import io.imexagent.dra.proto.registration.RegistrationStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistrationServiceTest {

    private static final Pattern SERVICE = Pattern.compile("`(v[^` ]*\\.DRA[^` ]*)`");

    @TempDir
    private Path root;

    private RunningServer running;
    private SocketClient client;

    @BeforeEach
    void start() throws Exception {
        running = RunningServer.in(root);
        client = running.registry();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        running.close();
    }

    @Test
    void tellsTheKubeletWhatThePluginIs() {
        PluginInfo info = RegistrationGrpc.newBlockingStub(client.channel()).getInfo(InfoRequest.getDefaultInstance());

        assertThat(info.getType()).isEqualTo("DRAPlugin");
        assertThat(info.getName()).isEqualTo("compute-domain.nvidia.com");
        assertThat(info.getEndpoint()).isEqualTo(root + "/plugins/compute-domain.nvidia.com/dra.sock");
        assertThat(info.getSupportedVersionsList())
                .containsExactly(
                        "v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth");
    }

    /**
     * The kubelet's lists, {@code servicesSupportedByKubelet} and {@code healthServicesSupportedByKubelet} in its
     * pkg/kubelet/cm/dra/plugin. It takes the first node service of ours that it knows, refuses a plugin without one and
     * passes over names that it does not know; of health it takes the one that it likes best. 1.40 is announced to drop
     * v1alpha1 of health; no end of v1beta1 is, so the list is the shortest that it can have. {@code docs/compatibility.md}
     * says the same of each version.
     */
    @ParameterizedTest
    @CsvSource({
        "1.34, v1.DRAPlugin v1beta1.DRAPlugin, v1alpha1.DRAResourceHealth",
        "1.35, v1.DRAPlugin v1beta1.DRAPlugin, v1alpha1.DRAResourceHealth",
        "1.36, v1.DRAPlugin v1beta1.DRAPlugin, v1alpha1.DRAResourceHealth",
        "1.37, v1.DRAPlugin v1beta1.DRAPlugin, v1.DRAResourceHealth v1alpha1.DRAResourceHealth",
        "1.40, v1.DRAPlugin, v1.DRAResourceHealth"
    })
    void eachKubeletTakesTheBestServicesThatItKnows(String version, String nodeServices, String healthServices)
            throws IOException {
        List<String> ours = RegistrationGrpc.newBlockingStub(client.channel())
                .getInfo(InfoRequest.getDefaultInstance())
                .getSupportedVersionsList();
        List<String> node = List.of(nodeServices.split(" "));
        List<String> health = List.of(healthServices.split(" "));

        assertThat(ours.stream().filter(node::contains).findFirst())
                .as("of kubelet %s", version)
                .contains(node.getFirst());
        assertThat(health.stream().filter(ours::contains).findFirst())
                .as("of kubelet %s", version)
                .contains(health.getFirst());
        assertThat(servicesOnThePage("\\| (\\S+ and )?\\Q" + version + "\\E\\b.*`.*"))
                .containsExactly(node.getFirst(), health.getFirst());
    }

    @Test
    void thePageAboutVersionsHasItsServices() throws IOException {
        assertThat(servicesOnThePage("The agent registers .*"))
                .containsExactlyElementsOf(RegistrationGrpc.newBlockingStub(client.channel())
                        .getInfo(InfoRequest.getDefaultInstance())
                        .getSupportedVersionsList());
    }

    /** The services in the one line of this form. */
    private static List<String> servicesOnThePage(String form) throws IOException {
        List<String> lines = Files.readString(Path.of("../docs/compatibility.md"))
                .lines()
                .filter(line -> line.matches(form))
                .toList();
        assertThat(lines).hasSize(1);
        return SERVICE.matcher(lines.getFirst())
                .results()
                .map(name -> name.group(1))
                .toList();
    }

    @Test
    void isNotRegisteredBeforeTheKubeletSaysSo() {
        assertThat(running.server.registration()).isEqualTo(new RegistrationState.RegistrationPending());
        assertThat(running.server.registration().label()).isEqualTo("not_yet");
    }

    @Test
    void remembersThatTheKubeletRegisteredIt() {
        status(true, "");

        assertThat(running.server.registration()).isEqualTo(new RegistrationState.RegistrationDone(RunningServer.NOW));
        assertThat(running.observer.states).containsExactly(running.server.registration());
        assertThat(running.kubelets).as("a kubelet has come").hasValue(1);
    }

    @Test
    void remembersWhyTheKubeletRejectedIt() {
        status(false, "plugin name is\ntaken");

        assertThat(running.kubelets).hasValue(0);
        assertThat(running.server.registration())
                .isEqualTo(new RegistrationState.RegistrationRejected(
                        "the kubelet: plugin name is taken", RunningServer.NOW));
        assertThat(running.observer.states).containsExactly(running.server.registration());
    }

    @Test
    void recoversWhenALaterAttemptSucceeds() {
        status(false, "busy");
        status(true, "");

        assertThat(running.server.registration()).isInstanceOf(RegistrationState.RegistrationDone.class);
    }

    @Test
    void boundsTheErrorThatItKeeps() {
        status(false, "x".repeat(100_000));

        assertThat(running.server.registration())
                .isInstanceOfSatisfying(
                        RegistrationState.RegistrationRejected.class,
                        rejected -> assertThat(rejected.error()).hasSizeLessThan(600));
    }

    @Test
    void tellsALossOnceHoweverOftenItIsFound() {
        var observer = new RecordingDraObserver();
        var service = new RegistrationService(
                "driver", Path.of("/dra.sock"), Clock.fixed(RunningServer.NOW, ZoneOffset.UTC), observer, () -> {});

        service.lost("taken");
        service.lost("taken");
        service.lost("gone");

        assertThat(observer.states)
                .containsExactly(
                        new RegistrationState.RegistrationRejected("taken", RunningServer.NOW),
                        new RegistrationState.RegistrationRejected("gone", RunningServer.NOW));
    }

    private void status(boolean registered, String error) {
        RegistrationGrpc.newBlockingStub(client.channel())
                .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                        .setPluginRegistered(registered)
                        .setError(error)
                        .build());
    }
}
