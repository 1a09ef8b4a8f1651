package io.imexagent.nvml.simulated;

import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlEventSet.NvmlEvent;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** NVML over a {@link SimulatedTray}, whose GPUs never report an event. It is thread-safe, unlike its sessions. */
public class SimulatedNvml implements Nvml {
    private final SimulatedTray tray;

    public SimulatedNvml(SimulatedTray tray) {
        this.tray = tray;
    }

    /** Returns the current simulation. */
    public SimulatedTray tray() {
        return tray;
    }

    @Override
    public NvmlSession open() throws NvmlException {
        enter(NvmlCall.INIT);
        return new SimulatedSession();
    }

    @Override
    public boolean simulated() {
        return true;
    }

    /** Whether the library of the sessions was replaced; a simulation has none. */
    boolean replaced() {
        return false;
    }

    /** Begins a call: hangs or fails as the tray defines, and otherwise returns the tray with the answer. */
    SimulatedTray enter(NvmlCall call) throws NvmlException {
        hang(call);
        SimulatedTray current = tray();
        fail(call, current.failures());
        return current;
    }

    /** Begins a call on a GPU, whose own failures take precedence over those of the tray. */
    SimulatedGpu enter(NvmlCall call, int index) throws NvmlException {
        hang(call);
        SimulatedTray current = tray();
        if (index < 0 || index >= current.gpus().size()) {
            fail(call, Map.of(call, NvmlReturn.INVALID_ARGUMENT));
        }
        SimulatedGpu gpu = current.gpus().get(index);
        fail(call, gpu.failures());
        fail(call, current.failures());
        return gpu;
    }

    /** Blocks while the call hangs, without regard to interrupts, as a call that hangs in the driver. */
    void hang(NvmlCall call) {
        while (tray().hanging().contains(call)) {
            LockSupport.park(this);
        }
    }

    SimulatedSession.SimulatedEventSet eventSet(SimulatedSession session) {
        return session.new SimulatedEventSet();
    }

    private static void fail(NvmlCall call, Map<NvmlCall, NvmlReturn> failures) throws CallFailed {
        NvmlReturn result = failures.get(call);
        if (result != null) {
            throw new CallFailed(call, Numbered.of(result), Optional.empty());
        }
    }

    final class SimulatedSession implements NvmlSession {
        private boolean closed;

        /** Returns the simulation while the session is open. */
        SimulatedNvml nvml() {
            if (closed) {
                throw new IllegalStateException("the NVML session is closed");
            }
            return SimulatedNvml.this;
        }

        @Override
        public String driverVersion() throws NvmlException {
            return nvml().enter(NvmlCall.DRIVER_VERSION).driverVersion();
        }

        @Override
        public String nvmlVersion() throws NvmlException {
            return nvml().enter(NvmlCall.NVML_VERSION).nvmlVersion();
        }

        @Override
        public int deviceCount() throws NvmlException {
            return nvml().enter(NvmlCall.DEVICE_COUNT).gpus().size();
        }

        @Override
        public NvmlDevice device(int index) throws NvmlException {
            // The device is read later; this call reports a missing or lost GPU now.
            nvml().enter(NvmlCall.DEVICE_HANDLE, index);
            return new SimulatedDevice(this, index);
        }

        @Override
        public String words(Numbered<NvmlReturn> result) {
            return NvmlReturn.words(result, Optional.empty());
        }

        @Override
        public NvmlEventSet createEventSet() throws NvmlException {
            nvml().enter(NvmlCall.EVENT_SET_CREATE);
            return eventSet(this);
        }

        @Override
        public boolean outdated() {
            return nvml().replaced();
        }

        @Override
        public void close() throws NvmlException {
            if (closed) {
                return;
            }
            closed = true;
            enter(NvmlCall.SHUTDOWN);
        }

        private record SimulatedDevice(SimulatedSession session, int index) implements NvmlDevice {
            @Override
            public String name() throws NvmlException {
                return ask(NvmlCall.NAME).name();
            }

            @Override
            public String uuid() throws NvmlException {
                return ask(NvmlCall.UUID).uuid();
            }

            @Override
            public String pciAddress() throws NvmlException {
                return ask(NvmlCall.PCI_INFO).pciAddress();
            }

