package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.KeyKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whom the agent is to the API server, and how it keeps being it. */
@ExtendWith(Worlds.class)
class IdentityIT {
    private static final UserIdentity KUBELET = UserIdentity.node(World.NODE);

    @Test
    void theKubeletsCertificateIsUsedAndReadAgainWhenItRotates(World world) throws Exception {
        Path pem = world.directory().resolve("kubelet-client-current.pem");
        certificate(world, Duration.ofDays(-1)).writePem(pem);
        kubeconfig(world, new Login.CertificateFile(pem));
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startRegistered(world.launch());
        assertThat(World.refusal(world.prepare(workload))).contains("[api_unavailable]");

        certificate(world, Duration.ofDays(1)).writePem(pem);

        world.awaitPrepared(agent, workload);
        world.awaitSlice(agent);
        assertThat(world.api().requests().recent().stream().map(LoggedRequest::user))
                .contains(KUBELET.user());
    }

    @Test
    void aTokenFileIsReadAgain(World world) throws Exception {
        Path token = Files.writeString(world.directory().resolve("token"), "first");
        world.api().acceptToken("first", KUBELET);
        kubeconfig(world, new Login.TokenFile(token));
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();

        world.api().revokeToken("first");
        world.api().acceptToken("second", KUBELET);
        Files.writeString(token, "second");

        world.awaitPrepared(agent, workload);
    }

    @Test
    void anExecPluginIsAskedAgain(World world) throws Exception {
        Path token = Files.writeString(world.directory().resolve("token"), "first");
        world.api().acceptToken("first", KUBELET);
        kubeconfig(world, Login.writeExecPlugin(world.directory().resolve("login"), token));
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();

        Files.writeString(token, "second");
        world.api().acceptToken("second", KUBELET);
        world.api().revokeToken("first");

        world.awaitPrepared(agent, workload);
    }

    private static IssuedCertificate certificate(World world, Duration validity) {
        return world.api().issueCertificate(KUBELET, KeyKind.EC_SEC1, validity);
    }

    private static void kubeconfig(World world, Login login) throws Exception {
        Path file = world.api().writeKubeconfig(world.directory().resolve("kubelet.conf"), login);
        world.with("kubernetes.kubeconfig", file.toString());
    }
}
