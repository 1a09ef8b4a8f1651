package io.imexagent.fabric.child;

import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.host.PipedProcess;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class FabricOverTheFakeTest implements FabricContract {

    @TempDir
    static Path root;

    private static FakeCudaLibrary fake;

    @BeforeAll
    static void compile() {
        fake = FakeCudaLibrary.compile(root);
    }

    @Override
    public ChildLauncher withChannels(int... channels) {
        Path dev = fake.dev("dev" + Arrays.toString(channels).replaceAll("[^0-9]", "-"), channels);
        return () ->
                PipedProcess.start(ChildMain.program().words(), _ -> false, List.of(FakeCudaLibrary.DEV + "=" + dev));
    }

    @Override
    public Path driverRoot() {
        return fake.driverRoot();
    }
}
