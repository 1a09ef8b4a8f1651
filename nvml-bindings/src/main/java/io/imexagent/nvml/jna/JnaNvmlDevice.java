package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.RecoveryAction;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A GPU of an open session.
 *
 * @param session the session, which may be closed in the meantime
 * @param handle NVML's own reference to it
 */
record JnaNvmlDevice(JnaNvmlSession session, Pointer handle) implements NvmlDevice {
    private static final int TEXT_BYTES = 96;

    @Override
    public String name() throws NvmlException {
        return session.functions().text(NvmlCall.NAME, TEXT_BYTES, handle);
    }

    @Override
    public String uuid() throws NvmlException {
        return session.functions().text(NvmlCall.UUID, TEXT_BYTES, handle);
    }

    @Override
    public String pciAddress() throws NvmlException {
        StructBytes struct = StructBytes.zero(PciInfoStruct.LAYOUT);
        session.functions().call(NvmlCall.PCI_INFO, handle, struct.array());
        return PciInfoStruct.address(struct);
    }

    @Override
    public FabricAnswer fabric() throws NvmlException {
        NvmlFunctions functions = session.functions();
        for (FabricInfoStruct form : FabricInfoStruct.NEWEST_FIRST) {
            StructBytes struct = form.request();
            int result = functions.result(form.call(), handle, struct.array());
            if (NvmlFunctions.is(result, NvmlReturn.NOT_SUPPORTED)) {
                return new FabricAnswer.NotSupported();
            }
            if (!asksForAnOlderForm(result)) {
                functions.check(form.call(), result);
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
        NvmlFunctions functions = session.functions();
        StructBytes field = FieldValueStruct.request(FieldValueStruct.GPU_RECOVERY_ACTION);
        if (!functions.supports(NvmlCall.FIELD_VALUES, handle, 1, field.array())) {
            return Optional.empty();
        }
        int result = field.signedInt(FieldValueStruct.NVML_RETURN);
        // The field's ID is the one argument that can be invalid here: a driver that is older than the field.
        if (NvmlFunctions.is(result, NvmlReturn.INVALID_ARGUMENT)
                || !functions.supported(NvmlCall.FIELD_VALUES, result)) {
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
