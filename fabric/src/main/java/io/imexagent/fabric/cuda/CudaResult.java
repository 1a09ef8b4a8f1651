package io.imexagent.fabric.cuda;

import java.util.Map;
import java.util.Optional;

/**
 * The result of a call into libcuda ({@code CUresult}) with its name in cuda.h. Decisions depend only on whether it is
 * 0: drivers differ in the other codes, which serve as explanations.
 */
public record CudaResult(int code, String name) {

    /** {@code CUDA_ERROR_NOT_FOUND}; also the result if the library lacks the function. */
    public static final int NOT_FOUND = 500;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(0, "CUDA_SUCCESS"),
            Map.entry(1, "CUDA_ERROR_INVALID_VALUE"),
            Map.entry(2, "CUDA_ERROR_OUT_OF_MEMORY"),
            Map.entry(3, "CUDA_ERROR_NOT_INITIALIZED"),
            Map.entry(46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
            Map.entry(100, "CUDA_ERROR_NO_DEVICE"),
            Map.entry(101, "CUDA_ERROR_INVALID_DEVICE"),
            Map.entry(201, "CUDA_ERROR_INVALID_CONTEXT"),
            Map.entry(400, "CUDA_ERROR_INVALID_HANDLE"),
            Map.entry(NOT_FOUND, "CUDA_ERROR_NOT_FOUND"),
            Map.entry(800, "CUDA_ERROR_NOT_PERMITTED"),
            Map.entry(801, "CUDA_ERROR_NOT_SUPPORTED"),
            Map.entry(802, "CUDA_ERROR_SYSTEM_NOT_READY"),
            Map.entry(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            Map.entry(999, "CUDA_ERROR_UNKNOWN"));

    /** Remedies by code, for the codes whose cause is the same on every host. */
    private static final Map<Integer, String> REMEDIES = Map.of(
            2, "the GPU has no memory left: end what uses it",
            46, "its compute mode lets no other process use it (nvidia-smi --query-gpu=compute_mode)",
            100, "no GPU is visible here: look at nvidia-smi and at the nodes /dev/nvidia*",
            802, "the NVIDIA fabric manager is not ready: look at nvidia-fabricmanager and at nvidia-smi -q, Fabric",
            803, "kernel module and libcuda differ in version: reload the nvidia modules or reboot",
            999, "the driver cannot be used here: is the module nvidia-uvm loaded, and /dev/nvidia-uvm there?");

    /** Returns the result with its name in cuda.h, or a name like {@code CUresult 77} for an unknown code. */
    public static CudaResult of(int code) {
        return new CudaResult(code, NAMES.getOrDefault(code, "CUresult " + code));
    }

    public boolean success() {
        return code == 0;
    }

    /** Returns the remedy as a clause; empty if the code does not imply one. */
    public Optional<String> remedy() {
        return Optional.ofNullable(REMEDIES.get(code));
    }

    /** Returns the name and code: {@code CUDA_ERROR_NOT_PERMITTED (800)}. */
    @Override
    public String toString() {
        return name + " (" + code + ")";
    }
}
