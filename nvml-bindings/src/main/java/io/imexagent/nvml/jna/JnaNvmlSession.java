package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlEventSet.NvmlEvent;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.nvml.jna.StructLayout.EventDataStruct;
import io.imexagent.nvml.jna.StructLayout.FabricInfoStruct;
import io.imexagent.nvml.jna.StructLayout.FieldValueStruct;
import io.imexagent.nvml.jna.StructLayout.PciInfoStruct;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

final class JnaNvmlSession implements NvmlSession {
    private static final int TEXT_BYTES = 80;
    private static final int GPU_TEXT_BYTES = 96;
    // NVML accepts a timeout of 32 unsigned bits and passes it to poll(2) as a signed number, where values above 2³¹ −
    // 1 mean no timeout.
    private static final int LONGEST_MILLIS = Integer.MAX_VALUE;

    private final NvmlFunctions functions;
    private final KeptLibrary library;
    private boolean closed;

    /** Creates a session over a library, which it releases when it is closed. */
    JnaNvmlSession(NvmlFunctions functions, KeptLibrary library) {
        this.functions = functions;
        this.library = library;
    }

    /** Returns the functions of an open session. Later the library may be unloaded, and a call crash the process. */
    NvmlFunctions functions() {
        if (closed) {
            throw new IllegalStateException("the NVML session is closed");
        }
        return functions;
    }

    @Override
    public String driverVersion() throws NvmlException {
        return functions().text(NvmlCall.DRIVER_VERSION, TEXT_BYTES);
    }

    @Override
    public String nvmlVersion() throws NvmlException {
        return functions().text(NvmlCall.NVML_VERSION, TEXT_BYTES);
    }

    @Override
    public int deviceCount() throws NvmlException {
        return functions().natural(NvmlCall.DEVICE_COUNT);
    }

    @Override
    public NvmlDevice device(int index) throws NvmlException {
        return new JnaDevice(this, functions().device(index));
    }

    @Override
    public String words(Numbered<NvmlReturn> result) {
        return NvmlReturn.words(result, functions().errorString((int) result.number()));
    }

    @Override
    public NvmlEventSet createEventSet() throws NvmlException {
        return new JnaEventSet(functions().createEventSet());
    }

