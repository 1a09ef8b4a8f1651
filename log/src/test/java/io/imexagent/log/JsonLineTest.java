package io.imexagent.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.claim.ClaimUid;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class JsonLineTest {

    @Test
    void hasTheFieldsOfTheJournal() {
        LogRecord record = Records.of(
                "io.imexagent.test",
                log -> log.info("claim prepared claim={} uid={} devices={}", "team/a", new ClaimUid("0b7e-1"), 1));
        record.setInstant(Instant.parse("2026-11-21T05:46:49.120Z"));

        assertThat(new JsonLine(Optional.of("node-1"), false).format(record))
                .isEqualTo("{\"time\":\"2026-11-21T05:46:49.120Z\",\"level\":\"INFO\","
                        + "\"message\":\"claim prepared claim=team/a uid=0b7e-1 devices=1\","
                        + "\"messageId\":\"41b030d93e704cc6ba8842de321ba0a0\",\"claimUid\":\"0b7e-1\","
                        + "\"node\":\"node-1\"}\n");
    }

    @Test
    void isOneObjectOnOneLineWhateverIsInIt() throws IOException {
        LogRecord record = Records.of(
                "io.imexagent.test",
                log -> log.error(
                        "page failed path={} code={}",
                        "\",\"level\":\"x\"\n{\u2028",
                        "c",
                        new IllegalStateException("why\n}")));
        String line = new JsonLine(Optional.empty(), false).format(record);

        assertThat(line).endsWith("}\n").hasLineCount(1);
        JsonNode entry = new ObjectMapper().readTree(line);
        assertThat(entry.get("level").asText()).isEqualTo("ERROR");
        assertThat(entry.get("message").asText()).isEqualTo("page failed path=\",\"level\":\"x\" {\u2028 code=c");
        assertThat(entry.get("code").asText()).isEqualTo("c");
        assertThat(entry.get("trace").asText()).startsWith("java.lang.IllegalStateException: why\n}\n\tat ");
        assertThat(entry.has("node")).isFalse();
    }

    @Test
    void whatALibraryLogsItselfHasATextAlone() {
        var record = new LogRecord(Level.FINE, "a {0}");
        record.setParameters(new Object[] {"b"});
        record.setInstant(Instant.EPOCH);

        assertThat(new JsonLine(Optional.empty(), true).format(record))
                .isEqualTo("<7>{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"DEBUG\",\"message\":\"a b\"}\n");
    }
}
