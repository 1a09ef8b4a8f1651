package io.imexagent.e2e.packaging;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The processor architectures for which the agent is packaged, with the names that libraries have for them. */
enum Architecture {
    /** Hosts of other GPUs, and the machines on which the project is built. */
    X86_64("x86_64", "linux-x86-64", "x86_64-Linux", "x86_64"),
    /** Grace, the hosts of GB200 and GB300. */
    AARCH64("aarch64", "linux-aarch64", "aarch64-Linux", "aarch_64");

    private final String machine;
    private final String jna;
    private final String jffi;
    private final String netty;

    Architecture(String machine, String jna, String jffi, String netty) {
        this.machine = machine;
        this.jna = jna;
        this.jffi = jffi;
        this.netty = netty;
    }

    /**
     * The architecture of a machine, by what {@code uname -m} says.
     *
     * @throws IllegalArgumentException when there are no native parts for it
     */
    static Architecture of(String machine) {
        return Arrays.stream(values())
                .filter(one -> one.machine.equals(machine))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there are no native parts for " + machine
                        + ", only for "
                        + Arrays.stream(values()).map(one -> one.machine).collect(Collectors.joining(" and "))));
    }

    /** JNA's folder of native parts, in its jar. */
    String jna() {
        return jna;
    }

    /** jffi's folder of native parts, in its jar. */
    String jffi() {
        return jffi;
    }

    /** Netty's name, in names of jars and of native parts. */
    String netty() {
        return netty;
    }
}
