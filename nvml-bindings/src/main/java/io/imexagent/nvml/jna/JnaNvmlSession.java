package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.nvml.RecoveryAction;
import java.util.Optional;
import java.util.OptionalLong;

/** A session over an initialised library. */
final class JnaNvmlSession implements NvmlSession {
    private static final int TEXT_BYTES = 80;
    private static final int GPU_TEXT_BYTES = 96;

    private final NvmlFunctions functions;
    private boolean closed;

    JnaNvmlSession(NvmlFunctions functions) {
        this.functions = functions;
    }

    /** Returns the functions, as long as the library behind them is loaded: a call later would end the process. */
    NvmlFunctions functions() {
        if (closed) {
            throw new IllegalStateException("the NVML session is closed");
        }
        return functions;
    }

    boolean isClosed() {
        return closed;
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
        return new Device(functions().device(index));
    }

    @Override
    public NvmlEventSet createEventSet() throws NvmlException {
        return new JnaNvmlEventSet(this, functions().createEventSet());
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
            functions.unload();
        }
    }

    /** A GPU, by NVML's own reference to it. */
    private final class Device implements NvmlDevice {
        private final Pointer handle;

        Device(Pointer handle) {
            this.handle = handle;
        }

        @Override
        public String name() throws NvmlException {
            return functions().text(NvmlCall.NAME, GPU_TEXT_BYTES, handle);
        }

        @Override
        public String uuid() throws NvmlException {
            return functions().text(NvmlCall.UUID, GPU_TEXT_BYTES, handle);
        }

        @Override
        public String pciAddress() throws NvmlException {
            StructBytes struct = StructBytes.zero(PciInfoStruct.LAYOUT);
            functions().call(NvmlCall.PCI_INFO, handle, struct.array());
            return PciInfoStruct.address(struct);
        }

        @Override
        public FabricAnswer fabric() throws NvmlException {
            NvmlFunctions nvml = functions();
            for (FabricInfoStruct form : FabricInfoStruct.NEWEST_FIRST) {
                StructBytes struct = form.request();
                int result = nvml.result(form.call(), handle, struct.array());
                if (NvmlFunctions.is(result, NvmlReturn.NOT_SUPPORTED)) {
                    return new FabricAnswer.NotSupported();
                }
                if (!asksForAnOlderForm(result)) {
                    nvml.check(form.call(), result);
                    return new FabricAnswer.Reported(form.decode(struct.array()));
                }
            }
            return new FabricAnswer.DriverTooOld();
        }

        /** Tells whether the driver does not know this form of a question, but may know an older one. */
        private static boolean asksForAnOlderForm(int result) {
            return NvmlFunctions.is(result, NvmlReturn.ARGUMENT_VERSION_MISMATCH)
                    || NvmlFunctions.is(result, NvmlReturn.FUNCTION_NOT_FOUND);
        }

        @Override
        public Optional<Numbered<RecoveryAction>> recoveryAction() throws NvmlException {
            NvmlFunctions nvml = functions();
            StructBytes field = FieldValueStruct.request(FieldValueStruct.GPU_RECOVERY_ACTION);
            if (!nvml.supports(NvmlCall.FIELD_VALUES, handle, 1, field.array())) {
                return Optional.empty();
            }
            int result = field.signedInt(FieldValueStruct.NVML_RETURN);
            // The field's ID is the one argument that can be invalid here: a driver that is older than the field.
            if (NvmlFunctions.is(result, NvmlReturn.INVALID_ARGUMENT)
                    || !nvml.supported(NvmlCall.FIELD_VALUES, result)) {
                return Optional.empty();
            }
            OptionalLong value = FieldValueStruct.wholeNumber(field);
            if (value.isEmpty()) {
                throw new BadAnswer(
                        NvmlCall.FIELD_VALUES,
                        "field 230 in value type " + field.signedInt(FieldValueStruct.VALUE_TYPE)
                                + " instead of a whole number");
            }
            return Optional.of(Numbered.of(value.getAsLong(), RecoveryAction.values()));
        }
    }
}
