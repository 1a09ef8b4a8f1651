package io.imexagent.fabric.cuda;

import java.util.Map;
import java.util.Optional;

/**
 * The result of a call into libcuda ({@code CUresult}) with the name that libcuda has for it. Decisions depend only on whether it is
 * 0: drivers differ in the other codes, which serve as explanations.
 */
public record CudaResult(int code, String name) {

    /** {@code CUDA_ERROR_NOT_FOUND}; also the result if the library lacks the function. */
    public static final int NOT_FOUND = 500;

    /** Remedies by code, for the codes whose cause is the same on every host. */
    private static final Map<Integer, String> REMEDIES = Map.of(
            2, "the GPU has no memory left: end what uses it",
            46, "its compute mode lets no other process use it (nvidia-smi --query-gpu=compute_mode)",
            100, "no GPU is visible here: look at nvidia-smi and at the nodes /dev/nvidia*",
            802, "the NVIDIA fabric manager is not ready: look at nvidia-fabricmanager and at nvidia-smi -q, Fabric",
            803, "kernel module and libcuda differ in version: reload the nvidia modules or reboot",
            999, "the driver cannot be used here: is the module nvidia-uvm loaded, and /dev/nvidia-uvm there?");

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
