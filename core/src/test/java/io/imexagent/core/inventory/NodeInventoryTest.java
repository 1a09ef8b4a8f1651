package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.ledger.BootId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class NodeInventoryTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Finding FINDING = new Finding("code", Severity.INFO, "So it is.", "Nothing to do.");

    @Test
    void tellsTheSameAtAnotherTime() {
        assertThat(inventory(NOON, 235).hasSameContentAs(inventory(NOON.plusSeconds(30), 235)))
                .isTrue();
    }

    @Test
    void tellsSomethingElseWhenAnythingButTheTimeDiffers() {
        assertThat(inventory(NOON, 235).hasSameContentAs(inventory(NOON, 236))).isFalse();
    }

    @Test
    void keepsItsFindingsWhateverBecomesOfTheListItWasMadeFrom() {
        var findings = new ArrayList<>(List.of(FINDING));
        NodeInventory inventory = inventory(NOON, 235, findings);

        findings.clear();

        assertThat(inventory.findings()).containsExactly(FINDING);
    }

    private static NodeInventory inventory(Instant at, int major) {
        return inventory(at, major, List.of(FINDING));
    }

    private static NodeInventory inventory(Instant at, int major, List<Finding> findings) {
        return new NodeInventory(
                at,
                new DriverState.LoadedDriver("580.1", "13.580.1"),
                List.of(),
                new CliqueState.NoClique("no GPU"),
                new ChannelMajor.RegisteredMajor(major),
                OptionalInt.of(2048),
                new ChannelNode.AbsentNode(),
                Optional.of(new BootId("boot-1")),
                Optional.of("NVIDIA"),
                findings);
    }
}
