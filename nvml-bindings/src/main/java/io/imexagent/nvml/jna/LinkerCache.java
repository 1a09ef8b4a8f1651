package io.imexagent.nvml.jna;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The cache of the dynamic linker, {@code /etc/ld.so.cache}, which maps a library's name to files. ldconfig(8), which
 * reads {@code /etc/ld.so.conf}, writes it; the layout is that of {@code sysdeps/generic/dl-cache.h} of glibc.
 */
final class LinkerCache {

    /** The path of the cache below a root. */
    static final Path FILE = Path.of("etc/ld.so.cache");

    private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OLD_MAGIC = "ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII);

    // struct cache_file and file_entry: the magic, padded, the number of entries, the entries.
    private static final int OLD_HEADER = 16;
    private static final int OLD_ENTRY = 12;

    // struct cache_file_new and file_entry_new.
    private static final int HEADER = 48;
    private static final int ENTRY = 24;
    private static final int KEY = 4;
    private static final int VALUE = 8;
    private static final int HWCAP = 16;

    /** The largest cache that is read, in bytes; a host with tens of thousands of libraries has a few megabytes. */
    private static final long LARGEST = 64L << 20;

    private LinkerCache() {}

    /**
     * The files for a library's name in the cache below a root, as the cache names them, for all architectures and in
     * its order, without those that require a certain processor. A missing or unreadable cache has none.
     */
    static List<String> files(Path root, String library) {
        try {
            Path cache = root.resolve(FILE);
            return Files.size(cache) > LARGEST ? List.of() : entries(Files.readAllBytes(cache), library);
        } catch (IOException missing) {
            return List.of();
        }
    }

    /** The files for a library's name in the bytes of a cache, as for {@link #files}; damaged parts have no entries. */
    static List<String> entries(byte[] bytes, String library) {
        try {
            ByteBuffer cache = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            return entries(
                    cache.slice(start(cache), cache.limit() - start(cache)).order(cache.order()), library);
        } catch (IndexOutOfBoundsException | BufferUnderflowException | ArithmeticException damaged) {
            return List.of();
        }
    }

    /** The start of the current table: glibc before 2.32 writes a table of an older layout first. */
    private static int start(ByteBuffer cache) {
        if (!startsWith(cache, OLD_MAGIC)) {
            return 0;
        }
        int end = Math.addExact(OLD_HEADER, Math.multiplyExact(cache.getInt(OLD_HEADER - Integer.BYTES), OLD_ENTRY));
        return (end + Long.BYTES - 1) & -Long.BYTES;
    }

    private static List<String> entries(ByteBuffer cache, String library) {
        if (!startsWith(cache, MAGIC)) {
            return List.of();
        }
        var found = new ArrayList<String>();
        int count = cache.getInt(MAGIC.length);
        for (int index = 0; index < count; index++) {
            int entry = Math.addExact(HEADER, Math.multiplyExact(index, ENTRY));
            if (cache.getLong(entry + HWCAP) == 0
                    && text(cache, cache.getInt(entry + KEY)).equals(library)) {
                String file = text(cache, cache.getInt(entry + VALUE));
                if (isName(file)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    /** Whether this process can name the file: its locale may lack characters of the name. */
    private static boolean isName(String file) {
        try {
            return Path.of(file).isAbsolute();
        } catch (InvalidPathException unnameable) {
            return false;
        }
    }

    private static String text(ByteBuffer cache, int offset) {
        int end = offset;
        while (cache.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - offset];
        cache.get(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static boolean startsWith(ByteBuffer cache, byte[] magic) {
        return cache.limit() >= magic.length && cache.slice(0, magic.length).equals(ByteBuffer.wrap(magic));
    }
}
