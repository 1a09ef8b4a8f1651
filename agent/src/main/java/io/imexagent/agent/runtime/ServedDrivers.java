package io.imexagent.agent.runtime;

import io.imexagent.agent.check.AgentPaths;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.driver.ClaimHost;
import io.imexagent.dra.driver.Driver;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.dra.driver.DriverObserver;
import io.imexagent.dra.driver.ServedDriver;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.PeerPolicy;
import io.imexagent.files.FileSteps;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The DRA drivers of this agent, as the configuration wants them. */
final class ServedDrivers {

    private ServedDrivers() {}

    /** A driver with its claims, sockets and slices, which does nothing yet. */
    static ServedDriver of(
            AgentConfig first,
            ThisProcess process,
            Observing observing,
            Driver<?> driver,
            PrepareSettings settings,
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            DeviceHealthSource health,
            DriverObserver observer) {
        var host = new ClaimHost(
                first.get(ConfigKeys.KUBELET_ROOT),
                AgentPaths.plugin(first, driver.name()),
                first.get(ConfigKeys.CDI_DIRECTORY),
                AgentPaths.LOCK_PATIENCE,
                FileSteps.ALL_PASS,
                process.effects(),
                observing.metrics().workers(),
                process.clock(),
                process.nanoTime(),
                process.random());
        return new ServedDriver(
                new DriverClaims<>(
                        driver, host, observing.api().claims(), observing.api().backgroundClaims(), settings, observer),
                DraSettings.of(
                        first.get(ConfigKeys.KUBELET_ROOT),
                        driver.name(),
                        PeerPolicy.rootAnd(first.kubeletUid()),
                        first.get(ConfigKeys.HEALTH_TIMEOUT)),
                new ServedDriver.Publication(
                        observing.api().slices(driver.name(), first.get(ConfigKeys.NODE_NAME)),
                        observing.api().nodes(),
                        first.get(ConfigKeys.NODE_NAME),
                        wanted,
                        changes,
                        health),
                observer,
                process.clock(),
                process.nanoTime(),
                process.random());
    }
}
