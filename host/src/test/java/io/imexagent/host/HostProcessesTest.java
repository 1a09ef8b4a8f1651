package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostProcessesTest {

    @TempDir
    Path proc;

    @ParameterizedTest
    @ValueSource(strings = {"systemd", "init"})
    void aMachineShowsItsInit(String init) throws Exception {
        first(init);
        namespace("pid:[4026532000]");

        assertThat(new HostProcesses(proc).hidden()).isEmpty();
    }

    @Test
    void thePidNamespaceOfTheKernelIsTheHosts() throws Exception {
        first("tini");
        namespace("pid:[4026531836]");

        assertThat(new HostProcesses(proc).hidden()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "pause"})
    void aPodHasProcessesOfItsOwn(String first) throws Exception {
        first(first);
        namespace("pid:[4026532000]");

        assertThat(new HostProcesses(proc).hidden())
                .hasValueSatisfying(why -> assertThat(why).contains("of a container", first));
    }

    @Test
    void aNamespaceThatCannotBeToldIsNotTheHosts() throws Exception {
        first("java");

        assertThat(new HostProcesses(proc).hidden()).isPresent();
    }

    @Test
    void aProcThatHidesTheFirstProcessHidesOthersToo() throws Exception {
        namespace("pid:[4026531836]");

        assertThat(new HostProcesses(proc).hidden())
                .hasValueSatisfying(why -> assertThat(why).contains("hidepid", "ProtectProc"));
    }

    /** As hidepid=noaccess has it: the folder is there, what it holds cannot be read. */
    @Test
    void aFirstProcessThatCannotBeReadHidesItsWorks() throws Exception {
        Files.createDirectories(proc.resolve("1/comm"));

        assertThat(new HostProcesses(proc).hidden())
                .hasValueSatisfying(why -> assertThat(why).contains("does not let process 1 be read"));
    }

    private void first(String name) throws Exception {
        Files.createDirectories(proc.resolve("1"));
        Files.writeString(proc.resolve("1/comm"), name + "\n");
    }

    private void namespace(String link) throws Exception {
        Files.createDirectories(proc.resolve("self/ns"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of(link));
    }
}
