package io.imexagent.fabric.local;

import io.imexagent.fabric.child.ChildMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The driver of this machine, for tests that are run by name on one with a GPU. */
public final class ThisHost {
    private ThisHost() {}

    /** The driver's root, as the system property {@code imexagent.driverRoot} names it; {@code /} otherwise. */
    public static Path driverRoot() {
        return Path.of(System.getProperty("imexagent.driverRoot", "/"));
    }

    /** Children with the NVIDIA nodes of this machine. */
    public static IsolatedChildren children() throws IOException {
        return new IsolatedChildren(ChildMain.program(), major(), Path.of("/dev"), IsolatedChildren.FOLDERS);
    }

    /** The major of IMEX channels. */
    static int major() throws IOException {
        return Files.readAllLines(Path.of("/proc/devices")).stream()
                .map(String::strip)
                .filter(line -> line.endsWith(" nvidia-caps-imex-channels"))
                .map(line -> Integer.parseInt(line.substring(0, line.indexOf(' '))))
                .findFirst()
                .orElseThrow(() -> new IOException("no nvidia-caps-imex-channels in /proc/devices"));
    }
}
