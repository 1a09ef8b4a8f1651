package io.imexagent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class LogLineTest {

    @Test
    void beginsWithTimeAndLevelForPeople() {
        assertThat(new LogLine(false).format(record(Level.WARNING, "claim refused uid=1")))
                .isEqualTo("2026-11-21T05:46:49.120Z WARN  claim refused uid=1\n");
    }

    @Test
    void beginsWithThePriorityForTheJournal() {
        var line = new LogLine(true);

        assertThat(line.format(record(Level.SEVERE, "a"))).isEqualTo("<3>a\n");
        assertThat(line.format(record(Level.WARNING, "b"))).isEqualTo("<4>b\n");
        assertThat(line.format(record(Level.INFO, "c"))).isEqualTo("<6>c\n");
        assertThat(line.format(record(Level.FINE, "d"))).isEqualTo("<7>d\n");
    }

    @Test
    void keepsForeignLineBreaksOutOfTheLog() {
        assertThat(new LogLine(true).format(record(Level.INFO, "reason=\"a\n<3>forged\r\"")))
                .isEqualTo("<6>reason=\"a <3>forged \"\n");
    }

    @Test
    void keepsTheStackTraceOfAnEventOnItsLineForTheJournal() {
        LogRecord defect = record(Level.SEVERE, "defect");
        defect.setThrown(new IllegalStateException("why"));

        assertThat(new LogLine(true).format(defect).lines())
                .singleElement()
                .asString()
                .startsWith("<3>defect trace=\"java.lang.IllegalStateException: why | at ")
                .endsWith("\"");
        assertThat(new LogLine(false).format(defect).lines())
                .hasSizeGreaterThan(2)
                .last()
                .asString()
                .startsWith("\tat ");
    }

    /** The JDK has a line for each certificate that it reads, and tells each exit with a throwable. */
    @Test
    void debugIsAboutTheProgramItself() {
        Handler[] before = Logger.getLogger("").getHandlers();
        Level level = Logger.getLogger("").getLevel();
        Level own = Logger.getLogger("io.imexagent").getLevel();
        try {
            Logging.ofCommand(LogLevel.DEBUG);

            assertThat(Logger.getLogger("io.imexagent").isLoggable(Level.FINE)).isTrue();
            assertThat(Logger.getLogger("java.lang.Runtime").isLoggable(Level.FINE))
                    .isFalse();
            assertThat(Logger.getLogger("jdk.event.security").isLoggable(Level.FINE))
                    .isFalse();
            assertThat(Logger.getLogger("jdk.event.security").isLoggable(Level.INFO))
                    .isTrue();
        } finally {
            Logger.getLogger("").setLevel(level);
            Logger.getLogger("io.imexagent").setLevel(own);
            Arrays.stream(Logger.getLogger("").getHandlers()).forEach(Logger.getLogger("")::removeHandler);
            Arrays.stream(before).forEach(Logger.getLogger("")::addHandler);
        }
    }

    private static LogRecord record(Level level, String message) {
        var record = new LogRecord(level, message);
        record.setInstant(Instant.parse("2026-11-21T05:46:49.120Z"));
        return record;
    }
}
