package io.imexagent.imex.gate;

/** The kernel's module of NVIDIA's driver, as {@code /proc/devices} shows it: {@code 195 nvidia}, {@code 195 nvidiactl}. */
final class KernelDriver {

    private static final String BLOCK_DEVICES = "Block devices:";
    private static final String PREFIX = "nvidia";

    private KernelDriver() {}

    /** Whether the text of {@code /proc/devices} lists character devices of the driver. */
    static boolean up(String procDevices) {
        return procDevices
                .lines()
                .takeWhile(line -> !line.startsWith(BLOCK_DEVICES))
                .map(String::strip)
                .anyMatch(line -> line.startsWith(PREFIX, line.indexOf(' ') + 1));
    }
}
