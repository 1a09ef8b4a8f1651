package io.imexagent.nvml;

/** The answer to the question for a GPU's fabric. */
public sealed interface FabricAnswer {
    /** The driver told this. */
    record Reported(FabricInfo info) implements FabricAnswer {}

    /** The call answered {@code NOT_SUPPORTED}: this GPU takes part in no fabric. */
    record NotSupported() implements FabricAnswer {}

    /** The driver knows none of the three forms of the question, so it cannot be said whether there is a fabric. */
    record DriverTooOld() implements FabricAnswer {}
}
