package io.imexagent.agent.cli;

import io.imexagent.core.check.Severity;

/** The exit code of a command. */
public enum ExitCode {
    OK(0, "done, and nothing worse than info was found"),
    FAILED(1, "the command failed, or found something critical"),
    /** The convention of shells. */
    USAGE(2, "the command line is wrong"),
    WARNINGS(3, "the worst that was found is a warning; fabric: what was tried is proven, and some was not tried"),
    CHANGES_NEEDED(4, "provision --check: something would be changed"),
    /** {@code EX_CONFIG} of sysexits.h, which systemd shows by name. */
    CONFIGURATION(78, "the configuration has faults"),
    /** The gate decides nothing. The gate has its own codes: its drop-in skips a start for 10 to 19 only. */
    GATE_SWITCHED_OFF(10, "gate: it is switched off"),
    GATE_VENDOR(11, "gate: the vendor is not in the list"),
    GATE_NO_GPU(12, "gate: there is no GPU"),
    GATE_NOT_CAPABLE(13, "gate: the GPU does not support IMEX"),
    GATE_NO_DRIVER(14, "gate: the driver is not up"),
    GATE_FABRIC_NOT_READY(15, "gate: the GPU is still registering in its NVLink fabric"),
    /** The gate could not determine whether nvidia-imex should run, for instance because of a faulty configuration. */
    GATE_UNDETERMINED(255, "gate: it cannot tell");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** The exit code of a command whose worst result has this severity. */
    static ExitCode of(Severity worst) {
        return switch (worst) {
            case OK, INFO -> OK;
            case WARNING -> WARNINGS;
            case CRITICAL -> FAILED;
        };
    }

    public int number() {
        return number;
    }

    /** The meaning of the code, as a clause. */
    public String meaning() {
        return meaning;
    }
}
