package io.imexagent.nvml.jna;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The functions of a loaded {@code libnvidia-ml.so.1}, raw: each returns its {@code nvmlReturn_t}.
 *
 * <p>A symbol is resolved when it is first called, since older drivers lack some; a missing one makes that call return
 * {@code FUNCTION_NOT_FOUND} and harms no other. Out-parameters are byte arrays in native byte order, which JNA copies
 * in and out: so nothing of the Java heap is pinned while a call hangs, and no native memory needs to be freed.
 */
final class NvmlFunctions {
    private final DynamicLinker linker;
    private final Pointer library;
    private final Map<NvmlCall, Optional<Function>> resolved = new EnumMap<>(NvmlCall.class);

    NvmlFunctions(DynamicLinker linker, Pointer library) {
        this.linker = linker;
        this.library = library;
    }

    int initWithFlags(int flags) {
        return invoke(NvmlCall.INIT, flags);
    }

    int shutdown() {
        return invoke(NvmlCall.SHUTDOWN);
    }

    /** Returns the library's words for a result; empty when it has none. */
    Optional<String> errorString(int result) {
        return function(NvmlCall.ERROR_STRING)
                .map(function -> function.invokePointer(new Object[] {result}))
                .map(text -> text.getString(0, "UTF-8"));
    }

    int systemGetDriverVersion(byte[] version) {
        return invoke(NvmlCall.DRIVER_VERSION, version, version.length);
    }

    int systemGetNvmlVersion(byte[] version) {
        return invoke(NvmlCall.NVML_VERSION, version, version.length);
    }

    int deviceGetCount(byte[] count) {
        return invoke(NvmlCall.DEVICE_COUNT, (Object) count);
    }

    int deviceGetHandleByIndex(int index, byte[] device) {
        return invoke(NvmlCall.DEVICE_HANDLE, index, device);
    }

    int deviceGetName(Pointer device, byte[] name) {
        return invoke(NvmlCall.NAME, device, name, name.length);
    }

    int deviceGetUuid(Pointer device, byte[] uuid) {
        return invoke(NvmlCall.UUID, device, uuid, uuid.length);
    }

    int deviceGetPciInfo(Pointer device, byte[] pci) {
        return invoke(NvmlCall.PCI_INFO, device, pci);
    }

    int deviceGetMinorNumber(Pointer device, byte[] minor) {
        return invoke(NvmlCall.MINOR_NUMBER, device, minor);
    }

    int deviceGetArchitecture(Pointer device, byte[] architecture) {
        return invoke(NvmlCall.ARCHITECTURE, device, architecture);
    }

    int deviceGetGpuFabricInfoV(Pointer device, byte[] info) {
        return invoke(NvmlCall.FABRIC_INFO_V, device, info);
    }

    int deviceGetGpuFabricInfo(Pointer device, byte[] info) {
        return invoke(NvmlCall.FABRIC_INFO, device, info);
    }

    int deviceGetPlatformInfo(Pointer device, byte[] info) {
        return invoke(NvmlCall.PLATFORM_INFO, device, info);
    }

    int deviceGetFieldValues(Pointer device, int count, byte[] values) {
        return invoke(NvmlCall.FIELD_VALUES, device, count, values);
    }

    int eventSetCreate(byte[] set) {
        return invoke(NvmlCall.EVENT_SET_CREATE, (Object) set);
    }

    int deviceRegisterEvents(Pointer device, long types, Pointer set) {
        return invoke(NvmlCall.REGISTER_EVENTS, device, types, set);
    }

    int eventSetWait(Pointer set, byte[] event, int timeoutMillis) {
        return invoke(NvmlCall.EVENT_SET_WAIT, set, event, timeoutMillis);
    }

    int eventSetFree(Pointer set) {
        return invoke(NvmlCall.EVENT_SET_FREE, set);
    }

    /** Drops the library; nothing here may be called any more. */
    void unload() {
        resolved.clear();
        linker.close(library);
    }

    private int invoke(NvmlCall call, Object... arguments) {
        return function(call)
                .map(function -> function.invokeInt(arguments))
                .orElse(NvmlReturn.Known.FUNCTION_NOT_FOUND.number());
    }

    private Optional<Function> function(NvmlCall call) {
        return resolved.computeIfAbsent(call, missing -> linker.find(library, missing.symbol()));
    }
}
