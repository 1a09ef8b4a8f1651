package io.imexagent.agent.runtime;

import io.imexagent.agent.check.CheckResult;
import io.imexagent.agent.check.Preconditions;
import io.imexagent.agent.cli.CheckSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.imex.ImexLook;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpKubernetesApi;
import java.nio.file.Path;
import java.util.List;

/** Checks the preconditions of this node, for a command. */
final class LocalChecks implements CheckSource {

    private final ThisProcess process;

    LocalChecks(ThisProcess process) {
        this.process = process;
    }

    @Override
    public List<Check> check(AgentConfig config) throws InterruptedException {
        Logging.start(AgentConfig.Log.Level.WARN, false);
        var preconditions = new Preconditions(
                config,
                new ThisHost(config),
                () -> new HttpKubernetesApi(
                        ClusterAccess.of(config.kubernetes().kubeconfig()),
                        "imex-agent-check",
                        process.clock(),
                        process.random(),
                        ApiObserver.NONE),
                Path.of("/proc"));
        return preconditions.run().stream().map(LocalChecks::told).toList();
    }

    private static Check told(CheckResult result) {
        Verdict verdict = switch (result.status()) {
            case OK -> Verdict.OK;
            case WARNING -> Verdict.WARNING;
            case FAILURE -> Verdict.FAILURE;
        };
        return new Check(result.id(), verdict, result.message(), result.remedy());
    }

    /** The host, as the commands that tell of it alone read it. */
    private final class ThisHost implements Preconditions.Host {

        private final AgentConfig config;

        ThisHost(AgentConfig config) {
            this.config = config;
        }

        @Override
        public NodeInventory inventory() throws InterruptedException {
            return new LocalProbe(process).inventory(config);
        }

        @Override
        public ImexHealth imex(NodeInventory inventory) throws InterruptedException {
            return new ImexLook(config, process.clock()).look(inventory);
        }
    }
}
