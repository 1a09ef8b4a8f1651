package io.imexagent.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.dra.proto.registration.InfoRequest;
import io.imexagent.agent.dra.proto.registration.PluginInfo;
import io.imexagent.agent.dra.proto.registration.RegistrationGrpc;
import io.imexagent.agent.dra.proto.registration.RegistrationStatus;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistrationServiceTest {

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
                .containsExactly("v1.DRAPlugin", "v1beta1.DRAPlugin", "v1alpha1.DRAResourceHealth");
    }

    @Test
    void isNotRegisteredBeforeTheKubeletSaysSo() {
        assertThat(running.server.registration()).isEqualTo(new RegistrationState.NotYet());
        assertThat(running.server.registration().label()).isEqualTo("not_yet");
    }

    @Test
    void remembersThatTheKubeletRegisteredIt() {
        status(true, "");

        assertThat(running.server.registration()).isEqualTo(new RegistrationState.Registered(RunningServer.NOW));
        assertThat(running.observer.states).containsExactly(running.server.registration());
    }

    @Test
    void remembersWhyTheKubeletRejectedIt() {
        status(false, "plugin name is\ntaken");

        assertThat(running.server.registration())
                .isEqualTo(new RegistrationState.Rejected("the kubelet: plugin name is taken", RunningServer.NOW));
        assertThat(running.observer.states).containsExactly(running.server.registration());
    }

    @Test
    void recoversWhenALaterAttemptSucceeds() {
        status(false, "busy");
        status(true, "");

        assertThat(running.server.registration()).isInstanceOf(RegistrationState.Registered.class);
    }

    @Test
    void boundsTheErrorThatItKeeps() {
        status(false, "x".repeat(100_000));

        assertThat(running.server.registration())
                .isInstanceOfSatisfying(
                        RegistrationState.Rejected.class,
                        rejected -> assertThat(rejected.error()).hasSizeLessThan(600));
    }

    @Test
    void tellsALossOnceHoweverOftenItIsFound() {
        var observer = new RecordingObserver();
        var service = new RegistrationService(
                "driver", Path.of("/dra.sock"), Clock.fixed(RunningServer.NOW, ZoneOffset.UTC), observer);

        service.lost("taken");
        service.lost("taken");
        service.lost("gone");

        assertThat(observer.states)
                .containsExactly(
                        new RegistrationState.Rejected("taken", RunningServer.NOW),
                        new RegistrationState.Rejected("gone", RunningServer.NOW));
    }

    private void status(boolean registered, String error) {
        RegistrationGrpc.newBlockingStub(client.channel())
                .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                        .setPluginRegistered(registered)
                        .setError(error)
                        .build());
    }
}