    @Override
    public void close() throws NvmlException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            functions.call(NvmlCall.SHUTDOWN);
        } finally {
            library.giveBack();
        }
    }

    @Override
    public boolean outdated() {
        return library.replaced();
    }

    private record JnaDevice(JnaNvmlSession session, Pointer handle) implements NvmlDevice {
        @Override
        public String name() throws NvmlException {
            return session.functions().text(NvmlCall.NAME, GPU_TEXT_BYTES, handle);
        }

        @Override
        public String uuid() throws NvmlException {
            return session.functions().text(NvmlCall.UUID, GPU_TEXT_BYTES, handle);
        }

        @Override
        public String pciAddress() throws NvmlException {
            byte[] struct = PciInfoStruct.LAYOUT.zero();
            session.functions().call(NvmlCall.PCI_INFO, handle, struct);
            return PciInfoStruct.address(struct);
        }

        @Override
        public FabricAnswer fabric() throws NvmlException {
            NvmlFunctions nvml = session.functions();
            for (FabricInfoStruct form : FabricInfoStruct.NEWEST_FIRST) {
                byte[] struct = form.request();
                int result = nvml.result(form.call(), handle, struct);
                if (NvmlFunctions.is(result, NvmlReturn.NOT_SUPPORTED)) {
                    return new FabricAnswer.NotSupported();
                }
                if (!asksForAnOlderForm(result)) {
                    nvml.check(form.call(), result);
                    return new FabricAnswer.Reported(form.decode(struct).with(cliques()));
                }
            }
            return new FabricAnswer.DriverTooOld();
        }

        /**
         * The typed cliques; none if the driver has no such call, the call fails, or the driver's struct is larger,
         * since no decision depends on them.
         */
        private List<FabricInfo.Clique> cliques() {
            byte[] room = FabricInfoStruct.roomForV4();
            int result = session.functions().result(NvmlCall.FABRIC_INFO_V4, handle, room);
            return NvmlFunctions.is(result, NvmlReturn.SUCCESS)
                    ? FabricInfoStruct.v4Within(room)
                            .map(FabricInfoStruct::cliques)
                            .orElse(List.of())
                    : List.of();
        }

        /** Whether the driver does not support this form of a query, but may support an older one. */
        private static boolean asksForAnOlderForm(int result) {
            return NvmlFunctions.is(result, NvmlReturn.ARGUMENT_VERSION_MISMATCH)
                    || NvmlFunctions.is(result, NvmlReturn.FUNCTION_NOT_FOUND);
        }

        @Override
        public Optional<Numbered<RecoveryAction>> recoveryAction() throws NvmlException {
            NvmlFunctions nvml = session.functions();
            byte[] field = FieldValueStruct.request(FieldValueStruct.GPU_RECOVERY_ACTION);
            if (!nvml.supported(NvmlCall.FIELD_VALUES, nvml.result(NvmlCall.FIELD_VALUES, handle, 1, field))) {
                return Optional.empty();
            }
            int result = FieldValueStruct.NVML_RETURN.signedInt(field);
            // The field's ID is the only argument that can be invalid here: the driver is older than the field.
            if (NvmlFunctions.is(result, NvmlReturn.INVALID_ARGUMENT)
                    || !nvml.supported(NvmlCall.FIELD_VALUES, result)) {
                return Optional.empty();
            }
            OptionalLong value = FieldValueStruct.wholeNumber(field);
            if (value.isEmpty()) {
                throw new BadAnswer(
                        NvmlCall.FIELD_VALUES,
                        "field 230 in value type " + FieldValueStruct.VALUE_TYPE.signedInt(field)
                                + " instead of a whole number");
            }
            return Optional.of(Numbered.of(value.getAsLong(), RecoveryAction.values()));
        }

        @Override
        public OptionalLong freeMemory() throws NvmlException {
            NvmlFunctions nvml = session.functions();
            byte[] memory = StructLayout.MEMORY.zero();
            return nvml.supported(NvmlCall.MEMORY_INFO, nvml.result(NvmlCall.MEMORY_INFO, handle, memory))
                    ? OptionalLong.of(StructLayout.MEMORY.field("free").signedLong(memory))
                    : OptionalLong.empty();
        }

        @Override
        public boolean divided() throws NvmlException {
            NvmlFunctions nvml = session.functions();
            byte[] current = new byte[Integer.BYTES];
            byte[] pending = new byte[Integer.BYTES];
            return nvml.supported(NvmlCall.MIG_MODE, nvml.result(NvmlCall.MIG_MODE, handle, current, pending))
                    && StructLayout.view(current).getInt() != 0;
        }
    }

    /** A set of registrations, by NVML's own handle. */
    private final class JnaEventSet implements NvmlEventSet {
        private final Pointer handle;
        private final Map<Pointer, Integer> registered = new HashMap<>();
        private boolean freed;

        JnaEventSet(Pointer handle) {
            this.handle = handle;
        }

        @Override
        public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
            NvmlFunctions nvml = open();
            Pointer device = nvml.device(deviceIndex);
            long mask = types.stream().mapToLong(EventType::number).reduce(0, (left, right) -> left | right);
            nvml.call(NvmlCall.REGISTER_EVENTS, device, mask, handle);
            registered.put(device, deviceIndex);
        }

        @Override
        public Optional<NvmlEvent> await(Duration timeout) throws NvmlException {
            if (timeout.isNegative()) {
                throw new IllegalArgumentException("the timeout is negative: " + timeout);
            }
            int millis = timeout.compareTo(Duration.ofMillis(LONGEST_MILLIS)) < 0
                    ? Math.toIntExact(timeout.toMillis())
                    : LONGEST_MILLIS;
            NvmlFunctions nvml = open();
            byte[] event = EventDataStruct.LAYOUT.zero();
            int result = nvml.result(NvmlCall.EVENT_SET_WAIT, handle, event, millis);
            if (NvmlFunctions.is(result, NvmlReturn.TIMEOUT)) {
                return Optional.empty();
            }
            nvml.check(NvmlCall.EVENT_SET_WAIT, result);
            return Optional.of(event(event));
        }

        private NvmlEvent event(byte[] struct) {
            Integer index = registered.get(new Pointer(EventDataStruct.DEVICE.signedLong(struct)));
            return new NvmlEvent(
                    index == null ? OptionalInt.empty() : OptionalInt.of(index),
                    Numbered.of(EventDataStruct.EVENT_TYPE.signedLong(struct), EventType.values()),
                    EventDataStruct.EVENT_DATA.signedLong(struct));
        }

        private NvmlFunctions open() {
            if (freed) {
                throw new IllegalStateException("the NVML event set is closed");
            }
            return functions();
        }

        @Override
        public void close() throws NvmlException {
            // The end of the session has freed the set already.
            if (freed || closed) {
                return;
            }
            freed = true;
            functions().call(NvmlCall.EVENT_SET_FREE, handle);
        }
    }
}
