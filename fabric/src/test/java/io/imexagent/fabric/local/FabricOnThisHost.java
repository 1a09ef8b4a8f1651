package io.imexagent.fabric.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.FabricChild;
import io.imexagent.fabric.child.FabricContract;
import io.imexagent.fabric.local.LocalCell.LocalState;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The driver of a machine with a GPU: run by name only, as root (README.md of this module), since other machines have none. The
 * system property {@code imexagent.driverRoot} names the driver's root, {@code /} otherwise.
 */
class FabricOnThisHost implements FabricContract {

    @Override
    public ChildLauncher withChannels(int... channels) {
        return () -> ThisHost.children()
                .with(Arrays.stream(channels).boxed().toList())
                .launch();
    }

    @ParameterizedTest
    @EnumSource
    void theLocalTestProvesTheSeparationOfChannels(FabricLevel level) throws Exception {
        LocalResult result = local(level, ThisHost.children());

        assertThat(result.state()).as(result.text()).isEqualTo(LocalState.PROVEN);
    }

    @Test
    void theLocalTestFindsAChannelThatAChildMustNotHave() throws Exception {
        IsolatedChildren children = ThisHost.children();

        // A set-up that fails to keep channels apart: who should have none or the second one has the first one.
        LocalResult result = local(FabricLevel.MAP, _ -> children.with(List.of(channel())));

        assertThat(result.state()).as(result.text()).isEqualTo(LocalState.ISOLATION_BROKEN);
        assertThat(result.text()).contains("without a channel: it was not refused");
    }

    private LocalResult local(FabricLevel level, Function<OptionalInt, ChildLauncher> launchers) throws Exception {
        String uuid;
        try (FabricChild child = FabricChild.launch(withChannels(channel()), ChildDeadlines.USUAL)) {
            uuid = FabricContract.value(child.open(driverRoot())).getFirst().uuid();
        }
        var channels = new ChannelPair(ThisHost.major(), channel(), channel() + 1);
        try (var children = new LocalChildren(launchers, driverRoot(), ChildDeadlines.USUAL)) {
            return new LocalTest(children, channels, level, new Random(1), _ -> {})
                    .run(List.of(TestedGpu.of("GPU", uuid)));
        }
    }

    @Override
    public Path driverRoot() {
        return ThisHost.driverRoot();
    }
}
