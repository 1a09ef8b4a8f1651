package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.Architecture;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlReturn.Known;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.RecoveryAction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The calls to NVML: results become exceptions, bytes become values.
 *
 * <p>Results are compared as numbers: a switch over {@link NvmlReturn} would be linked at its first use, some ten
 * milliseconds on the way to the daemon's first inventory.
 */
final class NvmlCalls {
    /** {@code NVML_INIT_FLAG_NO_GPUS}: a host without GPUs is no error. */
    private static final int NO_GPUS = 1;
    /** {@code NVML_DEVICE_ARCH_UNKNOWN}, unsigned. */
    private static final long ARCHITECTURE_UNKNOWN = 0xffff_ffffL;

    private static final int SYSTEM_TEXT_BYTES = 80;
    private static final int DEVICE_TEXT_BYTES = 96;
    private static final List<FabricInfoVersion> NEWEST_FIRST =
            List.of(FabricInfoVersion.V3, FabricInfoVersion.V2, FabricInfoVersion.V1);

    private final NvmlFunctions functions;

    NvmlCalls(NvmlFunctions functions) {
        this.functions = functions;
    }

    void init() throws NvmlException {
        check(NvmlCall.INIT, functions.initWithFlags(NO_GPUS));
    }

    void shutdown() throws NvmlException {
        check(NvmlCall.SHUTDOWN, functions.shutdown());
    }

    /** Drops the library; no call may follow. */
    void unload() {
        functions.unload();
    }

    String driverVersion() throws NvmlException {
        byte[] text = new byte[SYSTEM_TEXT_BYTES];
        check(NvmlCall.DRIVER_VERSION, functions.systemGetDriverVersion(text));
        return text(NvmlCall.DRIVER_VERSION, text);
    }

    String nvmlVersion() throws NvmlException {
        byte[] text = new byte[SYSTEM_TEXT_BYTES];
        check(NvmlCall.NVML_VERSION, functions.systemGetNvmlVersion(text));
        return text(NvmlCall.NVML_VERSION, text);
    }

    int deviceCount() throws NvmlException {
        byte[] count = new byte[Integer.BYTES];
        check(NvmlCall.DEVICE_COUNT, functions.deviceGetCount(count));
        return natural(NvmlCall.DEVICE_COUNT, count);
    }

    Pointer deviceHandle(int index) throws NvmlException {
        byte[] handle = new byte[Long.BYTES];
        check(NvmlCall.DEVICE_HANDLE, functions.deviceGetHandleByIndex(index, handle));
        return pointer(handle);
    }

    String name(Pointer device) throws NvmlException {
        byte[] text = new byte[DEVICE_TEXT_BYTES];
        check(NvmlCall.NAME, functions.deviceGetName(device, text));
        return text(NvmlCall.NAME, text);
    }

    String uuid(Pointer device) throws NvmlException {
        byte[] text = new byte[DEVICE_TEXT_BYTES];
        check(NvmlCall.UUID, functions.deviceGetUuid(device, text));
        return text(NvmlCall.UUID, text);
    }

    PciInfo pciInfo(Pointer device) throws NvmlException {
        StructBytes struct = StructBytes.zero(PciInfoStruct.LAYOUT);
        check(NvmlCall.PCI_INFO, functions.deviceGetPciInfo(device, struct.array()));
        return PciInfoStruct.decode(struct.array());
    }

    int minorNumber(Pointer device) throws NvmlException {
        byte[] minor = new byte[Integer.BYTES];
        check(NvmlCall.MINOR_NUMBER, functions.deviceGetMinorNumber(device, minor));
        return natural(NvmlCall.MINOR_NUMBER, minor);
    }

    Optional<Architecture> architecture(Pointer device) throws NvmlException {
        byte[] architecture = new byte[Integer.BYTES];
        if (!supported(NvmlCall.ARCHITECTURE, functions.deviceGetArchitecture(device, architecture))) {
            return Optional.empty();
        }
        long number = Integer.toUnsignedLong(nativeOrder(architecture).getInt());
        return number == ARCHITECTURE_UNKNOWN ? Optional.empty() : Optional.of(Architecture.of(number));
    }

    FabricAnswer fabric(Pointer device) throws NvmlException {
        for (FabricInfoVersion version : NEWEST_FIRST) {
            StructBytes struct = FabricInfoStruct.request(version);
            NvmlCall call = version == FabricInfoVersion.V1 ? NvmlCall.FABRIC_INFO : NvmlCall.FABRIC_INFO_V;
            int result = version == FabricInfoVersion.V1
                    ? functions.deviceGetGpuFabricInfo(device, struct.array())
                    : functions.deviceGetGpuFabricInfoV(device, struct.array());
            if (result == Known.SUCCESS.number()) {
                return new FabricAnswer.Reported(FabricInfoStruct.decode(version, struct.array()));
            }
            if (result == Known.NOT_SUPPORTED.number()) {
                return new FabricAnswer.NotSupported();
            }
            if (!asksForAnOlderForm(result)) {
                throw failure(call, result);
            }
        }
        return new FabricAnswer.DriverTooOld();
    }

