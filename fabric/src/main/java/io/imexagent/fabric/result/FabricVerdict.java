package io.imexagent.fabric.result;

/** The verdict of a whole run. */
public enum FabricVerdict {
    /** Every node of the run took part, and every pair is proven. */
    PROVEN("proven"),
    /**
     * All tried imports are proven, but some were not tried, or it is unknown whether the nodes changed during the run.
     */
    PARTLY_PROVEN("partly proven"),
    /** An import failed or hung, fewer than two nodes took part, or no import was tried. */
    FAILED("failed");

    private final String text;

    FabricVerdict(String text) {
        this.text = text;
    }

    /** Returns the verdict as documents have it. */
    public String text() {
        return text;
    }
}
