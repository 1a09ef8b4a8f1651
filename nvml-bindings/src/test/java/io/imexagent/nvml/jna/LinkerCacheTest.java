package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkerCacheTest {

    private static final String NAME = "libnvidia-ml.so.1";
    private static final String FIRST = "/usr/lib/libnvidia-ml.so.1";
    private static final String SECOND = "/opt/nvidia/lib/libnvidia-ml.so.1";

    private record Entry(String key, String value, long hwcap) {}

    private static final List<Entry> ENTRIES = List.of(
            new Entry("libc.so.6", "/usr/lib/libc.so.6", 0),
            new Entry(NAME, FIRST, 0),
            new Entry(NAME, "/usr/lib/glibc-hwcaps/x86-64-v4/libnvidia-ml.so.1", 1L << 62),
            new Entry(NAME, SECOND, 0));

    @Test
    void namesTheFilesInItsOrder() {
        assertThat(LinkerCache.entries(cache(ENTRIES), NAME)).containsExactly(FIRST, SECOND);
        assertThat(LinkerCache.entries(cache(ENTRIES), "libnvidia-ml.so")).isEmpty();
    }

    @Test
    void readsACacheThatHasATableOfTheOldLayoutBeforeIt() {
        byte[] cache = cache(ENTRIES);
        // Three entries of 12 bytes behind a header of 16, up to the next multiple of 8.
        ByteBuffer both = ByteBuffer.allocate(56 + cache.length).order(ByteOrder.nativeOrder());
        both.put("ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII)).putInt(12, 3);

        assertThat(LinkerCache.entries(both.put(56, cache).array(), NAME)).containsExactly(FIRST, SECOND);
    }

    @Test
    void whatIsCutOffHasNoEntries() {
        byte[] cache = cache(ENTRIES);

        for (int length = 0; length < cache.length - 1; length++) {
            assertThat(LinkerCache.entries(Arrays.copyOf(cache, length), NAME))
                    .as("the first %s bytes", length)
                    .isIn(List.of(), List.of(FIRST), List.of(FIRST, SECOND));
        }
    }

    @Test
    void numbersThatLeadOutOfTheCacheHaveNoEntries() {
        for (int at = 20; at < 48 + 24; at += 4) {
            for (int number : new int[] {-1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                byte[] cache = cache(List.of(new Entry(NAME, FIRST, 0)));
                ByteBuffer.wrap(cache).order(ByteOrder.nativeOrder()).putInt(at, number);

                assertThat(LinkerCache.entries(cache, NAME)).isIn(List.of(), List.of(FIRST));
            }
        }
    }

    @Test
    void aTableOfTheOldLayoutThatIsTooLargeHasNoEntries() {
        for (int number : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            ByteBuffer damaged = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
            damaged.put("ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII)).putInt(12, number);

            assertThat(LinkerCache.entries(damaged.array(), NAME)).isEmpty();
        }
    }

    @Test
    void whatIsNoAbsolutePathIsNoEntry() {
        assertThat(LinkerCache.entries(
                        cache(List.of(new Entry(NAME, "relative/" + NAME, 0), new Entry(NAME, FIRST, 0))), NAME))
                .containsExactly(FIRST);
        assertThat(LinkerCache.entries(cache(List.of(new Entry(NAME, "", 0), new Entry(NAME, FIRST, 0))), NAME))
                .containsExactly(FIRST);
    }

    @Test
    void aCacheThatIsMissingHasNoEntries(@TempDir Path root) {
        assertThat(LinkerCache.files(root, NAME)).isEmpty();
    }

    private static byte[] cache(List<Entry> entries) {
        ByteBuffer cache = ByteBuffer.allocate(4096).order(ByteOrder.nativeOrder());
        cache.put("glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII));
        cache.putInt(entries.size());
        int text = 48 + 24 * entries.size();
        for (int index = 0; index < entries.size(); index++) {
            Entry entry = entries.get(index);
            int start = 48 + 24 * index;
            cache.putInt(start, 0x303).putInt(start + 4, text);
            text = put(cache, text, entry.key());
            cache.putInt(start + 8, text).putLong(start + 16, entry.hwcap());
            text = put(cache, text, entry.value());
        }
        return Arrays.copyOf(cache.array(), text);
    }

    private static int put(ByteBuffer cache, int at, String text) {
        byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
        cache.put(at, bytes);
        return at + bytes.length;
    }
}
