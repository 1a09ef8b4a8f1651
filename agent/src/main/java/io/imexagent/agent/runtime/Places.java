package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.policy.DriverNames;
import java.nio.file.Path;

/** Where files are that several parts need. Their names are the public driver's, so that either finds the other's. */
final class Places {

    private Places() {}

    /** The directory of the plugin, with checkpoint, lock and socket. */
    static Path plugin(AgentConfig config) {
        return config.kubelet().root().resolve("plugins").resolve(DriverNames.DRIVER);
    }

    /** The checkpoint. */
    static Path checkpoint(AgentConfig config) {
        return plugin(config).resolve("checkpoint.json");
    }

    /** The lock around changes of claims. */
    static Path lock(AgentConfig config) {
        return plugin(config).resolve("pu.lock");
    }
}
