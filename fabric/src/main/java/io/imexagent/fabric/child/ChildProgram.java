package io.imexagent.fabric.child;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The words that start a child: this program again, as {@code imex-agent fabric child}. */
public record ChildProgram(List<String> words) {

    /** The arguments of this program that make it a child; no help lists the command. */
    public static final List<String> ARGUMENTS = List.of("fabric", "child");

    /** A crash must leave neither a core dump nor a report of the JVM behind, nor a line on the child's output. */
    private static final List<String> JVM =
            List.of("-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash", "-XX:-UsePerfData");

    public ChildProgram {
        words = List.copyOf(words);
    }

    /** This program, as the JVM of this process was started; fails where its command line is another. */
    public static ChildProgram ofThisProcess() throws IOException {
        return startedBy(List.of(Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8)
                .split("\0")));
    }

    /** The program of a command line: by {@code -jar}, or as in the image by files of options, one of which has it. */
    static ChildProgram startedBy(List<String> started) throws IOException {
        int jar = started.indexOf("-jar");
        boolean byJar = jar > 0 && jar + 1 < started.size();
        int arguments = byJar ? jar + 2 : started.indexOf(ARGUMENTS.getFirst());
        if (!byJar && (arguments < 2 || !started.get(arguments - 1).startsWith("@"))) {
            throw new IOException("cannot tell how this program was started, so no child of it can be; start it by the"
                    + " launcher imex-agent");
        }
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Before what may hold the jar, after which all is the program's.
        words.addAll(JVM);
        words.addAll(started.subList(1, arguments));
        words.addAll(ARGUMENTS);
        return new ChildProgram(words);
    }

    /** A class of the class path of this process, for tests of what needs no jar. */
    public static ChildProgram ofClass(Class<?> main, String... arguments) {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m"));
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Djna.nosys=true"));
        words.addAll(JVM);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        words.addAll(List.of(arguments));
        return new ChildProgram(words);
    }
}
