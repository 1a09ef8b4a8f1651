package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
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
    void namesTheResults(int number, NvmlReturn.Known expected) {
        assertThat(NvmlReturn.of(number)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "0, NONE",
        "1, RESET",
        "2, REBOOT",
        "3, DRAIN_PEER_TO_PEER",
        "4, DRAIN_AND_RESET",
        "5, RECOVER_IMEX_DOMAIN"
    })
    void namesTheRecoveryActions(long number, RecoveryAction.Known expected) {
        assertThat(RecoveryAction.of(number)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0, NOT_SUPPORTED", "1, NOT_STARTED", "2, IN_PROGRESS", "3, COMPLETED"})
    void namesTheFabricStates(int number, FabricState.Known expected) {
        assertThat(FabricState.of(number)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0, NOT_SUPPORTED", "1, HEALTHY", "2, UNHEALTHY", "3, LIMITED_CAPACITY"})
    void namesTheHealthSummaries(int number, FabricHealthSummary.Known expected) {
        assertThat(FabricHealthSummary.of(number)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"8, XID", "16384, GPU_UNAVAILABLE", "32768, RECOVERY_ACTION"})
    void namesTheEvents(long bit, EventType.Known expected) {
        assertThat(EventType.of(bit)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"9, HOPPER", "10, BLACKWELL", "13, RUBIN"})
    void namesTheArchitectures(long number, Architecture.Known expected) {
        assertThat(Architecture.of(number)).isEqualTo(expected);
    }

    @Property
    void keepsAnyNumber(@ForAll int number) {
        assertThat(NvmlReturn.of(number).number()).isEqualTo(number);
        assertThat(FabricState.of(number).number()).isEqualTo(number);
        assertThat(FabricHealthSummary.of(number).number()).isEqualTo(number);
        assertThat(RecoveryAction.of(number).number()).isEqualTo(number);
        assertThat(Architecture.of(number).number()).isEqualTo(number);
        assertThat(EventType.of(number).bit()).isEqualTo(number);
    }

    @Property
    void aClusterUuidIsItsBytesInOrder(@ForAll long high, @ForAll long low) {
        ClusterUuid uuid = new ClusterUuid(high, low);

        assertThat(ClusterUuid.of(uuid.toBytes())).isEqualTo(uuid);
        assertThat(ClusterUuid.parse(uuid.toString())).isEqualTo(uuid);
        assertThat(uuid.isZero()).isEqualTo(high == 0 && low == 0);
    }
}