    Optional<PlatformInfo> platformInfo(Pointer device) throws NvmlException {
        StructBytes struct = PlatformInfoStruct.request();
        int result = functions.deviceGetPlatformInfo(device, struct.array());
        // A driver from before version 2 of the struct cannot tell in these terms.
        if (result == Known.ARGUMENT_VERSION_MISMATCH.number() || !supported(NvmlCall.PLATFORM_INFO, result)) {
            return Optional.empty();
        }
        return Optional.of(PlatformInfoStruct.decode(struct.array()));
    }

    Optional<RecoveryAction> recoveryAction(Pointer device) throws NvmlException {
        StructBytes field = FieldValueStruct.request(FieldValueStruct.GPU_RECOVERY_ACTION);
        if (!supported(NvmlCall.FIELD_VALUES, functions.deviceGetFieldValues(device, 1, field.array()))) {
            return Optional.empty();
        }
        int result = field.signedInt(FieldValueStruct.NVML_RETURN);
        // The field's ID is the one argument that can be invalid here: a driver that is older than the field.
        if (result == Known.INVALID_ARGUMENT.number() || !supported(NvmlCall.FIELD_VALUES, result)) {
            return Optional.empty();
        }
        OptionalLong value = FieldValueStruct.wholeNumber(field);
        if (value.isEmpty()) {
            throw new BadAnswer(
                    NvmlCall.FIELD_VALUES,
                    "field 230 in value type " + field.signedInt(FieldValueStruct.VALUE_TYPE)
                            + " instead of a whole number");
        }
        return Optional.of(RecoveryAction.of(value.getAsLong()));
    }

    Pointer eventSetCreate() throws NvmlException {
        byte[] handle = new byte[Long.BYTES];
        check(NvmlCall.EVENT_SET_CREATE, functions.eventSetCreate(handle));
        return pointer(handle);
    }

    void registerEvents(Pointer device, long types, Pointer set) throws NvmlException {
        check(NvmlCall.REGISTER_EVENTS, functions.deviceRegisterEvents(device, types, set));
    }

    /** Returns the next event's struct; empty when none came in time. */
    Optional<StructBytes> eventSetWait(Pointer set, int timeoutMillis) throws NvmlException {
        StructBytes event = StructBytes.zero(EventDataStruct.LAYOUT);
        int result = functions.eventSetWait(set, event.array(), timeoutMillis);
        if (result == Known.TIMEOUT.number()) {
            return Optional.empty();
        }
        check(NvmlCall.EVENT_SET_WAIT, result);
        return Optional.of(event);
    }

    void eventSetFree(Pointer set) throws NvmlException {
        check(NvmlCall.EVENT_SET_FREE, functions.eventSetFree(set));
    }

    private void check(NvmlCall call, int result) throws NvmlException {
        if (result != Known.SUCCESS.number()) {
            throw failure(call, result);
        }
    }

    /** Tells whether a call succeeded (true) or GPU or driver lack it (false). */
    private boolean supported(NvmlCall call, int result) throws NvmlException {
        if (result == Known.NOT_SUPPORTED.number() || result == Known.FUNCTION_NOT_FOUND.number()) {
            return false;
        }
        check(call, result);
        return true;
    }

    /** Tells whether the driver does not know this form of a question, but may know an older one. */
    private static boolean asksForAnOlderForm(int result) {
        return result == Known.ARGUMENT_VERSION_MISMATCH.number() || result == Known.FUNCTION_NOT_FOUND.number();
    }

    private CallFailed failure(NvmlCall call, int result) {
        return new CallFailed(call, NvmlReturn.of(result), functions.errorString(result));
    }

    private static String text(NvmlCall call, byte[] bytes) throws NvmlException {
        String text = StructBytes.text(bytes);
        if (text.isBlank()) {
            throw new BadAnswer(call, "an empty text");
        }
        return text;
    }

    private static int natural(NvmlCall call, byte[] bytes) throws NvmlException {
        int number = nativeOrder(bytes).getInt();
        if (number < 0) {
            throw new BadAnswer(call, "the number " + Integer.toUnsignedString(number));
        }
        return number;
    }

    private static Pointer pointer(byte[] bytes) {
        return new Pointer(nativeOrder(bytes).getLong());
    }

    private static ByteBuffer nativeOrder(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }
}
