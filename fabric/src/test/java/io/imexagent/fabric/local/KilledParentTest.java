package io.imexagent.fabric.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildMain;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parent of a local test is killed while a step hangs or lasts: nothing is left of any child. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledParentTest {

    /** A parent as a process: arguments are the root of the fake, and the folder of tools that come first. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Path root = Path.of(arguments[0]);
            var folders = new ArrayList<>(List.of(root.resolve("tools")));
            folders.addAll(IsolatedChildren.FOLDERS);
            var isolated = new IsolatedChildren(ChildMain.program(), 242, root.resolve("nodes"), folders);
            try (var children = new LocalChildren(isolated, root, ChildDeadlines.USUAL)) {
                new LocalTest(children, new ChannelPair(242, 256, 257), FabricLevel.DATA, new Random(1), _ -> {})
                        .run(List.of(new TestedGpu(
                                "GPU 0", FakeCudaLibrary.uuid(0), OptionalLong.empty(), false, Optional.empty())));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuInit", "cuMemCreate", "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle", "cuMemMap",
                "cuMemSetAccess", "cuDevicePrimaryCtxRetain", "cuMemcpyDtoH_v2", "cuMemUnmap", "cuMemRelease"
            })
    void whileACallHangs(String call, @TempDir Path root) throws Exception {
        FakeCudaLibrary fake = FakeCudaLibrary.compile(root).set("dev", "/dev").set("hang." + call, "yes");

        killed(fake, root, () -> fake.calls().contains(call));
    }

    /** The tool works on for a second after its caller was killed. */
    @ParameterizedTest
    @ValueSource(strings = {"mount", "mknod", "setpriv"})
    void whileTheNodesAreMade(String tool, @TempDir Path root) throws Exception {
        FakeCudaLibrary fake = FakeCudaLibrary.compile(root).set("dev", "/dev");
        Path tools = Files.createDirectories(root.resolve("tools"));
        Path slow = tools.resolve(tool);
        Files.writeString(
                slow, "#!/bin/sh\n: >" + root.resolve("reached") + "\nsleep 1\nexec /usr/bin/" + tool + " \"$@\"\n");
        slow.toFile().setExecutable(true);

        killed(fake, root, () -> Files.exists(root.resolve("reached")));
    }

    private static void killed(FakeCudaLibrary fake, Path root, BooleanSupplier reached) throws Exception {
        fake.dev("nodes");
        List<String> mounts = Files.readAllLines(Path.of("/proc/self/mountinfo"));
        Process parent = new ProcessBuilder(
                        ChildMain.ofClass(Parent.class, root.toString()).words())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("output").toFile())
                .start();
        until(() -> reached.getAsBoolean() || !parent.isAlive());
        assertThat(parent.isAlive())
                .as(Files.readString(root.resolve("output")))
                .isTrue();
        List<ProcessHandle> children = parent.descendants().toList();
        assertThat(children).isNotEmpty();

        parent.destroyForcibly().waitFor();

        until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(children).noneMatch(ProcessHandle::isAlive);
        until(() -> fake.held() == 0);
        assertThat(fake.held()).isZero();
        assertThat(Files.readAllLines(Path.of("/proc/self/mountinfo"))).isEqualTo(mounts);
        assertThat(Path.of("/dev/nvidia-caps-imex-channels")).doesNotExist();
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
    }
}
