package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.probe.GpuEventWatch.OpenXids;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XidBookTest {

    private static final Instant AT = Inventories.gb200().takenAt();
    private static final OptionalInt GPU_0 = OptionalInt.of(0);

    private final OpenXids book = new OpenXids();

    private static NodeInventory reading(Duration after, Optional<String> action) {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        NodeInventory node = Inventories.with(
                Inventories.gb200(),
                List.of(new Gpu(
                        gpu.index(),
                        gpu.name(),
                        gpu.uuid(),
                        gpu.pci(),
                        gpu.fabric(),
                        new GpuHealth(List.of(), Optional.empty(), action))));
        return new NodeInventory(
                AT.plus(after),
                node.driver(),
                node.gpus(),
                node.clique(),
                node.channelMajor(),
                node.channelCount(),
                node.channelNode(),
                node.bootId(),
                node.vendor(),
                node.findings());
    }

    @Test
    void anXidOfTheGpuCountsAndSaysWhich() {
        assertThat(book.report(GPU_0, 79, AT)).isTrue();

        assertThat(book.complaint())
                .hasValueSatisfying(
                        line -> assertThat(line).startsWith("GPU 0 reported Xid 79 at 2026-11-21T10:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(longs = {13, 31, 43, 45, 68, 109})
    void anXidOfAProgramDoesNotCount(long number) {
        assertThat(book.report(GPU_0, number, AT)).isFalse();
        assertThat(book.complaint()).isEmpty();
    }

    @Test
    void anXidOfNoGpuInParticularCountsForNone() {
        assertThat(book.report(OptionalInt.empty(), 79, AT)).isFalse();
        assertThat(book.complaint()).isEmpty();
    }

    @Test
    void aLaterReadingWithoutNeedOfRecoveryEndsIt() {
        book.report(GPU_0, 94, AT);

        assertThat(book.read(reading(Duration.ofSeconds(-1), Optional.of("none"))))
                .isFalse();
        assertThat(book.read(reading(Duration.ofSeconds(1), Optional.of("reset"))))
                .isFalse();
        assertThat(book.read(reading(Duration.ofSeconds(2), Optional.empty()))).isFalse();
        assertThat(book.complaint()).isPresent();

        assertThat(book.read(reading(Duration.ofSeconds(3), Optional.of("none"))))
                .isTrue();
        assertThat(book.complaint()).isEmpty();
    }

    @Test
    void anUnloadedDriverEndsAll() {
        book.report(GPU_0, 94, AT);

        assertThat(book.read(Inventories.with(Inventories.gb200(), new DriverState.AbsentDriver("unloaded"))))
                .isTrue();
        assertThat(book.complaint()).isEmpty();
    }

    @Test
    void theSameXidAgainIsNoNews() {
        book.report(GPU_0, 94, AT);

        assertThat(book.report(GPU_0, 94, AT.plusSeconds(1))).isFalse();
        assertThat(book.report(GPU_0, 95, AT.plusSeconds(2))).isTrue();
    }
}