            @Override
            public Optional<Numbered<RecoveryAction>> recoveryAction() throws NvmlException {
                try {
                    return ask(NvmlCall.FIELD_VALUES).recoveryAction();
                } catch (CallFailed failure) {
                    if (failure.result().is(NvmlReturn.NOT_SUPPORTED) || lacksTheFunction(failure)) {
                        return Optional.empty();
                    }
                    throw failure;
                }
            }

            /** Returns empty, since a simulated GPU has no memory. */
            @Override
            public OptionalLong freeMemory() throws NvmlException {
                ask(NvmlCall.MEMORY_INFO);
                return OptionalLong.empty();
            }

            @Override
            public boolean divided() throws NvmlException {
                ask(NvmlCall.MIG_MODE);
                return false;
            }

            @Override
            public FabricAnswer fabric() throws NvmlException {
                for (int version = 3; version > 0; version--) {
                    try {
                        SimulatedGpu gpu = ask(version > 1 ? NvmlCall.FABRIC_INFO_V : NvmlCall.FABRIC_INFO);
                        if (version <= session.nvml().tray().fabricVersion()) {
                            return answer(gpu, version);
                        }
                    } catch (CallFailed failure) {
                        if (failure.result().is(NvmlReturn.NOT_SUPPORTED)) {
                            return new FabricAnswer.NotSupported();
                        }
                        if (!lacksTheFunction(failure)) {
                            throw failure;
                        }
                    }
                }
                return new FabricAnswer.DriverTooOld();
            }

            private FabricAnswer answer(SimulatedGpu gpu, int version) {
                return switch (gpu.fabric()) {
                    case FabricAnswer.Reported(FabricInfo info) ->
                        new FabricAnswer.Reported(new FabricInfo(
                                info.state(),
                                info.status(),
                                info.clusterUuid(),
                                info.cliqueId(),
                                info.health().filter(health -> version > 1),
                                info.healthSummary().filter(summary -> version > 2),
                                cliques(info)));
                    case FabricAnswer.NotSupported none -> none;
                    case FabricAnswer.DriverTooOld old -> old;
                };
            }

            private List<FabricInfo.Clique> cliques(FabricInfo info) {
                try {
                    ask(NvmlCall.FABRIC_INFO_V4);
                    return session.nvml().tray().fabricVersion() > 3 ? info.cliques() : List.of();
                } catch (NvmlException withoutThem) {
                    return List.of();
                }
            }

            private static boolean lacksTheFunction(CallFailed failure) {
                return failure.result().is(NvmlReturn.FUNCTION_NOT_FOUND);
            }

            private SimulatedGpu ask(NvmlCall call) throws NvmlException {
                return session.nvml().enter(call, index);
            }
        }

        class SimulatedEventSet implements NvmlEventSet {
            private boolean freed;

            @Override
            public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
                open().enter(NvmlCall.DEVICE_HANDLE, deviceIndex);
                open().enter(NvmlCall.REGISTER_EVENTS, deviceIndex);
            }

            @Override
            public Optional<NvmlEvent> await(Duration timeout) throws NvmlException {
                if (timeout.isNegative()) {
                    throw new IllegalArgumentException("the timeout is negative: " + timeout);
                }
                try {
                    open().enter(NvmlCall.EVENT_SET_WAIT);
                } catch (CallFailed failure) {
                    if (failure.result().is(NvmlReturn.TIMEOUT)) {
                        return Optional.empty();
                    }
                    throw failure;
                }
                return next(System.nanoTime() + timeout.toNanos());
            }

            /** Waits until this time of {@link System#nanoTime}, as the driver does, without regard to interrupts. */
            Optional<NvmlEvent> next(long deadline) {
                boolean interrupted = false;
                for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
                    LockSupport.parkNanos(this, left);
                    interrupted |= Thread.interrupted();
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return Optional.empty();
            }

            @Override
            public void close() throws NvmlException {
                if (!freed && !closed) {
                    freed = true;
                    enter(NvmlCall.EVENT_SET_FREE);
                }
            }

            private SimulatedNvml open() {
                if (freed) {
                    throw new IllegalStateException("the NVML event set is closed");
                }
                return nvml();
            }
        }
    }
}
