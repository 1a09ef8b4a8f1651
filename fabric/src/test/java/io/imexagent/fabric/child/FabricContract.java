package io.imexagent.fabric.child;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.child.ChildAnswer.CallRefused;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What children get from libcuda on one node, the fake and a driver's alike: each row was measured on a GPU. Only whether a
 * result is 0 is held here, as the product does.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public interface FabricContract {

    String NONCE = "00112233445566778899aabbccddeeff";

    /** A child that has exactly these channels. */
    ChildLauncher withChannels(int... channels);

    /** The root of the driver. */
    Path driverRoot();

    /** A channel that is no one's, beside the one after it. */
    default int channel() {
        return 256;
    }

    @Test
    default void eachGpuHasAnIdentifierAndFabricHandles() throws Exception {
        try (FabricChild child = launch(channel())) {
            List<FabricGpu> gpus = open(child);

            assertThat(gpus).isNotEmpty().allMatch(FabricGpu::fabricHandles);
            assertThat(gpus).allMatch(gpu -> gpu.uuid().matches("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
        }
    }

    @Test
    default void withoutAChannelNoMemoryIsAllocated() throws Exception {
        try (FabricChild child = launch()) {
            assertThat(child.export(gpu(child), FabricLevel.IMPORT, NONCE))
                    .isInstanceOfSatisfying(
                            CallRefused.class,
                            refused -> assertThat(refused.call()).isEqualTo(CudaCall.CREATE));
        }
    }

    @ParameterizedTest
    @EnumSource
    default void memoryIsImportedOnTheExportersChannel(FabricLevel level) throws Exception {
        try (FabricChild exporter = launch(channel());
                FabricChild importer = launch(channel())) {
            FabricExport export = export(exporter, level);

            assertThat(importer.importMemory(gpu(importer), level, export))
                    .isEqualTo(new ChildSucceeded<>(level == FabricLevel.DATA ? Optional.of(NONCE) : Optional.empty()));
        }
    }

    @Test
    default void memoryIsNotImportedOnAnotherChannelNorWithoutOne() throws Exception {
        try (FabricChild exporter = launch(channel());
                FabricChild other = launch(channel() + 1);
                FabricChild none = launch()) {
            FabricExport export = export(exporter, FabricLevel.IMPORT);

            for (FabricChild importer : List.of(other, none)) {
                assertThat(importer.importMemory(gpu(importer), FabricLevel.IMPORT, export))
                        .isInstanceOfSatisfying(
                                CallRefused.class,
                                refused -> assertThat(refused.call()).isEqualTo(CudaCall.IMPORT));
            }
        }
    }

    @Test
    default void aProcessKeepsTheChannelOfItsFirstImport() throws Exception {
        try (FabricChild lower = launch(channel());
                FabricChild upper = launch(channel() + 1);
                FabricChild both = launch(channel(), channel() + 1)) {
            FabricExport ofLower = export(lower, FabricLevel.IMPORT);
            FabricExport ofUpper = export(upper, FabricLevel.IMPORT);

            assertThat(both.importMemory(gpu(both), FabricLevel.MAP, ofUpper)).isInstanceOf(ChildSucceeded.class);
            assertThat(both.importMemory(gpu(both), FabricLevel.IMPORT, ofLower))
                    .isInstanceOf(CallRefused.class);

            FabricExport own = export(both, FabricLevel.IMPORT);
            assertThat(lower.importMemory(gpu(lower), FabricLevel.IMPORT, own)).isInstanceOf(CallRefused.class);
            assertThat(upper.importMemory(gpu(upper), FabricLevel.IMPORT, own)).isInstanceOf(ChildSucceeded.class);
        }
    }

    @Test
    default void ofTheExportersChannelsTheFirstByNameCounts() throws Exception {
        int first = 1000;
        try (FabricChild both = launch(channel(), first);
                FabricChild named = launch(first);
                FabricChild other = launch(channel())) {
            FabricExport export = export(both, FabricLevel.IMPORT);

            assertThat(named.importMemory(gpu(named), FabricLevel.IMPORT, export))
                    .isInstanceOf(ChildSucceeded.class);
            assertThat(other.importMemory(gpu(other), FabricLevel.IMPORT, export))
                    .isInstanceOf(CallRefused.class);
            assertThat(both.importMemory(gpu(both), FabricLevel.IMPORT, export(other, FabricLevel.IMPORT)))
                    .isInstanceOf(CallRefused.class);
        }
    }

    @Test
    default void memoryThatIsReleasedOrWhoseExporterEndedIsNotImported() throws Exception {
        try (FabricChild importer = launch(channel())) {
            String gpu = gpu(importer);
            FabricExport released;
            FabricExport ended;
            try (FabricChild exporter = launch(channel())) {
                released = export(exporter, FabricLevel.IMPORT);
                assertThat(exporter.release()).isEqualTo(new ChildSucceeded<>(true));
                assertThat(importer.importMemory(gpu, FabricLevel.IMPORT, released))
                        .isInstanceOf(CallRefused.class);
                ended = export(exporter, FabricLevel.IMPORT);
            }
            assertThat(importer.importMemory(gpu, FabricLevel.IMPORT, ended)).isInstanceOf(CallRefused.class);

            try (FabricChild exporter = launch(channel())) {
                assertThat(importer.importMemory(gpu, FabricLevel.MAP, export(exporter, FabricLevel.MAP)))
                        .as("an importer that was refused goes on")
                        .isInstanceOf(ChildSucceeded.class);
            }
        }
    }

    @Test
    default void aHandleThatNoExporterMadeIsNotImported() throws Exception {
        try (FabricChild importer = launch(channel())) {
            var invented = new FabricExport(new FabricHandle("5a".repeat(FabricHandle.BYTES)), 2 << 20);

            assertThat(importer.importMemory(gpu(importer), FabricLevel.IMPORT, invented))
                    .isInstanceOf(CallRefused.class);
        }
    }

    private FabricChild launch(int... channels) throws IOException {
        return FabricChild.launch(withChannels(channels), ChildDeadlines.USUAL);
    }

    private FabricExport export(FabricChild child, FabricLevel level) throws InterruptedException {
        return value(child.export(gpu(child), level, NONCE));
    }

    private String gpu(FabricChild child) throws InterruptedException {
        return open(child).getFirst().uuid();
    }

    private List<FabricGpu> open(FabricChild child) throws InterruptedException {
        return value(child.open(driverRoot()));
    }

    static <T> T value(ChildAnswer<T> answer) {
        if (answer instanceof ChildSucceeded<T>(T value)) {
            return value;
        }
        throw new AssertionError(answer);
    }
}
