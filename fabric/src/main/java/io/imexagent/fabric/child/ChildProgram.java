package io.imexagent.fabric.child;

import io.imexagent.host.Posix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line that starts a child: this program, as {@code imex-agent fabric child}. */
public record ChildProgram(List<String> words) {

    /** The arguments that start this program as a child. The help does not list this command. */
    public static final List<String> ARGUMENTS = List.of("fabric", "child");

    /** Options so that a crash leaves no core dump, no report of the JVM and no line on the child's output. */
    static final List<String> JVM =
            List.of("-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash", "-XX:-UsePerfData");

    public ChildProgram {
        words = List.copyOf(words);
    }

    /** Returns the command line of this program, from that of this process; fails if the latter has an unknown form. */
    public static ChildProgram ofThisProcess() throws IOException {
        if (Posix.isNativeImage()) {
            // It has its options in it, and knows none of HotSpot's.
            var words = new ArrayList<>(
                    List.of(Path.of("/proc/self/exe").toRealPath().toString()));
            words.addAll(ARGUMENTS);
            return new ChildProgram(words);
        }
        return startedBy(List.of(Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8)
                .split("\0")));
    }

    /**
     * Derives the program from a command line: one with {@code -jar}, or, as in the image, one with option files of
     * which one has the jar.
     */
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
        // These options stand before the jar or its option file, since the program receives everything after it.
        words.addAll(JVM);
        words.addAll(started.subList(1, arguments));
        words.addAll(ARGUMENTS);
        return new ChildProgram(words);
    }
}
