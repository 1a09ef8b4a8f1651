package io.imexagent.e2e.packaging;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The processor architectures for which the agent is packaged, and the native parts of jars that each needs. */
enum Architecture {
    /** Hosts of other GPUs, and the machines on which the project is built. */
    X86_64("x86_64", "linux-x86-64", "x86_64-Linux", "x86_64"),
    /** Grace, the hosts of GB200 and GB300. */
    AARCH64("aarch64", "linux-aarch64", "aarch64-Linux", "aarch_64");

    /** JNA's and jffi's lie in folders by platform, those for AIX are archives; Netty's in one of {@code META-INF}. */
    private static final Pattern NATIVE =
            Pattern.compile("(com/sun/jna/[^/]+|jni/[^/]+|META-INF/native)/[^/]+\\.(so|dll|jnilib|a|dylib)");

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
     * The architecture of a machine, by what {@code uname -m} says; {@link IllegalArgumentException} for all others.
     */
    static Architecture of(String machine) {
        return Arrays.stream(values())
                .filter(one -> one.machine.equals(machine))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there are no native parts for " + machine
                        + ", only for "
                        + Arrays.stream(values()).map(one -> one.machine).collect(Collectors.joining(" and "))));
    }

    /** What {@code uname -m} says. */
    String machine() {
        return machine;
    }

    /** Whether an entry of a jar is a native part, for whatever machine. */
    static boolean isNative(String entry) {
        return NATIVE.matcher(entry).matches();
    }

    /** The file name under which an entry's library looks for it outside of its jar, where this architecture needs it. */
    Optional<String> fileName(String entry) {
        List<String> needed = List.of(
                "com/sun/jna/" + jna + "/libjnidispatch.so",
                "jni/" + jffi + "/libjffi-1.2.so",
                "META-INF/native/libnetty_transport_native_epoll_" + netty + ".so");
        return Optional.of(entry).filter(needed::contains).map(path -> path.substring(path.lastIndexOf('/') + 1));
    }

    /** Whether a jar holds nothing but native parts of another architecture. */
    boolean isForeign(String jar) {
        return jar.startsWith("netty-transport-native-") && jar.contains("-linux-") && !jar.contains("-linux-" + netty);
    }
}
