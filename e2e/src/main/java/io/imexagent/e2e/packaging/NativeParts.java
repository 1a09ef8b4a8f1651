package io.imexagent.e2e.packaging;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which entries of jars are native parts, and which of them one architecture needs.
 *
 * @param architecture the architecture
 */
record NativeParts(Architecture architecture) {

    /** JNA's and jffi's lie in folders by platform, those for AIX are archives; Netty's in one of {@code META-INF}. */
    private static final Pattern ANY =
            Pattern.compile("(com/sun/jna/[^/]+|jni/[^/]+|META-INF/native)/[^/]+\\.(so|dll|jnilib|a|dylib)");

    /** Whether an entry is a native part, for whatever machine. */
    static boolean isNative(String entry) {
        return ANY.matcher(entry).matches();
    }

    /** The file name under which an entry's library looks for it outside of its jar, where this architecture needs it. */
    Optional<String> fileName(String entry) {
        String netty = "libnetty_transport_native_epoll_" + architecture.netty() + ".so";
        return Optional.ofNullable(Map.of(
                        "com/sun/jna/" + architecture.jna() + "/libjnidispatch.so",
                        "libjnidispatch.so",
                        "jni/" + architecture.jffi() + "/libjffi-1.2.so",
                        "libjffi-1.2.so",
                        "META-INF/native/" + netty,
                        netty)
                .get(entry));
    }

    /** Whether a jar holds nothing but native parts of another architecture. */
    boolean isForeign(String jar) {
        return jar.startsWith("netty-transport-native-")
                && jar.contains("-linux-")
                && !jar.contains("-linux-" + architecture.netty());
    }
}
