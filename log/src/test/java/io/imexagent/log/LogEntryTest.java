package io.imexagent.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogEntryTest {

    private static final ClaimUid UID = new ClaimUid("0b7e-1");

    @Test
    void hasTheClaimAndTheCodeOfItsArguments() {
        LogEntry entry = logged(log -> log.warn(
                "claim refused claim={} uid={} code={} reason=\"{}\"", "team/a", UID, "channel_in_use", "why"));

        assertThat(entry.getMessage())
                .isEqualTo("claim refused claim=team/a uid=0b7e-1 code=channel_in_use reason=\"why\"");
        assertThat(entry.getLevel()).isEqualTo(Level.WARNING);
        assertThat(entry.fields).isEqualTo(Map.of("CLAIM_UID", "0b7e-1", "CODE", "channel_in_use"));
        assertThat(entry.known).contains(KnownMessage.CLAIM_REFUSED);
    }

    /** The name of a claim, and what a peer says, are in others' hands. */
    @Test
    void takesNothingFromForeignText() {
        LogEntry entry = logged(log ->
                log.warn("claim not unprepared claim={} reason=\"{}\"", "a uid=0b7e-2 code=forged", "uid={} code={}"));

        assertThat(entry.fields).isEmpty();
        assertThat(entry.known).isEmpty();
        assertThat(logged(log -> log.warn("{}", "claim refused claim=a")).known).isEmpty();
        assertThat(logged(log -> log.warn("error=\"{}\"", UID.value() + " code=x")).fields)
                .isEmpty();
    }

    @Test
    void aUidThatIsNoClaimsIsNone() {
        assertThat(logged(log -> log.warn("connection refused uid={} pid={}", 1000, 7)).fields)
                .isEmpty();
        assertThat(logged(log -> log.warn("anycode={} barcode={} code={}", "a", "b", "c")).fields)
                .isEqualTo(Map.of("CODE", "c"));
    }

    @Test
    void theFirstClaimOfSeveralCounts() {
        assertThat(logged(log -> log.info("channel held by={} for={}", UID, new ClaimUid("other"))).fields)
                .isEqualTo(Map.of("CLAIM_UID", "0b7e-1"));
    }

    @Test
    void whatLibrariesSayHasNoFields() {
        var record = (LogEntry)
                Records.of("io.vertx.core", log -> log.warn("claim refused claim={} code={} uid={}", "a", "b", UID));

        assertThat(record.fields).isEmpty();
        assertThat(record.known).isEmpty();
    }

    @Test
    void keepsTheThrowableThatFollowsTheArguments() {
        var defect = new IllegalStateException("why");
        LogEntry entry = logged(log -> log.error("a claim failed uid={}", UID, defect));

        assertThat(entry.getThrown()).isSameAs(defect);
        assertThat(entry.getMessage()).isEqualTo("a claim failed uid=0b7e-1");
    }

    @Test
    void takesWhateverItIsGiven() {
        assertThat(logged(log -> log.warn(null)).getMessage()).isNull();
        assertThat(logged(log -> log.warn("a={}")).getMessage()).isEqualTo("a={}");
        assertThat(logged(log -> log.warn("a", 1, 2, 3)).fields).isEmpty();
        assertThat(logged(log -> log.atInfo().log("registered with the kubelet driver={}", "d")).known)
                .contains(KnownMessage.REGISTERED);
        assertThat(logged(log -> log.warn("{} code={}", "a", null)).fields).isEqualTo(Map.of("CODE", "null"));
    }

    private static LogEntry logged(Consumer<Logger> call) {
        return (LogEntry) Records.of("io.imexagent.test", call);
    }
}
