package io.imexagent.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileFaultTest {

    private static final Path PATH = Path.of("/var/run/cdi/a.yaml");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "No space left on device | free space there",
                "Disk quota exceeded     | raise the quota or free space there",
                "Read-only file system   | remount it writable",
                "Operation not permitted | check owner, mode and security label of /var/run/cdi",
                "Too many open files     | raise LimitNOFILE of the service",
                "Input/output error      | check the disk (journalctl -k)",
                "Not a directory         | make sure that the directory /var/run/cdi exists",
                "Something new           | check /var/run/cdi",
            })
    void tellsTheRemedyOfEachReason(String reason, String remedy) {
        var fault = FileFault.of("write", PATH, new FileSystemException("x", null, reason), "");

        assertThat(fault).hasMessage("cannot write " + PATH + ": " + reason + "; " + remedy);
        assertThat(fault.path()).isEqualTo(PATH);
    }

    @Test
    void knowsADenialThatComesWithoutAText() {
        var fault = FileFault.of("delete", PATH, new AccessDeniedException("x"), "the claim is retried");

        assertThat(fault)
                .hasMessage("cannot delete " + PATH + ": Permission denied; check owner, mode and security label of"
                        + " /var/run/cdi, the claim is retried");
    }

    @Test
    void namesAnExceptionThatSaysNothing() {
        assertThat(FileFault.of("write", PATH, new IOException(), "")).hasMessageContaining(": IOException; ");
    }

    @Test
    void handsAFaultThrough() {
        var inner = FileFault.of("write", PATH, new IOException("x"), "");

        assertThat(FileFault.of("list", Path.of("/"), inner, "")).isSameAs(inner);
    }
}
