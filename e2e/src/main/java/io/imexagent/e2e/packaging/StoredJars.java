package io.imexagent.e2e.packaging;

import io.imexagent.e2e.link.ImageLinker;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.JarFile;
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
        List<Path> sources = ImageLinker.jars(from, "*.jar");
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
                byte[] content = content(source, entry);
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

    private static byte[] content(ZipFile source, ZipEntry entry) throws IOException {
        try (InputStream stream = source.getInputStream(entry)) {
            return stream.readAllBytes();
        }
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
}
