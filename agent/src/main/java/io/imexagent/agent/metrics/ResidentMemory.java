package io.imexagent.agent.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident memory of this process, from {@code VmRSS} of {@code /proc/self/status} (proc(5)). */
final class ResidentMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String LINE = "VmRSS:";

    private ResidentMemory() {}

    /** Bytes; not a number where the kernel does not tell. */
    static double bytes() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(LINE)) {
                    String kilobytes =
                            line.substring(LINE.length()).replace("kB", "").strip();
                    return Long.parseLong(kilobytes) * 1024.0;
                }
            }
        } catch (IOException | NumberFormatException untold) {
            return Double.NaN;
        }
        return Double.NaN;
    }
}
