package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlEventSet.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every NVML does on any host that has a GPU, whatever it is: nothing is staged here, and no event is expected. */
public interface NvmlHostContract {

    /** Returns the NVML under test. */
    Nvml nvml();

    @Test
    default void namesItsDriverAndEveryGpu() throws NvmlException {
        try (NvmlSession session = nvml().open()) {
            assertThat(session.driverVersion()).matches("[0-9]+(\\.[0-9]+)+");
            assertThat(session.nvmlVersion()).endsWith(session.driverVersion());
            assertThat(session.deviceCount()).isPositive();
            for (NvmlDevice device : devices(session)) {
                assertThat(device.name()).isNotBlank();
                assertThat(device.uuid()).matches("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
                assertThat(device.pciAddress()).matches("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.0");
                assertThatCode(device::recoveryAction).doesNotThrowAnyException();
            }
        }
    }

    @Test
    default void everyGpuAnswersWhenItIsAskedForItsFabric() throws NvmlException {
        try (NvmlSession session = nvml().open()) {
            for (NvmlDevice device : devices(session)) {
                FabricAnswer answer = device.fabric();
                if (answer instanceof FabricAnswer.Reported(FabricInfo info)) {
                    assertThat(info.state().name()).as("%s", info).isPresent();
                }
            }
        }
    }

    @Test
    default void aGpuThatThereIsNotIsAnInvalidArgument() throws NvmlException {
        try (NvmlSession session = nvml().open()) {
            int count = session.deviceCount();

            NvmlStage.assertFails(() -> session.device(count), NvmlCall.DEVICE_HANDLE, NvmlReturn.INVALID_ARGUMENT);
        }
    }

    @Test
    default void everyGpuTakesARegistrationForXids() throws NvmlException {
        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            for (int index = 0; index < session.deviceCount(); index++) {
                events.register(index, Set.of(EventType.XID));
            }

            assertThatCode(() -> events.await(Duration.ofMillis(20))).doesNotThrowAnyException();
        }
    }

    @Test
    default void aClosedSessionAnswersNothing() throws NvmlException {
        NvmlSession session = nvml().open();
        NvmlDevice device = session.device(0);
        NvmlEventSet closedFirst = session.createEventSet();
        NvmlEventSet closedLast = session.createEventSet();
        closedFirst.close();

        assertThatThrownBy(() -> closedFirst.await(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        session.close();
        session.close();
        closedFirst.close();
        closedLast.close();

        assertThatThrownBy(session::deviceCount).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(device::name).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closedLast.await(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void sessionsAreIndependent() throws NvmlException {
        try (NvmlSession kept = nvml().open()) {
            NvmlDevice device = kept.device(0);
            String name = device.name();
            nvml().open().close();

            assertThat(device.name()).isEqualTo(name);
            assertThat(kept.deviceCount()).isPositive();
        }
    }

    @Test
    default void sessionsLeaveNothingOpen() throws Exception {
        nvml().open().close();
        int before = eventDescriptors();

        for (int session = 0; session < 20; session++) {
            nvml().open().close();
        }

        assertThat(eventDescriptors()).isEqualTo(before);
    }

    private static List<NvmlDevice> devices(NvmlSession session) throws NvmlException {
        var devices = new ArrayList<NvmlDevice>();
        for (int index = 0; index < session.deviceCount(); index++) {
            devices.add(session.device(index));
        }
        return devices;
    }

    /** How many eventfds this process has open. */
    private static int eventDescriptors() throws IOException {
        int count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    count += Files.readSymbolicLink(link).toString().endsWith("[eventfd]") ? 1 : 0;
                } catch (NoSuchFileException closed) {
                    // Such as the descriptor of the listing itself.
                }
            }
        }
        return count;
    }
}
