package io.imexagent.fabric.child;

/** A child as a process of its own, for tests; the product's is the command {@code imex-agent fabric child}. */
public final class ChildMain {
    private ChildMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        ChildSide.run();
    }

    /** The words that start it. */
    public static ChildProgram program() {
        return ChildProgram.ofClass(ChildMain.class);
    }
}
