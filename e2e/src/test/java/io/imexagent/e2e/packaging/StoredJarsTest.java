package io.imexagent.e2e.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.e2e.packaging.StoredJars.Architecture;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredJarsTest {
    private static final String PARTS = "com/sun/jna/";

    @TempDir
    private Path directory;

    private Path from;
    private Path jars;
    private Path natives;

    @BeforeEach
    void folders() throws IOException {
        from = Files.createDirectory(directory.resolve("from"));
        jars = directory.resolve("jars");
        natives = directory.resolve("natives");
    }

    @Test
    void storesWhatWasDeflatedWithTheManifestFirst() throws Exception {
        String text = "a".repeat(10_000);
        jar("some.jar", "io/A.class", text, "META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n");

        rewrite(Architecture.X86_64);

        try (ZipFile jar = new ZipFile(jars.resolve("some.jar").toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName)).containsExactly("META-INF/MANIFEST.MF", "io/A.class");
            ZipEntry entry = jar.getEntry("io/A.class");
            assertThat(entry.getMethod()).isEqualTo(ZipEntry.STORED);
            assertThat(new String(jar.getInputStream(entry).readAllBytes(), UTF_8))
                    .isEqualTo(text);
        }
    }

    @Test
    void theSameJarComesOutTheSameWhenBuiltLater() throws Exception {
        jar("some.jar", "A", "1", "B", "2");
        rewrite(Architecture.X86_64);
        byte[] first = Files.readAllBytes(jars.resolve("some.jar"));

        Files.delete(from.resolve("some.jar"));
        Thread.sleep(2100);
        jar("some.jar", "A", "1", "B", "2");
        rewrite(Architecture.X86_64);

        assertThat(Files.readAllBytes(jars.resolve("some.jar"))).isEqualTo(first);
    }

    @Test
    void takesThisArchitecturesNativePartsOutAndLeavesTheOthersOut() throws Exception {
        jar(
                "jna-5.jar",
                PARTS + "Native.class",
                "class",
                PARTS + "linux-x86-64/libjnidispatch.so",
                "intel",
                PARTS + "linux-aarch64/libjnidispatch.so",
                "grace",
                PARTS + "win32-x86/jnidispatch.dll",
                "windows");

        assertThat(rewrite(Architecture.AARCH64)).containsExactly("libjnidispatch.so");

        assertThat(natives.resolve("libjnidispatch.so")).hasContent("grace");
        try (ZipFile jar = new ZipFile(jars.resolve("jna-5.jar").toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName)).containsExactly(PARTS + "Native.class");
        }
    }

    @Test
    void takesThePartOfJffiOutForEitherArchitecture() throws Exception {
        jar(
                "jffi-1-native.jar",
                "jni/x86_64-Linux/libjffi-1.2.so",
                "intel",
                "jni/aarch64-Linux/libjffi-1.2.so",
                "grace",
                "jni/ppc-AIX/libjffi-1.2.a",
                "power",
                "META-INF/MANIFEST.MF",
                "Manifest-Version: 1.0\n");

        assertThat(rewrite(Architecture.X86_64)).containsExactly("libjffi-1.2.so");
        assertThat(natives.resolve("libjffi-1.2.so")).hasContent("intel");
        assertThat(rewrite(Architecture.AARCH64)).containsExactly("libjffi-1.2.so");
        assertThat(natives.resolve("libjffi-1.2.so")).hasContent("grace");
        try (ZipFile jar = new ZipFile(jars.resolve("jffi-1-native.jar").toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName)).containsExactly("META-INF/MANIFEST.MF");
        }
    }

    @Test
    void leavesAJarOfAnotherArchitectureOut() throws Exception {
        String folder = "META-INF/native/libnetty_transport_native_epoll_";
        jar("netty-transport-native-epoll-4-linux-x86_64.jar", folder + "x86_64.so", "intel");
        jar("netty-transport-native-epoll-4-linux-aarch_64.jar", folder + "aarch_64.so", "grace");
        jar("netty-transport-native-unix-common-4.jar", "A", "1");

        assertThat(rewrite(Architecture.X86_64)).containsExactly("libnetty_transport_native_epoll_x86_64.so");

        assertThat(jars).isDirectoryNotContaining("glob:**aarch_64.jar");
        assertThat(jars).isDirectoryContaining("glob:**unix-common-4.jar");
        assertThat(natives).isDirectoryNotContaining("glob:**aarch_64.so");
    }

    @Test
    void saysWhatToDoWhereNothingWasBuilt() {
        assertThatThrownBy(() -> rewrite(Architecture.X86_64)).hasMessageContaining("make build");
    }

    @Test
    void namesTheArchitecturesThatThereAre() {
        assertThatThrownBy(() -> Architecture.of("riscv64"))
                .hasMessageContaining("riscv64, only for x86_64 and aarch64");
    }

    private List<String> rewrite(Architecture architecture) throws IOException {
        return List.copyOf(StoredJars.write(architecture.machine(), from, jars, natives));
    }

    private void jar(String name, String... namesAndContents) throws IOException {
        try (OutputStream file = Files.newOutputStream(from.resolve(name));
                ZipOutputStream jar = new ZipOutputStream(file)) {
            for (int index = 0; index < namesAndContents.length; index += 2) {
                jar.putNextEntry(new ZipEntry(namesAndContents[index]));
                jar.write(namesAndContents[index + 1].getBytes(UTF_8));
                jar.closeEntry();
            }
        }
    }
}
