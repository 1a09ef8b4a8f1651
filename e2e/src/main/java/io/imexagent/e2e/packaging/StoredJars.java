package io.imexagent.e2e.packaging;

import io.imexagent.e2e.process.Checkout;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Jars as they ship: stored instead of deflated, since the package is compressed as a whole and comes out at half the
 * size, with one time for all entries, and without native parts, which lie beside them.
 */
public final class StoredJars {

    /** The first moment that an entry can tell; the same in every build. */
    private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private StoredJars() {}

    /**
     * Writes the jars of a folder into another one, and their native parts into a third.
     *
     * @param machine the architecture, as {@code uname -m} says it
     * @return the names of the native parts
     */
    public static SortedSet<String> write(String machine, Path from, Path jars, Path parts) throws IOException {
        Architecture architecture = Architecture.of(machine);
        List<Path> sources = Checkout.files(from, "*.jar");
        if (sources.isEmpty()) {
            throw new IOException("there is no jar in " + from + "; run: make build");
        }
        Files.createDirectories(jars);
        Files.createDirectories(parts);
        var unpacked = new TreeSet<String>();
        for (Path source : sources) {
            String name = source.getFileName().toString();
            if (!architecture.isForeign(name)) {
                write(architecture, source, jars.resolve(name), parts, unpacked);
            }
        }
        return unpacked;
    }

    private static void write(Architecture architecture, Path from, Path to, Path parts, SortedSet<String> unpacked)
            throws IOException {
        try (ZipFile source = new ZipFile(from.toFile());
                OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
                ZipOutputStream target = new ZipOutputStream(file)) {
            for (ZipEntry entry : inOrder(source)) {
                byte[] content = source.getInputStream(entry).readAllBytes();
                Optional<String> part = architecture.fileName(entry.getName());
                if (part.isPresent()) {
                    Files.write(parts.resolve(part.get()), content);
                    unpacked.add(part.get());
                }
                if (!Architecture.isNative(entry.getName())) {
                    store(target, entry.getName(), content);
                }
            }
        }
    }

    /** The manifest first, where readers of a stream of entries look for it. */
    private static List<? extends ZipEntry> inOrder(ZipFile source) {
        return source.stream()
                .filter(entry -> !entry.isDirectory())
                .sorted(Comparator.comparing(entry -> !entry.getName().equals(JarFile.MANIFEST_NAME)))
                .toList();
    }

    private static void store(ZipOutputStream target, String name, byte[] content) throws IOException {
        var entry = new ZipEntry(name);
        var sum = new CRC32();
        sum.update(content);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(content.length);
        entry.setCrc(sum.getValue());
        entry.setTimeLocal(TIME);
        target.putNextEntry(entry);
        target.write(content);
        target.closeEntry();
    }

    /** The processor architectures for which the agent is packaged, and the native parts of jars that each needs. */
    enum Architecture {
        /** Hosts of other GPUs, and the machines on which the project is built. */
        X86_64("x86_64"),
        /** Grace, the hosts of GB200 and GB300. */
        AARCH64("aarch_64");

        /** JNA's and jffi's lie in folders by platform, those for AIX are archives; Netty's in one of {@code META-INF}. */
        private static final Pattern NATIVE =
                Pattern.compile("(com/sun/jna/[^/]+|jni/[^/]+|META-INF/native)/[^/]+\\.(so|dll|jnilib|a|dylib)");

        private final String netty;

        Architecture(String netty) {
            this.netty = netty;
        }

        /** By what {@code uname -m} says; {@link IllegalArgumentException} for any other machine. */
        static Architecture of(String machine) {
            return Arrays.stream(values())
                    .filter(one -> one.machine().equals(machine))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there are no native parts for " + machine
                            + ", only for "
                            + Arrays.stream(values()).map(Architecture::machine).collect(Collectors.joining(" and "))));
        }

        /** What {@code uname -m} says. */
        String machine() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether an entry of a jar is a native part, for whatever machine. */
        static boolean isNative(String entry) {
            return NATIVE.matcher(entry).matches();
        }

        /** The file name under which an entry's library looks for it outside of its jar, where this architecture needs it. */
        Optional<String> fileName(String entry) {
            List<String> needed = List.of(
                    "com/sun/jna/linux-" + machine().replace('_', '-') + "/libjnidispatch.so",
                    "jni/" + machine() + "-Linux/libjffi-1.2.so",
                    "META-INF/native/libnetty_transport_native_epoll_" + netty + ".so");
            return Optional.of(entry).filter(needed::contains).map(path -> path.substring(path.lastIndexOf('/') + 1));
        }

        /** Whether a jar holds nothing but native parts of another architecture. */
        boolean isForeign(String jar) {
            return jar.startsWith("netty-transport-native-")
                    && jar.contains("-linux-")
                    && !jar.contains("-linux-" + netty);
        }
    }
}
