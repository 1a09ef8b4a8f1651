package io.imexagent.core.setting;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.slice.Device.DeviceTaint.TaintEffect;
import io.imexagent.core.text.DisplayedName;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NamedChoiceTest {

    private enum Sign implements DisplayedName {
        DOWN,
        NO_NVLINK_PORT
    }

    @Test
    void aChoiceIsInCamelCase() {
        assertThat(Stream.of(PlacementMode.values()).map(NamedChoice::text))
                .containsExactly("Off", "Preferred", "Required");
        assertThat(Stream.of(TaintEffect.values()).map(NamedChoice::text))
                .containsExactly("None", "NoSchedule", "NoExecute");
    }

    @Test
    void aDisplayedNameIsInLowerCaseWithHyphens() {
        assertThat(Stream.of(Sign.values()).map(DisplayedName::text)).containsExactly("down", "no-nvlink-port");
    }
}
