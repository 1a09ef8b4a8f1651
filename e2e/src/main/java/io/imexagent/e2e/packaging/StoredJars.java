package io.imexagent.e2e.packaging;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
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
final class StoredJars {

    /** The first moment that an entry can tell; the same in every build. */
    private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private final NativeParts natives;

    StoredJars(NativeParts natives) {
        this.natives = natives;
    }

    /**
     * Writes the jars of a folder into another one, and their native parts into a third.
     *
     * @return the names of the native parts
     * @throws IOException when one cannot be read or written
     */
    List<String> rewrite(Path from, Path jars, Path parts) throws IOException {
        Files.createDirectories(jars);
        Files.createDirectories(parts);
        var unpacked = new TreeSet<String>();
        for (Path jar : jarsOf(from)) {
            String name = jar.getFileName().toString();
            if (!natives.isForeign(name)) {
                unpacked.addAll(rewriteOne(jar, jars.resolve(name), parts));
            }
        }
        return List.copyOf(unpacked);
    }

    private static List<Path> jarsOf(Path folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "*.jar")) {
            entries.forEach(jars::add);
        }
        Collections.sort(jars);
        if (jars.isEmpty()) {
            throw new IOException("there is no jar in " + folder + "; run: make build");
        }
        return jars;
    }

    private List<String> rewriteOne(Path from, Path to, Path parts) throws IOException {
        List<String> unpacked = new ArrayList<>();
        try (ZipFile source = new ZipFile(from.toFile());
                OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
                ZipOutputStream target = new ZipOutputStream(file)) {
            for (ZipEntry entry : inOrder(source)) {
                byte[] content = content(source, entry);
                Optional<String> part = natives.fileName(entry.getName());
                if (part.isPresent()) {
                    Files.write(parts.resolve(part.get()), content);
                    unpacked.add(part.get());
                }
                if (!NativeParts.isNative(entry.getName())) {
                    store(target, entry.getName(), content);
                }
            }
        }
        return unpacked;
    }

    /** The manifest first, where readers of a stream of entries look for it. */
    private static List<ZipEntry> inOrder(ZipFile source) {
        List<ZipEntry> entries = new ArrayList<>();
        Optional.ofNullable(source.getEntry(JarFile.MANIFEST_NAME)).ifPresent(entries::add);
        source.stream()
                .filter(entry -> !entry.isDirectory() && !entry.getName().equals(JarFile.MANIFEST_NAME))
                .forEach(entries::add);
        return entries;
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
