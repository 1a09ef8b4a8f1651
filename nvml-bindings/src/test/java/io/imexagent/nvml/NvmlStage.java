package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.simulated.SimulatedTray;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** An NVML under test, and the means to change what it sees. */
public interface NvmlStage {
    /** Makes NVML answer as a tray from now on, for open sessions too. */
    void play(SimulatedTray tray);

    /** Lets a GPU report an event. */
    void emit(int deviceIndex, EventType type, long data);

    /** Returns the NVML under test. */
    Nvml nvml();

    /** Asks every GPU for its fabric. */
    default List<FabricAnswer> fabrics() throws NvmlException {
        List<FabricAnswer> answers = new ArrayList<>();
        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < session.deviceCount(); index++) {
                answers.add(session.device(index).fabric());
            }
        }
        return answers;
    }

    /** Returns what the driver told, where it did. */
    static FabricInfo reported(FabricAnswer answer) {
        assertThat(answer).isInstanceOf(FabricAnswer.Reported.class);
        return ((FabricAnswer.Reported) answer).info();
    }

    /** Checks that a call fails, and how. */
    static void assertFails(ThrowingCallable question, NvmlCall call, NvmlReturn result) {
        assertThatThrownBy(question)
                .hasMessageStartingWith(call.symbol() + " failed: ")
                .isInstanceOfSatisfying(
                        CallFailed.class,
                        failure -> assertThat(failure.result()).isEqualTo(Numbered.of(result)));
    }
}
