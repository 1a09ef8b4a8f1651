package io.imexagent.e2e.machine;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A tray of the machine's NVLink clique beside it: the checkout's agent on a made-up host, and a kubelet. */
final class SecondTray implements AutoCloseable {

    /** The name of its node. */
    static final String NAME = "tray-08";

    private static final int UID = 8_000_000;

    private final FakeHost host;
    private final KubeletDouble kubelet;
    private final AgentProcess agent;

    private SecondTray(FakeHost host, KubeletDouble kubelet, AgentProcess agent) {
        this.host = host;
        this.kubelet = kubelet;
        this.agent = agent;
    }

    /** Makes its node and starts the agent, with the files below a folder. */
    static SecondTray start(Path folder, ApiDouble api) throws IOException, InterruptedException {
        api.apply(Fixtures.node(NAME, Fixtures.uid(UID)));
        FakeHost host = FakeHost.create(Files.createDirectories(folder));
        Path kubeconfig = api.writeKubeconfig(folder.resolve("kubelet.conf"), new Login.TokenLogin("node:" + NAME));
        Path configuration = AgentSettings.of(host, NAME, kubeconfig)
                .with("publication.cliqueLabel", "true")
                .write(folder.resolve("config.yaml"));
        KubeletDouble kubelet = KubeletDouble.start(host.kubeletRoot());
        AgentProcess agent = AgentLaunch.run(configuration).start();
        kubelet.awaitPlugin(SystemdMachine.LONG);
        return new SecondTray(host, kubelet, agent);
    }

    /** Prepares a claim, as the kubelet does until it works; the text of its CDI spec. */
    String prepare(KubeletClaimRequest claim) throws IOException, InterruptedException {
        agent.awaitTrue("the claim to be prepared", () -> kubelet.prepare(claim) instanceof ClaimResult.ClaimDone);
        return Files.readString(host.cdiFiles(claim.uid()).getFirst());
    }

    @Override
    public void close() {
        agent.close();
        kubelet.close();
    }
}
