package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlEventSet.EventType;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers of nvml.h and the names that they have here. */
class NumberedValuesTest {
    @ParameterizedTest
    @CsvSource({
        "0, SUCCESS",
        "1, UNINITIALIZED",
        "2, INVALID_ARGUMENT",
        "3, NOT_SUPPORTED",
        "4, NO_PERMISSION",
        "6, NOT_FOUND",
        "7, INSUFFICIENT_SIZE",
        "9, DRIVER_NOT_LOADED",
        "10, TIMEOUT",
        "12, LIBRARY_NOT_FOUND",
        "13, FUNCTION_NOT_FOUND",
        "15, GPU_IS_LOST",
        "16, RESET_REQUIRED",
        "17, OPERATING_SYSTEM",
        "18, LIB_RM_VERSION_MISMATCH",
        "20, MEMORY",
        "25, ARGUMENT_VERSION_MISMATCH",
        "27, NOT_READY",
        "999, UNKNOWN"
    })
    void namesTheResults(int number, NvmlReturn expected) {
        assertThat(Numbered.of(number, NvmlReturn.values())).isEqualTo(Numbered.of(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "0, NONE",
        "1, RESET",
        "2, REBOOT",
        "3, DRAIN_PEER_TO_PEER",
        "4, DRAIN_AND_RESET",
        "5, RECOVER_IMEX_DOMAIN",
        "6, BUS_RESET",
        "7, SYSTEM_REBOOT"
    })
    void namesTheRecoveryActions(long number, RecoveryAction expected) {
        assertThat(Numbered.of(number, RecoveryAction.values())).isEqualTo(Numbered.of(expected));
    }

    @ParameterizedTest
    @CsvSource({"0, NOT_SUPPORTED", "1, NOT_STARTED", "2, IN_PROGRESS", "3, COMPLETED"})
    void namesTheFabricStates(int number, FabricState expected) {
        assertThat(Numbered.of(number, FabricState.values())).isEqualTo(Numbered.of(expected));
    }

    @ParameterizedTest
    @CsvSource({"0, NOT_SUPPORTED", "1, HEALTHY", "2, UNHEALTHY", "3, LIMITED_CAPACITY"})
    void namesTheHealthSummaries(int number, FabricInfo.HealthSummary expected) {
        assertThat(Numbered.of(number, FabricInfo.HealthSummary.values())).isEqualTo(Numbered.of(expected));
    }

    @ParameterizedTest
    @CsvSource({"8, XID", "16384, GPU_UNAVAILABLE", "32768, RECOVERY_ACTION"})
    void namesTheEvents(long bit, EventType expected) {
        assertThat(Numbered.of(bit, EventType.values())).isEqualTo(Numbered.of(expected));
    }

    @Property
    void keepsAnyNumber(@ForAll int number) {
        Numbered<NvmlReturn> result = Numbered.of(number, NvmlReturn.values());

        assertThat(result.number()).isEqualTo(number);
        assertThat(result.is(NvmlReturn.TIMEOUT)).isEqualTo(number == 10);
    }

    @Test
    void aNumberWithoutANameIsShownAsANumber() {
        assertThat(Numbered.of(77, RecoveryAction.values()))
                .hasToString("UNLISTED_77")
                .returns("action_77", action -> action.word("action"))
                .returns(Optional.empty(), Numbered::name);
    }

    @Test
    void aNameIsShownAsIt() {
        assertThat(Numbered.of(4, RecoveryAction.values()))
                .hasToString("DRAIN_AND_RESET")
                .returns("drain_and_reset", action -> action.word("action"));
    }
}
