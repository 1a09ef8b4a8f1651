package io.imexagent.fabric.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A child as a process of its own, for tests; the product's is the command {@code imex-agent fabric child}. */
public final class ChildMain {
    private ChildMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        ChildSide.run();
    }

    /** The words that start it. */
    public static ChildProgram program() {
        return ofClass(ChildMain.class);
    }

    /** Runs a class of this process's class path, which needs no jar. */
    public static ChildProgram ofClass(Class<?> main, String... arguments) {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m"));
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Djna.nosys=true"));
        words.addAll(ChildProgram.JVM);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        words.addAll(List.of(arguments));
        return new ChildProgram(words);
    }
}
