package io.imexagent.fabric.child;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.child.ChildAnswer.CallRefused;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.child.ChildAnswer.ChildTimedOut;
import io.imexagent.fabric.child.ChildAnswer.ChildUnusable;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.host.PipedProcess;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no host shows on request: faults of a driver, of nvidia-imex, and of a child. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FabricChildTest {

    private static final String GPU = FakeCudaLibrary.uuid(0);
    private static final String NONCE = FabricContract.NONCE;
    private static final ChildDeadlines SHORT = new ChildDeadlines(
            Duration.ofSeconds(30), Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(60));

    @TempDir
    Path root;

    private FakeCudaLibrary fake;

    @BeforeEach
    void compile() {
        fake = FakeCudaLibrary.compile(root);
        fake.dev("dev", 256);
    }

    @Test
    void memoryReachesAnotherNode() throws Exception {
        try (FabricChild exporter = open("a");
                FabricChild importer = open("b")) {
            FabricExport export = export(exporter);

            assertThat(importer.importMemory(GPU, FabricLevel.DATA, export))
                    .isEqualTo(new ChildSucceeded<>(Optional.of(NONCE)));
            assertThat(fake.imports())
                    .anySatisfy(entry -> assertThat(entry.node() + entry.exporter() + entry.result())
                            .isEqualTo("ba0"));
        }
    }

    @ParameterizedTest
    @CsvSource({"a.daemon,down", "a.daemon,hung", "a.domain_id,other", "b.daemon,down"})
    void whatNvidiaImexDoesNotReachIsRefused(String key, String value) throws Exception {
        try (FabricChild exporter = open("a");
                FabricChild importer = open("b")) {
            FabricExport export = export(exporter);
            fake.set(key, value);

            assertRefused(importer.importMemory(GPU, FabricLevel.MAP, export), CudaCall.IMPORT);
        }
    }

    @Test
    void whatIsGoneOrOfAnotherChannelIsRefusedAcrossNodes() throws Exception {
        fake.set("b.dev", fake.dev("dev-b", 257));
        try (FabricChild importer = open("b")) {
            FabricExport export;
            try (FabricChild exporter = open("a")) {
                export = export(exporter);
                assertRefused(importer.importMemory(GPU, FabricLevel.MAP, export), CudaCall.IMPORT);
            }
            fake.dev("dev-b", 256);
            assertRefused(importer.importMemory(GPU, FabricLevel.MAP, export), CudaCall.IMPORT);
        }
    }

    @Test
    void anotherCliqueIsImportedAndNotMapped() throws Exception {
        fake.set("b.clique", 1);
        try (FabricChild exporter = open("a");
                FabricChild importer = open("b")) {
            FabricExport export = export(exporter);

            assertThat(importer.importMemory(GPU, FabricLevel.IMPORT, export)).isInstanceOf(ChildSucceeded.class);
            assertRefused(importer.importMemory(GPU, FabricLevel.MAP, export), CudaCall.SET_ACCESS);
            exporter.release();
            assertThat(fake.held()).isZero();
        }
    }

    @Test
    void aDaemonThatHangsCostsTheImporterItsChild() throws Exception {
        fake.set("b.daemon", "hung");
        try (FabricChild exporter = open("a");
                FabricChild importer = open("b")) {
            ChildAnswer<Optional<String>> answer = importer.importMemory(GPU, FabricLevel.MAP, export(exporter));

            assertThat(answer).isEqualTo(new ChildTimedOut<>(CudaCall.IMPORT.symbol(), SHORT.call()));
            assertThat(importer.alive()).isFalse();
            assertThat(ProcessHandle.of(importer.pid())).isEmpty();
            assertThat(importer.release().words()).contains("its process is gone");
            assertThat(exporter.release()).isEqualTo(new ChildSucceeded<>(true));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 802, 803})
    void aDriverThatCannotBeUsedHasAReason(int code) throws Exception {
        if (code == 100) {
            fake.gpus(0);
        } else {
            fake.set("return.cuInit", code);
        }
        try (FabricChild child = launch("a")) {
            ChildAnswer<List<FabricGpu>> answer = child.open(root);

            assertThat(answer).isInstanceOfSatisfying(CallRefused.class, refused -> {
                assertThat(refused.result().code()).isEqualTo(code);
                assertThat(refused.result().remedy()).isPresent();
            });
        }
    }

    @Test
    void fullMemoryAndADriverWithoutUvmAreRefused() throws Exception {
        fake.set("gpu.0.bytes", 3 << 20);
        try (FabricChild child = open("a")) {
            export(child);
            assertRefused(child.export(GPU, FabricLevel.IMPORT, NONCE), CudaCall.CREATE);
        }
        fake.set("dev", root.resolve("nowhere"));
        try (FabricChild child = launch("a")) {
            assertRefused(child.open(root), CudaCall.INIT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void computeModeKeepsOnlyAContextAway(FabricLevel level) throws Exception {
        fake.set("gpu.0.compute_mode", 2);
        try (FabricChild child = open("a")) {
            ChildAnswer<FabricExport> answer = child.export(GPU, level, NONCE);

            if (level == FabricLevel.DATA) {
                assertRefused(answer, CudaCall.CONTEXT_RETAIN);
            } else {
                assertThat(answer).isInstanceOf(ChildSucceeded.class);
            }
        }
    }

    @Test
    void whatTheLibraryLacksIsRefusedAndNoLibraryIsAReason() throws Exception {
        try (FabricChild child = launch("a")) {
            assertThat(child.open(root.resolve("elsewhere")).words()).contains("no libcuda.so.1 here, searched");
            assertThat(child.export(GPU, FabricLevel.MAP, NONCE).words()).contains("libcuda shows no " + GPU);
            assertThat(child.alive()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "echo hello; exec sleep 60 | wrote what is no answer",
                "echo '{\"released\":true,\"more\":1}'; exec sleep 60 | the field more does not belong there",
                "head -c 20000 /dev/zero; exec sleep 60 | a line of more than 16384 bytes",
                "exit 3 | it ended with exit code 3",
                "kill -9 $$ | a signal ended it (9)",
                "echo '{\"released\":true}'; exec sleep 60 | answered something else",
            })
    void aChildThatDoesNotKeepTheProtocolIsKilled(String script, String words) throws Exception {
        try (FabricChild child = FabricChild.launch(
                () -> PipedProcess.start(List.of("/bin/sh", "-c", script), _ -> false, List.of()), SHORT)) {
            ChildAnswer<List<FabricGpu>> answer = child.open(root);

            assertThat(answer).isInstanceOf(ChildUnusable.class);
            assertThat(answer.words()).contains(words);
            assertThat(child.alive()).isFalse();
            assertThat(ProcessHandle.of(child.pid())).isEmpty();
        }
    }

    @Test
    void allOfItHasADeadline() throws Exception {
        var whole = new ChildDeadlines(
                Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(1));
        try (FabricChild child = FabricChild.launch(
                () -> PipedProcess.start(List.of("/bin/sleep", "60"), _ -> false, List.of()), whole)) {
            assertThat(child.open(root))
                    .isEqualTo(new ChildTimedOut<>("the start of the child process", Duration.ofSeconds(1)));
        }
    }

    @Test
    void aChildMayWaitBetweenRequestsForLongerThanOneMayTake() throws Exception {
        var whole = new ChildDeadlines(
                Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(2));
        List<String> obedient = List.of("/bin/sh", "-c", "while read -r request; do echo '{\"released\":true}'; done");
        try (FabricChild child = FabricChild.launch(() -> PipedProcess.start(obedient, _ -> false, List.of()), whole)) {
            assertThat(child.release()).isEqualTo(new ChildSucceeded<>(true));
            Thread.sleep(whole.whole().plusMillis(100));
            assertThat(child.release()).isEqualTo(new ChildSucceeded<>(true));
        }
    }

    /** proc_pid_limits(5): soft limit and hard limit. */
    @Test
    void aChildLeavesNoCoreDump() throws Exception {
        try (FabricChild child = open("a")) {
            assertThat(Files.readAllLines(Path.of("/proc/" + child.pid() + "/limits")))
                    .anyMatch(line -> line.matches("Max core file size +0 +0 +bytes *"));
        }
    }

    @Test
    void aChildEndsWithItsInputWithinACallThatHangs() throws Exception {
        fake.set("hang.cuInit", "yes");
        try (PipedProcess process = launcher("a").launch()) {
            process.in()
                    .write("{\"op\":\"open\",\"driverRoot\":\"%s\"}\n"
                            .formatted(root)
                            .getBytes(StandardCharsets.UTF_8));
            process.in().flush();
            while (!fake.calls().contains("cuInit")) {
                Thread.sleep(20);
            }
            process.in().close();

            assertThat(process.end()).isEqualTo("it ended with exit code 0");
        }
    }

    @Test
    void variablesThatBendLibcudaAreNotPassedOn() throws Exception {
        try (PipedProcess process = ChildLauncher.start(List.of("/usr/bin/env"))) {
            assertThat(new String(process.out().readAllBytes(), StandardCharsets.UTF_8).lines())
                    .contains("CUDA_MPS_PIPE_DIRECTORY=/nonexistent")
                    .filteredOn(line -> line.matches("(CUDA_|LD_PRELOAD|LD_AUDIT).*"))
                    .hasSize(1);
        }
    }

    private ChildLauncher launcher(String node) {
        return () ->
                PipedProcess.start(ChildMain.program().words(), _ -> false, List.of(FakeCudaLibrary.NODE + "=" + node));
    }

    private FabricChild launch(String node) throws IOException {
        return FabricChild.launch(launcher(node), SHORT);
    }

    private FabricChild open(String node) throws Exception {
        FabricChild child = launch(node);
        FabricContract.value(child.open(root));
        return child;
    }

    private static FabricExport export(FabricChild child) throws InterruptedException {
        return FabricContract.value(child.export(GPU, FabricLevel.DATA, NONCE));
    }

    private static void assertRefused(ChildAnswer<?> answer, CudaCall call) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        CallRefused.class, refused -> assertThat(refused.call()).isEqualTo(call));
    }
}
