package io.imexagent.agent.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The system properties of the native executable. HotSpot gets them from the file of its options; the executable gets
 * the same ones from its build, where this class is initialised (packaging/native-image/options).
 */
final class ImageProperties {

    /** The properties as options, {@code -Dname=value}, separated by spaces; empty on HotSpot. */
    private static final String GIVEN = System.getProperty("imexagent.image.properties", "");

    private ImageProperties() {}

    /**
     * Sets the properties that the command line does not set, and names the folder {@code native} beside the
     * executable's own as the place of native libraries. Does nothing on HotSpot. Must come before the first use of a library.
     */
    static void apply() {
        if (GIVEN.isEmpty()) {
            return;
        }
        for (String option : GIVEN.split(" ", -1)) {
            String[] property = option.substring("-D".length()).split("=", 2);
            System.getProperties().putIfAbsent(property[0], property[1]);
        }
        String parts = executable().resolveSibling("../native").normalize().toString();
        System.getProperties().putIfAbsent("jna.nounpack", "true");
        System.getProperties().putIfAbsent("jna.boot.library.path", parts);
        String others = System.getProperty("java.library.path", "");
        // An empty part of a path would be the working directory.
        System.setProperty("java.library.path", others.isEmpty() ? parts : parts + ":" + others);
    }

    private static Path executable() {
        try {
            return Path.of("/proc/self/exe").toRealPath();
        } catch (IOException noProc) {
            throw new UncheckedIOException("cannot tell where this program is; mount /proc", noProc);
        }
    }
}
