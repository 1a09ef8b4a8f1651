package io.imexagent.nvml.jna;

import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A program that prints the driver's version and the number of GPUs, for tests of whole processes. */
final class PrintDriver {
    private PrintDriver() {}

    /**
     * Prints one line.
     *
     * @param arguments the driver root
     */
    public static void main(String[] arguments) throws NvmlException {
        try (NvmlSession session = new JnaNvml(Path.of(arguments[0]), List.of(), Optional.empty()).open()) {
            System.out.println(session.driverVersion() + " " + session.deviceCount());
        }
    }
}
