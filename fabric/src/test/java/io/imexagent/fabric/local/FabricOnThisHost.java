package io.imexagent.fabric.local;

import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.child.FabricContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The driver of a machine with a GPU: run by name only, as root (README.md of this module), since other machines have none. The
 * system property {@code imexagent.driverRoot} names the driver's root, {@code /} otherwise.
 */
class FabricOnThisHost implements FabricContract {

    @Override
    public ChildLauncher withChannels(int... channels) {
        return () -> {
            var isolated =
                    new IsolatedChildren(ChildMain.program(), major(), Path.of("/dev"), IsolatedChildren.FOLDERS);
            return isolated.with(Arrays.stream(channels).boxed().toList()).launch();
        };
    }

    @Override
    public Path driverRoot() {
        return Path.of(System.getProperty("imexagent.driverRoot", "/"));
    }

    private static int major() throws IOException {
        return Files.readAllLines(Path.of("/proc/devices")).stream()
                .map(String::strip)
                .filter(line -> line.endsWith(" nvidia-caps-imex-channels"))
                .map(line -> Integer.parseInt(line.substring(0, line.indexOf(' '))))
                .findFirst()
                .orElseThrow(() -> new IOException("no nvidia-caps-imex-channels in /proc/devices"));
    }
}
