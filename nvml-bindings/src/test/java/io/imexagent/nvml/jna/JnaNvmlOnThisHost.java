package io.imexagent.nvml.jna;

import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlHostContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The driver's own library on a machine with a GPU: run by name only (README.md of this module), since other machines have
 * none. The system property {@code imexagent.driverRoot} names the driver's root, {@code /} otherwise.
 */
class JnaNvmlOnThisHost implements NvmlHostContract {

    private static final Nvml DRIVER = new JnaNvml(
            Path.of(System.getProperty("imexagent.driverRoot", "/")), List.of(), Optional.of(Duration.ofSeconds(3)));

    @Override
    public Nvml nvml() {
        return DRIVER;
    }
}
