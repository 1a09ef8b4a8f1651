package io.imexagent.agent.check;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.dra.driver.ClaimHost;
import java.nio.file.Path;
import java.time.Duration;

/** The files of a DRA driver below the kubelet's root. Their names are the public driver's, so that either finds the other's. */
public final class AgentPaths {

    /**
     * How long to wait for the lock: another process holds it while it writes the files of one claim; longer means that
     * it hangs.
     */
    public static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

    private AgentPaths() {}

    /** The plugin directory of this driver, with checkpoint, lock and socket. */
    public static Path plugin(AgentConfig config, String driver) {
        return config.kubelet().root().resolve("plugins").resolve(driver);
    }

    /** The record of claims of this driver. */
    public static Path record(AgentConfig config, String driver, CheckpointFormat format) {
        return plugin(config, driver).resolve(format.fileName());
    }

    /** The lock around changes of claims of this driver. */
    public static Path lock(AgentConfig config, String driver) {
        return plugin(config, driver).resolve(ClaimHost.LOCK);
    }
}
