package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.PeerPolicy;
import io.imexagent.kubernetes.DriverNames;
import java.io.IOException;
import java.nio.file.Path;

/** Where files are that several parts need. Their names are the public driver's, so that either finds the other's. */
final class AgentPaths {

    private AgentPaths() {}

    /** The directory of the plugin, with checkpoint, lock and socket. */
    static Path plugin(AgentConfig config) {
        return plugin(config, DriverNames.DRIVER);
    }

    /** The directory of the plugin of this driver. */
    static Path plugin(AgentConfig config, String driver) {
        return config.get(ConfigKeys.KUBELET_ROOT).resolve("plugins").resolve(driver);
    }

    /** The record of claims of this driver. */
    static Path record(AgentConfig config, String driver, CheckpointFormat format) {
        return plugin(config, driver).resolve(format.fileName());
    }

    /** Whether another plugin of the driver, such as the public driver's, serves this node. */
    static boolean anotherPluginListens(AgentConfig config) {
        try {
            DraServer.refuseOthers(DraSettings.of(
                    config.get(ConfigKeys.KUBELET_ROOT),
                    DriverNames.DRIVER,
                    PeerPolicy.rootAnd(config.kubeletUid()),
                    config.get(ConfigKeys.HEALTH_TIMEOUT)));
            return false;
        } catch (IOException listens) {
            return true;
        }
    }

    /** The lock around changes of claims of this driver. */
    static Path lock(AgentConfig config, String driver) {
        return plugin(config, driver).resolve("pu.lock");
    }
}
