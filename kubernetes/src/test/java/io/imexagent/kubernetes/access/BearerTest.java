package io.imexagent.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BearerTest {

    @TempDir
    Path folder;

    private final SettableClock clock = new SettableClock();

    @Test
    void readsAFileAnewAfterAMinute() throws Exception {
        Path file = write("one\n");
        var bearer = new Bearer.Rotating(file, clock);

        assertThat(bearer.token()).contains("one");
        write("two");
        assertThat(bearer.token()).contains("one");
        clock.advance(Duration.ofMinutes(1));
        assertThat(bearer.token()).contains("two");
    }

    @Test
    void readsAFileAnewAfterTheClockWasSetBack() throws Exception {
        var bearer = new Bearer.Rotating(write("one"), clock);
        assertThat(bearer.token()).contains("one");

        write("two");
        clock.advance(Duration.ofHours(-3));

        assertThat(bearer.token()).contains("two");
    }

    @Test
    void readsAFileAnewAtOnceWhereTheTokenWasRefused() throws Exception {
        Path file = write("one");
        var bearer = new Bearer.Rotating(file, clock);
        Optional<String> sent = bearer.token();

        assertThat(bearer.refused(sent)).isFalse();
        write("two");
        assertThat(bearer.refused(sent)).isTrue();
        assertThat(bearer.token()).contains("two");
    }

    @Test
    void keepsTheLastTokenWhileTheFileIsGone() throws Exception {
        Path file = write("one");
        var bearer = new Bearer.Rotating(file, clock);
        assertThat(bearer.token()).contains("one");

        Files.delete(file);
        clock.advance(Duration.ofMinutes(2));

        assertThat(bearer.token()).contains("one");
    }

    @Test
    void saysWhichFileIsMissing() {
        var bearer = new Bearer.Rotating(folder.resolve("absent"), clock);

        assertThatThrownBy(bearer::token).isInstanceOf(AccessException.class).hasMessageContaining("absent");
    }

    @Test
    void refusesATokenThatNoHeaderCanHoldWithoutShowingIt() {
        assertThatThrownBy(() -> new Bearer.Fixed("kubeconfig", "hun\nter2"))
                .isInstanceOf(AccessException.class)
                .message()
                .startsWith("kubeconfig holds no token")
                .doesNotContain("ter2");
    }

    private Path write(String token) throws IOException {
        return Files.writeString(folder.resolve("token"), token);
    }
}
