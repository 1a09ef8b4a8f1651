package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CliqueStateTest {

    private static final CliqueId ID = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");
    private static final CliqueId OTHER = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.2");

    @Test
    void namesTheCliqueOrSaysInAWordThatThereIsNone() {
        assertThat(new CliqueState.KnownClique(ID).text()).isEqualTo(ID.text());
        assertThat(new CliqueState.RegisteringClique("GPU 1 is not done").text())
                .isEqualTo("registering");
    }

    @Test
    void saysWhyThereIsNoneToName() {
        assertThat(new CliqueState.KnownClique(ID).why()).isEmpty();
        assertThat(new CliqueState.NoClique("no GPU has a fabric").why()).contains("no GPU has a fabric");
        assertThat(new CliqueState.ConflictingClique(new TreeSet<>(List.of(ID, OTHER))).why())
                .contains("the GPUs report the cliques " + ID.text() + ", " + OTHER.text());
    }
}
