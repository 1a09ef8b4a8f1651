package io.imexagent.agent.cli;

/** How a command ended, as the calling process sees it. */
public enum ExitCode {
    OK(0, "all is well"),
    FAILED(1, "the command failed, a check did, or probe found something wrong"),
    /** The command line was wrong. The shells' own convention. */
    USAGE(2, "the command line is wrong"),
    WARNINGS(3, "check found warnings and no failure"),
    IMEX_DEGRADED(1, "health: the IMEX domain is degraded, or its state is unknown"),
    IMEX_DOWN(2, "health: no workload of this node can use IMEX"),
    IMEX_NOT_APPLICABLE(3, "health: nvidia-imex has nothing to do here"),
    /** {@code health} was asked wrongly; 2 says that the domain is down. {@code EX_USAGE} of sysexits.h. */
    HEALTH_USAGE(64, "health: the command line is wrong"),
    /** {@code health} could not look; 1 says that the domain is degraded. {@code EX_SOFTWARE} of sysexits.h. */
    HEALTH_FAILED(70, "health: the command failed"),
    CHANGES_NEEDED(4, "provision --check found something to change"),
    /** The configuration has faults. {@code EX_CONFIG} of sysexits.h, which systemd shows by name. */
    CONFIGURATION(78, "the configuration has faults"),
    /** The gate decides nothing. The gate's codes stand apart: its drop-in lets 10 to 19 skip a start, and no others. */
    GATE_SWITCHED_OFF(10, "gate: it is switched off"),
    GATE_VENDOR(11, "gate: the vendor is not in the list"),
    GATE_NO_GPU(12, "gate: there is no GPU"),
    GATE_NOT_CAPABLE(13, "gate: the GPU does not support IMEX"),
    GATE_NO_DRIVER(14, "gate: the driver is not up"),
    GATE_FABRIC_NOT_READY(15, "gate: the GPU is still registering in its NVLink fabric"),
    /** Whether nvidia-imex should run could not be found out, a faulty configuration included. */
    GATE_UNDETERMINED(255, "gate: it cannot tell");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    public int number() {
        return number;
    }

    /** What it means, as a clause. */
    public String meaning() {
        return meaning;
    }
}
