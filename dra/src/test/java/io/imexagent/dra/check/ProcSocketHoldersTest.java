package io.imexagent.dra.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.check.ProcSocketHolders.Holder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcSocketHoldersTest {

    private static final Path SOCKET = Path.of("/var/lib/kubelet/plugins/compute-domain.nvidia.com/dra.sock");

    @TempDir
    private Path proc;

    @BeforeEach
    void makeProc() throws IOException {
        file("net/unix", """
            Num       RefCount Protocol Flags    Type St Inode Path
            0000000000000000: 00000002 00000000 00010000 0001 01 4711
            0000000000000000: 00000002 00000000 00010000 0001 01  777 %s
            """.formatted(SOCKET));
        file("self", "");
    }

    @Test
    void findsTheProcessBehindASocket() throws IOException {
        process("31", "socket:[4711]", "another\0process\0");
        process("123", "socket:[777]", "java\0-cp\0lib/*\0io.imexagent.agent.Main\0run\0");

        assertThat(new ProcSocketHolders(proc).of(SOCKET))
                .contains(new Holder("123", "java -cp lib/* io.imexagent.agent.Main run"))
                .get()
                .returns(true, Holder::isThisAgent);
    }

    @Test
    void tellsNothingOfASocketThatIsNotListed() throws IOException {
        process("123", "socket:[777]", "java\0");

        assertThat(new ProcSocketHolders(proc).of(Path.of("/run/other.sock"))).isEmpty();
    }

    @Test
    void tellsNothingOfAProcessWhoseDescriptorsAreHidden() throws IOException {
        Files.createDirectories(proc.resolve("123"));

        assertThat(new ProcSocketHolders(proc).of(SOCKET)).isEmpty();
    }

    private void process(String pid, String target, String command) throws IOException {
        file(pid + "/cmdline", command);
        Path descriptors = Files.createDirectories(proc.resolve(pid).resolve("fd"));
        Files.createSymbolicLink(descriptors.resolve("0"), Path.of("/dev/null"));
        Files.createSymbolicLink(descriptors.resolve("5"), Path.of(target));
    }

    private void file(String name, String text) throws IOException {
        Path file = proc.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
