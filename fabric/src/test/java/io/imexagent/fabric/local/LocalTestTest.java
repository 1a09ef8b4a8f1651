package io.imexagent.fabric.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.child.ChildProgram;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.fabric.fake.FakeCudaLibrary.RecordedImport;
import io.imexagent.fabric.local.LocalCell.LocalState;
import io.imexagent.fabric.local.LocalResult.GpuResult;
import io.imexagent.host.PipedProcess;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Over the C fake, in mount namespaces with device nodes, as on a host: needs root, unshare and setpriv. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalTestTest {

    private static final int MAJOR = 242;
    private static final ChannelPair CHANNELS = new ChannelPair(MAJOR, 256, 257);
    private static final ChildDeadlines SHORT = new ChildDeadlines(
            Duration.ofSeconds(30), Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(60));

    @TempDir
    Path root;

    private FakeCudaLibrary fake;
    private List<String> mounts;

    @BeforeEach
    void compile() throws Exception {
        // Of the real /dev, as the children see it.
        fake = FakeCudaLibrary.compile(root).set("dev", "/dev");
        fake.dev("nodes");
        mounts = Files.readAllLines(Path.of("/proc/self/mountinfo"));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(Files.readAllLines(Path.of("/proc/self/mountinfo"))).isEqualTo(mounts);
        assertThat(Path.of("/dev/nvidia-caps-imex-channels")).doesNotExist();
        assertThat(fake.held()).isZero();
        assertThat(ProcessHandle.current().descendants()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void provesTheSeparationOfTwoChannels(FabricLevel level) throws Exception {
        LocalResult result = run(level, gpu(0));

        assertThat(result.state()).isEqualTo(LocalState.PROVEN);
        assertThat(result.gpus().getFirst().cells()).hasSize(6);
        assertThat(result.text())
                .startsWith("GPU 0: proven: memory exported on channels 256 and 257 was " + level.done())
                .contains("It proves nothing of nvidia-imex");
        assertThat(fake.imports().stream()
                        .filter(entry -> entry.kind().equals("import"))
                        .map(entry -> entry.channel() + " " + entry.result()))
                .containsExactly("256 0", "256 800", "256 800", "256 0", "257 0", "257 800", "257 800", "257 0");
    }

    @Test
    void whatIsProvenTheLibraryRecorded() throws Exception {
        fake.gpus(2);

        LocalResult result = run(FabricLevel.MAP, gpu(0), gpu(1));

        List<RecordedImport> done =
                fake.imports().stream().filter(entry -> entry.result() == 0).toList();
        List<LocalCell> proven = new ArrayList<>();
        result.gpus()
                .forEach(gpu -> gpu.cells().stream()
                        .filter(cell -> cell.same() && cell.state() == LocalState.PROVEN)
                        .forEach(proven::add));
        assertThat(proven).hasSize(4);
        // Each once before the refusals, and once after them.
        assertThat(done.stream().filter(entry -> entry.kind().equals("import"))).hasSize(8);
        assertThat(done.stream().filter(entry -> entry.kind().equals("access"))).hasSize(8);
    }

    @Test
    void channelsThatDoNotSeparateAreTheLoudestResult() throws Exception {
        fake.set("isolation", "broken");

        LocalResult result = run(FabricLevel.MAP, gpu(0));

        assertThat(result.state()).isEqualTo(LocalState.ISOLATION_BROKEN);
        assertThat(result.text())
                .contains("ISOLATION BROKEN: import of memory of channel 256 on channel 257: it was not refused")
                .contains("without a channel: it was not refused")
                .contains("drain it");
        assertThat(result.document().path("state").textValue()).isEqualTo("isolation-broken");
    }

    @Test
    void aRefusalOfWhatIsGoneSaysNothing() throws Exception {
        IsolatedChildren children = children(ChildMain.program(), IsolatedChildren.FOLDERS);
        // The first child is the exporter on 256; it ends as the child without a channel starts, the third one after
        // it.
        List<PipedProcess> launched = new ArrayList<>();
        Function<OptionalInt, ChildLauncher> launchers = channel -> () -> {
            if (channel.isEmpty()) {
                launched.getFirst().close();
            }
            PipedProcess child = children.apply(channel).launch();
            launched.add(child);
            return child;
        };

        LocalResult result;
        try (var local = new LocalChildren(launchers, fake.driverRoot(), SHORT)) {
            result = new LocalTest(local, CHANNELS, FabricLevel.MAP, new Random(1), _ -> {}).run(List.of(gpu(0)));
        }

        assertThat(result.gpus().getFirst().cells().subList(0, 3).stream().map(LocalCell::state))
                .containsExactly(LocalState.PROVEN, LocalState.NOT_TRIED, LocalState.NOT_TRIED);
        assertThat(result.text())
                .contains("could not be imported on its own channel afterwards")
                .contains("801");
    }

    @Test
    void aCallThatHangsIsATimeoutAndTheNextGpuIsTested() throws Exception {
        fake.gpus(2).set("hang.cuMemSetAccess", "yes");
        LocalResult result = run(FabricLevel.MAP, gpu(0));
        assertThat(result.state()).isEqualTo(LocalState.TIMEOUT);
        assertThat(result.text()).contains("cuMemSetAccess did not end within 2 s, and its process was killed");

        fake.remove("hang.cuMemSetAccess");
        assertThat(run(FabricLevel.MAP, gpu(1)).state()).isEqualTo(LocalState.PROVEN);
    }

    @Test
    void aCuInitThatHangsIsWaitedForOnceForEachChild() throws Exception {
        fake.gpus(2).set("hang.cuInit", "yes");

        LocalResult result = run(FabricLevel.MAP, gpu(0), gpu(1));

        assertThat(result.gpus().stream().map(GpuResult::state)).containsOnly(LocalState.TIMEOUT);
        assertThat(result.text()).contains("cuInit did not end within 3 s");
        assertThat(fake.calls()).containsExactly("cuInit", "cuInit");
    }

    @Test
    void whatTheDriverSaysOfItselfIsTheReason() throws Exception {
        fake.set("return.cuInit", 802);

        LocalResult result = run(FabricLevel.MAP, gpu(0));

        assertThat(result.state()).isEqualTo(LocalState.FAILED);
        assertThat(result.text())
                .contains("export on channel 256: cuInit answered CUDA_ERROR_SYSTEM_NOT_READY (802): the NVIDIA fabric"
                        + " manager is not ready");
    }

    @Test
    void aChildThatCrashesFailsItsImportAndNothingElse() throws Exception {
        fake.set("crash.cuMemMap", "yes");

        LocalResult result = run(FabricLevel.MAP, gpu(0));

        assertThat(result.state()).isEqualTo(LocalState.FAILED);
        assertThat(result.text()).contains("a signal ended it (6)");
    }

    @Test
    void aChannelBeyondTheDriversIsARefusalThatSaysNothing() throws Exception {
        fake.set("channel_count", 257);

        LocalResult result = run(FabricLevel.MAP, gpu(0));

        assertThat(result.gpus().getFirst().cells().stream().map(LocalCell::state))
                .containsExactly(
                        LocalState.PROVEN,
                        LocalState.NOT_TRIED,
                        LocalState.PROVEN,
                        LocalState.FAILED,
                        LocalState.NOT_TRIED,
                        LocalState.NOT_TRIED);
    }

    @Test
    void whatNeedsNoTryIsNotTried() throws Exception {
        LocalResult result = run(
                FabricLevel.MAP,
                new TestedGpu("A", "a", OptionalLong.of(63L << 20), false, Optional.empty()),
                new TestedGpu("B", "b", OptionalLong.empty(), true, Optional.empty()),
                new TestedGpu("C", "c", OptionalLong.empty(), false, Optional.of("reset")));

        assertThat(result.state()).isEqualTo(LocalState.NOT_TRIED);
        assertThat(result.text())
                .contains("A: not tried: 63 MiB of its memory are free, and the test takes 64")
                .contains("B: not tried: it is divided (MIG)")
                .contains("C: not tried: the driver wants reset for it first");
        assertThat(fake.calls()).isEmpty();
    }

    @Test
    void childrenHaveNeitherCapabilitiesNorOtherDevices() throws Exception {
        Path script = root.resolve("look");
        Files.writeString(
                script, "grep -h 'CapEff\\|NoNewPrivs\\|core file' /proc/self/status /proc/self/limits; ls /dev\n");
        var program = new ChildProgram(List.of("/bin/sh", script.toString()));
        try (var child = children(program, IsolatedChildren.FOLDERS)
                .apply(OptionalInt.of(300))
                .launch()) {
            assertThat(new String(child.out().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("CapEff:\t0000000000000000")
                    .contains("NoNewPrivs:\t1")
                    .containsPattern("Max core file size +0 +0")
                    .endsWith(
                            "null\nnvidia-caps-imex-channels\nnvidia-uvm\nnvidia0\nnvidiactl\nrandom\nshm\nurandom\nzero\n");
        }
    }

    @Test
    void aToolThatIsMissingIsNamed() throws Exception {
        Path tools = Files.createDirectories(root.resolve("tools"));
        for (String tool : List.of("unshare", "mount", "mknod", "mkdir", "sh")) {
            Files.createSymbolicLink(tools.resolve(tool), Path.of("/bin", tool));
        }

        assertThat(children(ChildMain.program(), List.of(tools)).missing()).containsExactly("setpriv (util-linux)");
        assertThat(children(ChildMain.program(), IsolatedChildren.FOLDERS).missing())
                .isEmpty();
    }

    private LocalResult run(FabricLevel level, TestedGpu... gpus) throws Exception {
        try (var children =
                new LocalChildren(children(ChildMain.program(), IsolatedChildren.FOLDERS), fake.driverRoot(), SHORT)) {
            return new LocalTest(children, CHANNELS, level, new Random(1), _ -> {}).run(List.of(gpus));
        }
    }

    private IsolatedChildren children(ChildProgram program, List<Path> folders) {
        return new IsolatedChildren(program, MAJOR, root.resolve("nodes"), folders);
    }

    private static TestedGpu gpu(int index) {
        return new TestedGpu(
                "GPU " + index, FakeCudaLibrary.uuid(index), OptionalLong.empty(), false, Optional.empty());
    }
}
