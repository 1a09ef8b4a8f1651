package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootedFilesTest {

    private static final int READERS = 4;
    private static final int READS = 2000;

    @TempDir
    Path root;

    /** Claims are looked at by a thread each, all through the same files. */
    @Test
    void readersDoNotGetEachOthersFiles() throws Exception {
        var files = new RootedFiles(root);
        List<Callable<Integer>> readers = new ArrayList<>();
        for (int reader = 0; reader < READERS; reader++) {
            String name = "file" + reader;
            String text = String.valueOf((char) ('a' + reader)).repeat(3000);
            Files.writeString(root.resolve(name), text);
            readers.add(() -> {
                int wrong = 0;
                for (int read = 0; read < READS; read++) {
                    wrong += files.read(name).equals(text) ? 0 : 1;
                }
                return wrong;
            });
        }

        try (var threads = Executors.newFixedThreadPool(READERS)) {
            for (Future<Integer> wrong : threads.invokeAll(readers)) {
                assertThat(wrong.get()).isZero();
            }
        }
    }
}
