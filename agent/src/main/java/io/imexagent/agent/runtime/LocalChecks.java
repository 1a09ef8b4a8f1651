package io.imexagent.agent.runtime;

import io.imexagent.agent.check.Preconditions;
import io.imexagent.agent.cli.CheckSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.check.CheckResult;
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
    public List<CheckResult> check(AgentConfig config) throws InterruptedException {
        Logging.start(AgentConfig.LogLevel.WARN, false);
        var preconditions = new Preconditions(
                config,
                new ThisHost(config),
                () -> new HttpKubernetesApi(
                        ClusterAccess.of(config.get(ConfigKeys.KUBECONFIG)),
                        "imex-agent-check",
                        process.clock(),
                        process.random(),
                        ApiObserver.NONE),
                Path.of("/proc"));
        return preconditions.run();
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
            return LocalHealth.look(config, process).look(inventory);
        }
    }
}
