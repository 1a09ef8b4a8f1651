package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of any nesting and size, each larger than the heap of the process that reads them. */
class BoundedReadingIT {

    @TempDir
    Path folder;

    @Test
    void readsWhatIsLargerThanTheHeap() throws Exception {
        Process reader = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-Xss512k",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BoundedReadingMain.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            List<String> said = reader.inputReader().readAllLines();
            assertThat(said)
                    .containsExactly(
                            "deep arrays: [a, first, last], read",
                            "deep objects: [a, first, last], read",
                            "deep in a wanted place: [a, first, last], read",
                            "deep lists in a wanted place: [a, first, last], read",
                            "long text: [a, first, last], read",
                            "long wanted text: [first, last], read",
                            "long name of a field: [a, first, last], read",
                            "long number: [a, first, last], read",
                            "long wanted number: [a, first, last], read",
                            "many fields: [a, first, last], read",
                            "many elements: [a, first, last], read",
                            "many wanted elements: [first, last], read",
                            "many containers: [a, first, last], unreadable",
                            "the same field again and again: [a, first, last], read",
                            "the same list again and again: [a, first, last], unreadable",
                            "many finalizers: [a, first, last], unreadable",
                            "many labels: [a, first, last], read",
                            "long label: [a, first, last], read",
                            "long name of a label: [a, first, last], read",
                            "another name: [first, last], unreadable",
                            "many objects: some",
                            "many unreadable objects: none",
                            "after many objects: true 3 {}");
            assertThat(reader.waitFor()).isZero();
        } finally {
            reader.destroyForcibly();
        }
    }
}
