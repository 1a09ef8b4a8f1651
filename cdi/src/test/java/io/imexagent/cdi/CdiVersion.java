package io.imexagent.cdi;

/** A released version of the CDI specification that brought something that the agent writes. */
public enum CdiVersion {
    /** The earliest that today's runtimes read. */
    V0_3_0("0.3.0"),
    /** Brought device names that start with a digit. */
    V0_5_0("0.5.0"),
    /** Brought network devices. */
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
