package io.imexagent.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.systemd.Journal;
import io.imexagent.systemd.Receiver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** Over a socket of the test's own in the place of the journal's. */
class JournalHandlerTest {

    @TempDir
    private Path folder;

    private final List<String> otherwise = new ArrayList<>();

    @Test
    void anEntryHasItsFields() {
        try (var journal = new Receiver(socket())) {
            handler().publish(refused("team/a", "why"));

            assertThat(journal.all()).containsExactly("""
                            PRIORITY=4
                            SYSLOG_FACILITY=3
                            SYSLOG_IDENTIFIER=imex-agent
                            MESSAGE_ID=f80c6e5908cc4abd81a095fcc0976f29
                            IMEX_CLAIM_UID=0b7e-1
                            IMEX_CODE=channel_in_use
                            IMEX_NODE=node-1
                            MESSAGE=claim refused claim=team/a uid=0b7e-1 code=channel_in_use reason="why"
                            """);
        }
        assertThat(otherwise).isEmpty();
    }

    /** What sends to the journal logs as it is loaded, by the first entry: that would come back to it half loaded. */
    @Test
    void whatTheJournalIsReachedByLogsNothing() {
        Logging.ofCommand(LogLevel.DEBUG);

        assertThat(java.util.logging.Logger.getLogger("com.sun.jna.Native").isLoggable(Level.SEVERE))
                .isFalse();
    }

    /** A tenant writes the name, a peer the reason; neither can add a field, or a line. */
    @Test
    void foreignTextForgesNoField() {
        try (var journal = new Receiver(socket())) {
            handler().publish(refused("a\nIMEX_CLAIM_UID=other\nPRIORITY=0", "\u001b[2J\r\n\u0085\0=\nMESSAGE_ID=x"));

            assertThat(journal.all())
                    .singleElement()
                    .asString()
                    .satisfies(entry -> assertThat(entry.lines())
                            .containsExactly(
                                    "PRIORITY=4",
                                    "SYSLOG_FACILITY=3",
                                    "SYSLOG_IDENTIFIER=imex-agent",
                                    "MESSAGE_ID=f80c6e5908cc4abd81a095fcc0976f29",
                                    "IMEX_CLAIM_UID=0b7e-1",
                                    "IMEX_CODE=channel_in_use",
                                    "IMEX_NODE=node-1",
                                    "MESSAGE=claim refused claim=a IMEX_CLAIM_UID=other PRIORITY=0 uid=0b7e-1"
                                            + " code=channel_in_use reason=\" [2J    = MESSAGE_ID=x\""));
        }
    }

    /** Within its length, so that whoever makes an exception's message makes no field either. */
    @Test
    void aStackTraceKeepsItsLines() {
        var defect = new IllegalStateException("why\nPRIORITY=0\u001b[2J");
        defect.setStackTrace(new StackTraceElement[] {new StackTraceElement("A", "b", "A.java", 7)});
        String message = "page failed\njava.lang.IllegalStateException: why\nPRIORITY=0 [2J\n\tat A.b(A.java:7)";
        try (var journal = new Receiver(socket())) {
            handler().publish(Records.of("io.imexagent.test", log -> log.error("page failed", defect)));

            assertThat(journal.all())
                    .containsExactly("PRIORITY=3\nSYSLOG_FACILITY=3\nSYSLOG_IDENTIFIER=imex-agent\nIMEX_NODE=node-1\n"
                            + "MESSAGE\n" + (char) message.length() + "\0\0\0\0\0\0\0" + message + "\n");
        }
    }

    @Test
    void anEntryOfAnySizeFits() {
        try (var journal = new Receiver(socket())) {
            var deep = new IllegalStateException("y".repeat(1_000_000));
            handler().publish(Records.of("io.imexagent.test", log -> log.error("𝄞".repeat(1_000_000), deep)));

            assertThat(journal.all())
                    .singleElement()
                    .asString()
                    .hasSizeGreaterThan(LogText.LONGEST)
                    .endsWith("… (cut)\n");
        }
        assertThat(otherwise).isEmpty();
    }

    @Test
    void withoutAJournalTheLogGoesOnAndSaysItOnce() {
        Handler handler = handler();
        handler.publish(refused("team/a", "first"));
        handler.publish(refused("team/a", "second"));

        assertThat(otherwise).hasSize(3);
        assertThat(otherwise.getFirst())
                .isEqualTo("the journal takes no entry, they go to standard error meanwhile reason=\"" + socket()
                        + ": No such file or directory\"");
        assertThat(otherwise.get(1)).endsWith("reason=\"first\"");
        assertThat(otherwise.get(2)).endsWith("reason=\"second\"");

        otherwise.clear();
        try (var journal = new Receiver(socket())) {
            handler.publish(refused("team/a", "third"));
            handler.publish(refused("team/a", "fourth"));

            assertThat(journal.all())
                    .extracting(JournalHandlerTest::message)
                    .satisfiesExactly(
                            third -> assertThat(third).endsWith("reason=\"third\""),
                            back -> assertThat(back).startsWith("the journal takes entries again"),
                            fourth -> assertThat(fourth).endsWith("reason=\"fourth\""));
        }
        assertThat(otherwise).isEmpty();
    }

    /** The event loop logs too: an entry that would have to wait is lost, and is counted. */
    @Test
    void aJournalThatHangsHoldsUpNothing() {
        Handler handler = handler();
        try (var journal = new Receiver(socket())) {
            var sender = new Journal(socket());
            while (sender.send(Map.of("MESSAGE", "fills the queue")) instanceof Journal.SendResult.EntrySent) {
                // Until there is no room.
            }
            handler.publish(refused("team/a", "first"));
            handler.publish(refused("team/a", "second"));

            assertThat(journal.all()).noneMatch(entry -> entry.contains("IMEX_CODE"));
            handler.publish(refused("team/a", "third"));
            assertThat(journal.all())
                    .extracting(JournalHandlerTest::message)
                    .satisfiesExactly(
                            third -> assertThat(third).endsWith("reason=\"third\""),
                            lost -> assertThat(lost)
                                    .isEqualTo("the journal did not keep up, log entries are lost count=2"));
        }
        assertThat(otherwise).isEmpty();
    }

    @Test
    void whatIsNotLoggedIsNotSent() {
        Handler handler = handler();
        handler.setLevel(Level.SEVERE);
        try (var journal = new Receiver(socket())) {
            handler.publish(refused("team/a", "why"));

            assertThat(journal.all()).isEmpty();
        }
    }

    private String socket() {
        return folder.resolve("socket").toString();
    }

    private Handler handler() {
        return new JournalHandler(new Journal(socket()), "imex-agent", Optional.of("node-1"), new Handler() {
            @Override
            public void publish(LogRecord record) {
                otherwise.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }

    private static LogRecord refused(String claim, String reason) {
        return Records.of(
                "io.imexagent.test",
                (Logger log) -> log.warn(
                        "claim refused claim={} uid={} code={} reason=\"{}\"",
                        claim,
                        new ClaimUid("0b7e-1"),
                        "channel_in_use",
                        reason));
    }

    private static String message(String entry) {
        return entry.substring(entry.indexOf("\nMESSAGE=") + "\nMESSAGE=".length(), entry.length() - 1);
    }
}
