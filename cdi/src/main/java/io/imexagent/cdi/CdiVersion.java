package io.imexagent.cdi;

/** A released version of the CDI specification that today's runtimes read, in the order of their release. */
public enum CdiVersion {
    /** The earliest. */
    V0_3_0("0.3.0"),
    /** Brought the type of a mount. */
    V0_4_0("0.4.0"),
    /** Brought the host path of a device node, and device names that start with a digit. */
    V0_5_0("0.5.0"),
    /** Brought annotations, and dots in a class. */
    V0_6_0("0.6.0"),
    /** Brought Intel RDT and additional groups. */
    V0_7_0("0.7.0"),
    /** Brought nothing that a spec could use. */
    V0_8_0("0.8.0"),
    /** Brought nothing that a spec could use. */
    V1_0_0("1.0.0"),
    /** Brought network devices, and Intel RDT's schemata and monitoring. */
    V1_1_0("1.1.0");

    private final String text;

    CdiVersion(String text) {
        this.text = text;
    }

    /** The version in a spec. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
