package io.imexagent.imex.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileStep;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ModeFileTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void recordsEveryMode(ServingMode mode) throws IOException {
        var file = new ModeFile(directory.resolve("state"));

        file.write(mode, Collections.emptySortedSet());

        assertThat(file.read()).isEqualTo(new ModeFile.RecordedMode.ModeRecorded(mode, new TreeSet<>()));
    }

    @Test
    void writesAFileThatPeopleCanRead() throws IOException {
        new ModeFile(directory).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());

        assertThat(directory.resolve("mode.json"))
                .hasContent("{\"version\":1,\"mode\":\"host-managed, isolation None\"}\n");
    }

    @Test
    void recordsClaimsThatWereAcceptedByForce() throws IOException {
        var claims = new TreeSet<>(Set.of(
                new ClaimUid("7f3c0156-3566-44cf-a6f8-8acd6bcbbf17"),
                new ClaimUid("0d5be1d8-1fd2-4d27-9c2f-1f6ae7a1a0c3")));

        new ModeFile(directory).write(ServingMode.HOST_MANAGED_NONE, claims);

        assertThat(directory.resolve("mode.json"))
                .hasContent("{\"version\":1,\"mode\":\"host-managed, isolation None\",\"accepted\":"
                        + "[\"0d5be1d8-1fd2-4d27-9c2f-1f6ae7a1a0c3\",\"7f3c0156-3566-44cf-a6f8-8acd6bcbbf17\"]}\n");
        assertThat(new ModeFile(directory).read())
                .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, claims));
    }

    @Test
    void findsNothingAtFirst() throws IOException {
        assertThat(new ModeFile(directory).read()).isEqualTo(new ModeFile.RecordedMode.ModeMissing());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {"version":2,"mode":"driver-managed"}            | version: must be a whole number from 1 to 1
        {"version":1,"mode":"other"}                     | mode: "other" is no mode
        {"version":1,"mode":"driver-managed","accepted":["../x"]} | "../x" is no claim's UID
        {"version":1}                                    | field "version" or "mode" is missing
        {"version":1,"mode":"driver-managed","more":1}   | more: unknown field
        {"version":1,"mode":"driver-managed"             | ends too early
        ~~                                               | ends too early
        """)
    void understandsNothingElse(String content, String reason) throws IOException {
        Files.writeString(directory.resolve("mode.json"), content);

        assertThat(new ModeFile(directory).read())
                .isInstanceOfSatisfying(
                        ModeFile.RecordedMode.ModeUnreadable.class,
                        unreadable -> assertThat(unreadable.reason())
                                .startsWith(directory.resolve("mode.json") + " is not understood: ")
                                .contains(reason));
    }

    @Test
    void keepsTheOldModeWhereTheWriteFails() throws IOException {
        new ModeFile(directory).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());
        var failing = new ModeFile(directory, (step, path) -> {
            if (step == FileStep.FLUSH) {
                throw new FileSystemException(path.toString(), null, "Read-only file system");
            }
        });

        assertThatThrownBy(() -> failing.write(ServingMode.HOST_MANAGED_IMEX_CHANNEL, Collections.emptySortedSet()))
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("remount it writable");
        assertThat(failing.read())
                .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
    }
}
