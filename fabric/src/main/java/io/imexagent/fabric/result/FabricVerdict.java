package io.imexagent.fabric.result;

/** What a run came to as a whole. */
public enum FabricVerdict {
    /** Every node of the run took part, and every pair is proven. */
    PROVEN("proven"),
    /** What was tried is proven, and some was not tried, or it is not known whether the nodes stayed the same. */
    PARTLY_PROVEN("partly proven"),
    /** An import failed or hung, or fewer than two nodes took part, or none was tried. */
    FAILED("failed");

    private final String text;

    FabricVerdict(String text) {
        this.text = text;
    }

    /** The verdict as documents have it. */
    public String text() {
        return text;
    }
}
