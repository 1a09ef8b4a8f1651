package io.imexagent.e2e.bench;

import picocli.CommandLine.Option;

/** How much is measured, as flags of a command. */
public final class BenchOptions {

    @Option(names = "--starts", defaultValue = "10", description = "Starts that are measured.")
    int starts;

    @Option(
            names = "--young",
            defaultValue = "200",
            description = "Cycles after each start, of which the first 50 are timed.")
    int young;

    @Option(names = "--warm-up", defaultValue = "300", description = "Cycles before those measured.")
    int warmUp;

    @Option(names = "--cycles", defaultValue = "500", description = "Cycles that are measured.")
    int cycles;

    @Option(names = "--total", defaultValue = "3000", description = "Cycles after which memory is read.")
    int total;

    @Option(names = "--idle", defaultValue = "5", description = "Seconds from start to memory's reading.")
    int idleSeconds;

    @Option(
            names = "--minutes",
            defaultValue = "10",
            description = "Minutes for which the installed agent is idle, twice; the aims are for 10.")
    int minutes;

    @Option(names = "--brief", description = "Leave out the minutes for which the installed agent is idle.")
    boolean brief;

    @Option(names = "--package", description = "Measure the agent of the package in every part, not the checkout's.")
    boolean ofPackage;
}
